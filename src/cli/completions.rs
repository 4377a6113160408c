//! `anchord completions`: prints a completion script for a shell.

use clap_complete::Shell;

use super::prelude::*;

/// Arguments of `completions`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anchord completions bash > ~/.local/share/bash-completion/completions/anchord
  anchord completions zsh > ~/.zfunc/_anchord
  anchord completions fish > ~/.config/fish/completions/anchord.fish")]
pub(super) struct Completions {
    /// Shell that reads the script
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, mut command: clap::Command) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "anchord", &mut script);
        output::print_foreign(&String::from_utf8(script)?)
    }
}
