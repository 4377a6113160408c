//! `anchord openapi`: prints the OpenAPI document.

use super::prelude::*;
use crate::app;

/// Arguments of `openapi`.
#[derive(Args, Debug)]
pub(super) struct Openapi {}

impl Openapi {
    pub(super) fn run(self) -> Result<()> {
        let Self {} = self;
        output::print_foreign(&app::openapi()?)
    }
}
