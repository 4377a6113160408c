//! Time that this thread ran, so that what else the machine does is not measured.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

/// How long this thread has run; where the kernel does not say, how long the bench has.
pub fn time() -> Duration {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or_else(|_| BEGUN.elapsed(), Duration::from)
}

/// How long a piece of work ran, and what came of it.
pub fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = time();
    let made = work();
    (time().saturating_sub(begun), made)
}
