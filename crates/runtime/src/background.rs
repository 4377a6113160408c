//! Threads for long work: low-priority threads for work that keeps a processor busy, a limit on such work while
//! requests arrive, and dedicated runtimes for tasks that requests must not wait for.
//!
//! The workers run on a dedicated runtime: between their statements they read rows and write versions, which takes
//! milliseconds at a time, and no request should wait for that.
//!
//! Invariant: work on the background threads yields to requests. On Linux these threads have a lower priority, so that
//! a small request waits less for them; while the processor is otherwise idle they lose nothing. The workers' thread
//! keeps the normal priority: it may hold a session's lock, which appends wait for.
//!
//! Tried on a busy machine and dropped: a long slice (`sched_setattr`) gave no clear result; the
//! scheduler's idle class for these threads, and also for the workers' and their database processes, saved a
//! tenth or nothing; a priority lower than this one made compressions come too late.

use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;

/// The niceness of the background threads (0 to 19): beside another busy thread they get a quarter of a processor.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// A runtime that is used for its blocking threads alone. The blocking threads of the service's runtime run
/// request work too, so they cannot have another priority.
static THREADS: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    let processors = processors();
    Builder::new_current_thread()
        .thread_name("background")
        .max_blocking_threads((2 * processors).max(4))
        // Idle threads are kept, because a thread that has run the ledger has its automata ready.
        .thread_keep_alive(Duration::MAX)
        .on_thread_start(lower_priority)
        .build()
});

/// Read once, because the system reads several files to answer it.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get));

pub(super) fn processors() -> usize {
    *PROCESSORS
}

/// How long after a request another one is expected.
const CALM_MS: u64 = 100;

/// How long a piece of work may hold a permit. Longer work continues without one, because it may wait for a lock.
const LONGEST_PERMIT: Duration = Duration::from_millis(250);

/// The origin of the times of requests.
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
/// When the last request arrived, in milliseconds since [`ORIGIN`] plus one; 0 before the first request.
static LAST_REQUEST: AtomicU64 = AtomicU64::new(0);
/// Reserves half of the processors for requests while they arrive. A request waits for a processor many times, and
/// each wait is long when jobs, or the database on behalf of jobs, occupy all processors.
///
/// Measured on two processors: beside compressions the median append took 2.3 to 3.8 ms instead of 3.4 to 4.2, the slowest
/// hundredth 11 to 23 instead of 17 to 40, and at seven tenths of what a closed loop reaches 7,380 appends a second went
/// through instead of 5,716. The cost: 55 to 69 compressions a second instead of 72. Resting three or ten times as long
/// after each turn was tried: 17 and 7 compressions a second, and contexts still waited 1.4 times as long as when idle.
static PERMITS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(background_permits()));

/// How many pieces of background work run at once while requests arrive.
fn background_permits() -> usize {
    (processors() / 2).max(1)
}

/// Records that a request arrived.
pub fn request_arrived() {
    LAST_REQUEST.store(now(), Ordering::Relaxed);
}

fn now() -> u64 {
    u64::try_from(ORIGIN.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
}

/// Runs a piece of background work that keeps this process or the database busy. While requests arrive, only a
/// few pieces run at once: one for every two processors. Calls must not be nested.
pub async fn throttled<T>(piece: impl Future<Output = T>) -> T {
    let permit = acquire(is_calm(LAST_REQUEST.load(Ordering::Relaxed), now())).await;
    let mut piece = pin!(piece);
    if permit.is_some()
        && let Ok(done) = tokio::time::timeout(LONGEST_PERMIT, &mut piece).await
    {
        return done;
    }
    drop(permit);
    piece.await
}

/// Whether no request arrived lately.
fn is_calm(last: u64, now: u64) -> bool {
    last == 0 || now.saturating_sub(last) > CALM_MS
}

/// Waits for a permit; returns none at once when no request arrived lately.
async fn acquire(is_calm: bool) -> Option<SemaphorePermit<'static>> {
    // The semaphore is never closed.
    if is_calm { None } else { PERMITS.acquire().await.ok() }
}

/// A runtime with a few threads of its own, for tasks that mostly wait and must not delay requests.
#[derive(Debug)]
pub struct DedicatedRuntime {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl DedicatedRuntime {
    /// Starts the threads, which all have the same name.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn start(name: &str, threads: NonZeroUsize) -> std::io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(threads.get()).thread_name(name).enable_all().build()?;
        let handle = runtime.handle().clone();
        Ok(Self { runtime: Some(runtime), handle })
    }

    /// Spawns tasks on the runtime.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for DedicatedRuntime {
    /// Does not wait for running tasks: the caller may be a task itself, and everything that must end has ended.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs work on a background thread, where it delays no small request. Waiting work runs in the order of the calls.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match &*THREADS {
        Ok(threads) => threads.spawn_blocking(work),
        // Memory for the runtime may be missing; the caller's runtime serves as well.
        Err(_) => tokio::task::spawn_blocking(work),
    }
}

/// Lowers the priority of the current thread. Only Linux has a priority per thread.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "background.priority");
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn background_threads_have_a_lower_priority_and_the_callers_keep_theirs() {
        let niceness = || rustix::process::getpriority_process(None).unwrap();
        let before = niceness();
        assert_eq!(spawn(niceness).await.unwrap(), before.max(NICENESS));
        assert_eq!(niceness(), before);
    }

    #[tokio::test]
    async fn work_is_throttled_only_while_requests_arrive() {
        let mut permits = Vec::new();
        for _ in 0..(processors() / 2).max(1) {
            permits.push(acquire(false).now_or_never().flatten().expect("a permit"));
        }
        assert!(acquire(false).now_or_never().is_none(), "all permits are taken");
        assert!(acquire(true).now_or_never().is_some_and(|permit| permit.is_none()), "none is needed");
        permits.pop();
        assert!(acquire(false).now_or_never().flatten().is_some());
    }

    #[test]
    fn it_is_calm_before_the_first_request_and_some_time_after_the_last() {
        assert!(is_calm(0, 1) && is_calm(5, 6 + CALM_MS));
        assert!(!is_calm(5, 5) && !is_calm(5, 5 + CALM_MS));
        assert!(!is_calm(6, 5), "it arrived in between");
    }

    #[tokio::test]
    async fn a_dedicated_runtime_ends_when_it_is_dropped() {
        let dedicated = DedicatedRuntime::start("workers", NonZeroUsize::MIN).unwrap();
        let task = dedicated.handle().spawn(std::future::pending::<()>());
        let name = dedicated.handle().spawn(async { std::thread::current().name().map(str::to_owned) });
        assert_eq!(name.await.unwrap().as_deref(), Some("workers"));
        drop(dedicated);
        assert!(task.await.unwrap_err().is_cancelled());
    }

    #[tokio::test]
    async fn a_panic_is_the_callers_and_ends_no_thread_for_others() {
        for _ in 0..20 {
            assert!(spawn(|| panic!("on purpose")).await.unwrap_err().is_panic());
        }
        assert_eq!(spawn(|| 4).await.unwrap(), 4);
    }
}
