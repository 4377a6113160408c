//! `anchord migrate`: brings the database's schema up to date.

use super::prelude::*;
use crate::app;
use crate::config::{self, Check as _};

/// Arguments of `migrate`.
#[derive(Args, Debug)]
pub(super) struct Migrate {
    #[command(flatten)]
    database: config::Database,
}

impl Migrate {
    pub(super) async fn run(self) -> Result<()> {
        self.database.check()?;
        self.database.check_existing()?;
        app::migrate(&self.database).await?;
        output::print("the schema is up to date\n")
    }
}
