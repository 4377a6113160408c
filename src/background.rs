//! Threads for what keeps a processor busy: compressions, and requests that are large.
//!
//! Invariant: they give way. On Linux their threads have a lower priority, so that a small request waits
//! less for them, and where nothing else wants the processor they lose nothing by it.

use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// How far the threads stand back (0 to 19): against another busy thread they get a quarter of a processor.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// A runtime of its own for its blocking threads alone; those of the service's runtime cannot be told
/// from the threads that answer.
static THREADS: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Builder::new_current_thread()
        .thread_name("background")
        .max_blocking_threads((2 * processors).max(4))
        // They are kept: each has the ledger's automata warm, once it was used.
        .thread_keep_alive(Duration::MAX)
        .on_thread_start(give_way)
        .build()
});

/// Runs work where it holds up no small request; what waits is done in its order.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match &*THREADS {
        Ok(threads) => threads.spawn_blocking(work),
        // What may be missing is memory for the runtime; the caller's own will do.
        Err(_) => tokio::task::spawn_blocking(work),
    }
}

/// Elsewhere a priority is the whole process's.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "background.priority");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn its_threads_give_way_and_the_callers_do_not() {
        let niceness = || rustix::process::getpriority_process(None).unwrap();
        let before = niceness();
        assert_eq!(spawn(niceness).await.unwrap(), before.max(NICENESS));
        assert_eq!(niceness(), before);
    }

    #[tokio::test]
    async fn a_panic_is_the_callers_and_ends_no_thread_for_others() {
        for _ in 0..20 {
            assert!(spawn(|| panic!("on purpose")).await.unwrap_err().is_panic());
        }
        assert_eq!(spawn(|| 4).await.unwrap(), 4);
    }
}
