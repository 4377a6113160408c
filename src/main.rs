//! The `anchord` program: parse the command, start telemetry, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    anchord::cli::main()
}
