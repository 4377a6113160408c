//! Has the allocator give freed memory back soon.
//!
//! By itself it keeps what was freed for a second, so that a service to which some callers send megabytes takes twice the
//! memory that it uses, and keeps it when nobody calls any more. It reads its options from the environment as the process
//! begins, before any code of ours, and setting them later would be unsafe code: so a command that runs for long begins once
//! more, as the same process.

use std::convert::Infallible;
use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::{env, io};

use nix::unistd::execve;

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
    // The command runs without it, too.
    let Err(error) = again(name, delay);
    super::output::note(&format!("anchord: the process keeps freed memory for a second: {error}"));
}

/// Begins once more with a variable; comes back only when that fails. `Command::exec` would then leave a process that ends at
/// the first client that hangs up: it gives back the signals that Rust ignores before it tries.
fn again(name: &str, value: &str) -> io::Result<Infallible> {
    let text = |text: OsString| CString::new(text.into_vec());
    let program = text(env::current_exe()?.into_os_string())?;
    let words = env::args_os().map(text).collect::<Result<Vec<_>, _>>()?;
    let mut variables = env::vars_os()
        .map(|(name, value)| text([name, value].join("=".as_ref())))
        .collect::<Result<Vec<_>, _>>()?;
    variables.push(CString::new(format!("{name}={value}"))?);
    Ok(execve(&program, &words, &variables)?)
}
