//! Time that this thread ran, so that what else the machine does is not measured.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How long this thread has run; where the kernel does not say, how long the bench has.
pub fn time() -> Duration {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = told.and_then(|line| line.split(' ').next()?.parse().ok());
    ran.map_or_else(|| BEGUN.elapsed(), Duration::from_nanos)
}
