//! The `anchord` program: parses the command, starts telemetry, runs the command, and returns the exit code.

use std::process::ExitCode;

/// Chosen because requests allocate many short-lived texts on many threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    anchord::cli::main()
}
