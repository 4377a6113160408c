//! Threads for what keeps a processor busy: compressions, and requests that are large.
//!
//! Beside them the thread of workers: what those do between their statements, reading rows and writing a version's,
//! takes milliseconds at a time, which no request should wait for.
//!
//! Invariant: they give way. On Linux their threads have a lower priority, so that a small request waits
//! less for them, and where nothing else wants the processor they lose nothing by it. The thread of workers does
//! not: it may hold a session's lock, which appends wait for.
//!
//! Tried on a busy machine, from outside: a long slice (`sched_setattr`) gave no clear answer; the scheduler's idle
//! class for these threads, and also for the workers' and their database processes, took a tenth off or nothing; a
//! lower priority than this made compressions come too late.

use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;

/// How far the threads stand back (0 to 19): against another busy thread they get a quarter of a processor.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// A runtime of its own for its blocking threads alone; those of the service's runtime cannot be told
/// from the threads that answer.
static THREADS: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    let processors = processors();
    Builder::new_current_thread()
        .thread_name("background")
        .max_blocking_threads((2 * processors).max(4))
        // They are kept: each has the ledger's automata warm, once it was used.
        .thread_keep_alive(Duration::MAX)
        .on_thread_start(give_way)
        .build()
});

/// Asked once: the system reads several files to tell.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get));

fn processors() -> usize {
    *PROCESSORS
}

/// How long after a request another one is expected.
const CALM_MS: u64 = 100;

/// What takes longer goes on without a turn: it may wait for a lock that somebody keeps.
const LONGEST_TURN: Duration = Duration::from_millis(250);

/// Since when requests are timed.
static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
/// When the last request came, in milliseconds since then, and one more; 0 before the first.
static LAST_REQUEST: AtomicU64 = AtomicU64::new(0);
/// While requests come, half of the processors are theirs: a request takes many short waits for one, and finds it
/// busy at each of them when jobs, or the database for them, keep all busy.
///
/// Measured on two processors: beside compressions the median append took 2.3 to 3.8 ms instead of 3.4 to 4.2, the slowest
/// hundredth 11 to 23 instead of 17 to 40, and at seven tenths of what a closed loop reaches 7,380 appends a second went
/// through instead of 5,716. The cost: 55 to 69 compressions a second instead of 72. Resting three or ten times as long
/// after each turn was tried: 17 and 7 compressions a second, and contexts still waited 1.4 times as long as when idle.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(turns()));

/// How many pieces of jobs are done at once while requests come.
#[must_use]
pub fn turns() -> usize {
    (processors() / 2).max(1)
}

/// Notes that a request came.
pub fn request_came() {
    LAST_REQUEST.store(now(), Ordering::Relaxed);
}

fn now() -> u64 {
    u64::try_from(BEGUN.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
}

/// Does a piece of a job, one that keeps this process or the database busy; while requests come, in its turn. A piece
/// holds no other.
pub async fn in_turn<T>(piece: impl Future<Output = T>) -> T {
    let turn = turn(is_calm(LAST_REQUEST.load(Ordering::Relaxed), now())).await;
    let mut piece = pin!(piece);
    if turn.is_some()
        && let Ok(done) = tokio::time::timeout(LONGEST_TURN, &mut piece).await
    {
        return done;
    }
    drop(turn);
    piece.await
}

/// Whether no request has come lately.
fn is_calm(last: u64, now: u64) -> bool {
    last == 0 || now.saturating_sub(last) > CALM_MS
}

/// Waits for a turn, unless none is needed.
async fn turn(is_calm: bool) -> Option<SemaphorePermit<'static>> {
    // It is never closed.
    if is_calm { None } else { TURNS.acquire().await.ok() }
}

/// A runtime of a few threads for tasks that mostly wait, apart from those that answer.
#[derive(Debug)]
pub struct Apart {
    /// There until it is dropped.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl Apart {
    /// Starts the threads, of one name.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(name: &str, threads: NonZeroUsize) -> std::io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(threads.get()).thread_name(name).enable_all().build()?;
        let handle = runtime.handle().clone();
        Ok(Self { runtime: Some(runtime), handle })
    }

    /// Where its tasks are spawned.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Apart {
    /// Does not wait: whoever drops it may be a task itself, and what must end has ended.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

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
    use futures::FutureExt as _;

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
    async fn pieces_take_turns_while_requests_come_and_only_then() {
        let mut turns = Vec::new();
        for _ in 0..(processors() / 2).max(1) {
            turns.push(turn(false).now_or_never().flatten().expect("a turn"));
        }
        assert!(turn(false).now_or_never().is_none(), "all turns are taken");
        assert!(turn(true).now_or_never().is_some_and(|turn| turn.is_none()), "none is needed");
        turns.pop();
        assert!(turn(false).now_or_never().flatten().is_some());
    }

    #[test]
    fn it_is_calm_before_the_first_request_and_some_time_after_the_last() {
        assert!(is_calm(0, 1) && is_calm(5, 6 + CALM_MS));
        assert!(!is_calm(5, 5) && !is_calm(5, 5 + CALM_MS));
        assert!(!is_calm(6, 5), "it came meanwhile");
    }

    #[tokio::test]
    async fn a_thread_of_its_own_ends_with_whoever_started_it() {
        let apart = Apart::start("workers", NonZeroUsize::MIN).unwrap();
        let task = apart.handle().spawn(std::future::pending::<()>());
        let name = apart.handle().spawn(async { std::thread::current().name().map(str::to_owned) });
        assert_eq!(name.await.unwrap().as_deref(), Some("workers"));
        drop(apart);
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
