//! Has the allocator give freed memory back soon.
//!
//! By itself it keeps what was freed for a second, so that a service to which some callers send megabytes takes twice the
//! memory that it uses, and keeps it when nobody calls any more. It reads its options from the environment as the process
//! begins, before any code of ours, and setting them later would be unsafe code: so a command that runs for long begins once
//! more, as the same process.

use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::{env, io};

/// How long freed memory is kept, in milliseconds. None at all would cost time where large texts come one after the other; a
/// hundredth of a second shows in no bench.
const PURGE_DELAY: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "10");

/// Begins once more with the delay, unless there is one already: ours, or another that somebody wants.
pub(super) fn settle() {
    let (name, delay) = PURGE_DELAY;
    #[expect(
        clippy::disallowed_methods,
        reason = "the allocator's own variable, which config.rs must not know"
    )]
    if env::var_os(name).is_some() {
        return;
    }
    let again = || -> io::Result<io::Error> {
        let mut words = env::args_os();
        let mut command = Command::new(env::current_exe()?);
        if let Some(called) = words.next() {
            command.arg0(called);
        }
        // It returns only when it fails.
        Ok(command.args(words).env(name, delay).exec())
    };
    let (Ok(error) | Err(error)) = again();
    // The command runs without it, too.
    super::output::note(&format!("anchord: the process keeps freed memory for a second: {error}"));
}
