//! The `anchord` program: parse the command, start telemetry, run, exit code.

use std::process::ExitCode;

/// Reads and appends make many short-lived pieces of text on many threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    anchord::cli::main()
}
