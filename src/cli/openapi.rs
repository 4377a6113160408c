//! `anchord openapi`: prints the OpenAPI document.

use clap::Args;

use crate::app;

/// What `openapi` takes.
#[derive(Args, Debug)]
pub(super) struct Openapi {}

impl Openapi {
    #[expect(clippy::print_stdout, reason = "the command's result")]
    pub(super) fn run(self) -> anyhow::Result<()> {
        let Self {} = self;
        println!("{}", app::openapi()?);
        Ok(())
    }
}
