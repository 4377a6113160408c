//! `anchord item`: prints the summary in an opaque item of the gateway's.

use std::path::PathBuf;

use super::prelude::*;
use super::transcript;
use crate::{app, config};

/// Arguments of `item`.
#[derive(Args, Debug)]
#[command(after_help = "\
The gateway gives Codex a summary as an item that begins with anchord: and is encrypted. With the key that sealed it, this
prints its text. The file may have anything else beside it, such as the log of a session; the last item counts.

Examples:
  anchord item rollout.jsonl
  pbpaste | anchord item")]
pub(super) struct ItemCommand {
    /// File with the item; - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    sealing: config::Sealing,
}

impl ItemCommand {
    pub(super) fn run(self) -> Result<()> {
        let config::Sealing { data_dir, secrets_key } = &self.sealing;
        let keys = app::sealing_keys(secrets_key.as_ref(), data_dir)?;
        let bytes = transcript::bytes(&self.file)?;
        let text = String::from_utf8_lossy(&bytes);
        let is_part = |c: char| c.is_ascii_alphanumeric() || ":._-".contains(c);
        let found =
            text.split(|c| !is_part(c)).rev().find_map(|item| anchord_gateway::open_item(&keys, item));
        let Some((_, text)) = found else {
            anyhow::bail!("no item of the gateway's that this key has sealed");
        };
        output::print_foreign(&text)
    }
}
