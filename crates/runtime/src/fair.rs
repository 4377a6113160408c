//! Shares processor time among tenants: heavy work runs on the background threads, a few pieces at a time, and the
//! tenant that has had the least time goes next.
//!
//! What lives here: [`Turns`], of which the process has two: [`requests`] for what a request computes, [`jobs`] for what
//! a worker does. A tenant with many or long pieces waits for its own; another tenant waits for the piece that runs and
//! no more. Work that takes longer than [`STEP`] should be cut into steps ([`Turns::run_in_steps`]), because a piece
//! that has begun is not interrupted.
//!
//! Invariant: a turn lasts as long as its work, also when its caller has gone; work whose caller has gone does not begin.
//! Must not know: what a tenant is. A number stands for it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::background;

/// How long a step of divided work should take at most.
pub const STEP: Duration = Duration::from_millis(25);
/// The most pieces of one tenant that wait.
pub const MOST_WAITING: usize = 256;
/// From this many tenants on, idle tenants without time debt are evicted.
const MANY_TENANTS: usize = 1_024;

/// Turns for the work of requests: one for every processor. One tenant has at most half of them, so that another finds
/// one at once, however long a piece takes.
static REQUESTS: LazyLock<Turns> =
    LazyLock::new(|| Turns::new(background::processors(), MOST_WAITING).at_most_for_one(most_of_one()));
/// Turns for the work of jobs. Their number is bounded by the workers, so all of them may wait.
static JOBS: LazyLock<Turns> = LazyLock::new(|| Turns::new(background::processors(), usize::MAX));

/// The most turns of requests that one tenant has at the same time: half of the processors.
pub fn most_of_one() -> usize {
    (background::processors() / 2).max(1)
}

/// The turns of requests.
pub fn requests() -> &'static Turns {
    &REQUESTS
}

/// The turns of jobs.
pub fn jobs() -> &'static Turns {
    &JOBS
}

/// Why work has no result.
#[derive(Debug, thiserror::Error)]
pub enum NoTurn {
    /// Too many pieces of this tenant wait already.
    #[error("too many pieces of work of the tenant wait")]
    Busy,
    /// The work panicked.
    #[error("the work broke off: {0}")]
    Broken(#[from] tokio::task::JoinError),
}

/// A fixed number of turns, given to tenants by the time that they have used.
#[derive(Clone, Debug)]
pub struct Turns {
    state: Arc<Mutex<State>>,
    most_waiting: usize,
}

#[derive(Debug)]
struct State {
    free: usize,
    waiting: usize,
    /// The most turns of one tenant at the same time.
    most_of_one: usize,
    /// The time that the tenant had used that was served last. A tenant begins here: time that it left unused before
    /// gives it no precedence.
    served: Duration,
    tenants: HashMap<u128, Tenant>,
}

#[derive(Debug, Default)]
struct Tenant {
    used: Duration,
    running: usize,
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

impl Tenant {
    fn is_idle(&self) -> bool {
        self.running == 0 && self.waiting.is_empty()
    }
}

/// A turn; others follow when it is dropped.
#[derive(Debug)]
pub struct Turn {
    turns: Turns,
    tenant: u128,
    since: Instant,
}

impl Turns {
    /// At most `at_once` turns at the same time, at least one; of each tenant at most `most_waiting` pieces wait.
    pub fn new(at_once: usize, most_waiting: usize) -> Self {
        let state = State {
            free: at_once.max(1),
            waiting: 0,
            most_of_one: usize::MAX,
            served: Duration::ZERO,
            tenants: HashMap::new(),
        };
        Self { state: Arc::new(Mutex::new(state)), most_waiting }
    }

    /// The same turns, of which one tenant has at most so many at the same time, at least one.
    pub fn at_most_for_one(self, most: usize) -> Self {
        self.lock().most_of_one = most.max(1);
        self
    }

    /// Waits for a turn. A caller that stops waiting leaves the queue.
    ///
    /// # Errors
    /// [`NoTurn::Busy`] when too many pieces of the tenant wait.
    pub async fn take(&self, tenant: u128) -> Result<Turn, NoTurn> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut state = self.lock();
            let waits = state.waiting_of(tenant);
            if waits >= self.most_waiting {
                return Err(NoTurn::Busy);
            }
            state.waiting += 1;
            state.enter(tenant).waiting.push_back(sender);
        }
        self.give();
        // A sender is dropped only after its receiver.
        receiver.await.map_err(|_| NoTurn::Busy)
    }

    /// Runs one piece of work on a background thread.
    ///
    /// # Errors
    /// When too many pieces of the tenant wait, or the work panics.
    pub async fn run<T: Send + 'static>(
        &self,
        tenant: u128,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NoTurn> {
        let turn = self.take(tenant).await?;
        let work = move || {
            let done = work();
            drop(turn);
            done
        };
        Ok(background::spawn(work).await?)
    }

    /// Runs divided work on background threads: calls it until it returns a value. Between two calls others may have
    /// their turn, so each call should take no longer than [`STEP`]. When the caller has gone, it is not called again.
    ///
    /// # Errors
    /// When too many pieces of the tenant wait, or the work panics.
    pub async fn run_in_steps<T: Send + 'static>(
        &self,
        tenant: u128,
        mut work: impl FnMut() -> Option<T> + Send + 'static,
    ) -> Result<T, NoTurn> {
        let caller = Arc::new(());
        loop {
            let turn = self.take(tenant).await?;
            let watched = Arc::downgrade(&caller);
            let steps = move || {
                let done = loop {
                    let done = work();
                    if done.is_some() || turn.is_awaited() || watched.strong_count() == 0 {
                        break done;
                    }
                };
                drop(turn);
                (done, work)
            };
            let (done, rest) = background::spawn(steps).await?;
            if let Some(done) = done {
                return Ok(done);
            }
            work = rest;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the free turns to those that wait.
    fn give(&self) {
        loop {
            let Some((tenant, sender)) = self.lock().next() else { return };
            let turn = Turn { turns: self.clone(), tenant, since: Instant::now() };
            // When the caller has just gone, this drops the turn, which gives it to the next.
            drop(sender.send(turn));
        }
    }
}

impl State {
    fn waiting_of(&mut self, tenant: u128) -> usize {
        let Some(of_tenant) = self.tenants.get_mut(&tenant) else { return 0 };
        let before = of_tenant.waiting.len();
        of_tenant.waiting.retain(|sender| !sender.is_closed());
        self.waiting = self.waiting.saturating_sub(before - of_tenant.waiting.len());
        of_tenant.waiting.len()
    }

    /// A tenant, which begins where the others are.
    fn enter(&mut self, tenant: u128) -> &mut Tenant {
        let served = self.served;
        if self.tenants.len() >= MANY_TENANTS {
            self.tenants.retain(|_, tenant| !tenant.is_idle() || tenant.used > served);
        }
        let entry = self.tenants.entry(tenant).or_default();
        if entry.is_idle() {
            entry.used = entry.used.max(served);
        }
        entry
    }

    /// Takes a free turn for the tenant that runs the fewest pieces and, among these, has used the least time.
    fn next(&mut self) -> Option<(u128, oneshot::Sender<Turn>)> {
        while self.free > 0 && self.waiting > 0 {
            let most = self.most_of_one;
            let may_run = |tenant: &Tenant| !tenant.waiting.is_empty() && tenant.running < most;
            let waiting = self.tenants.iter_mut().filter(|(_, tenant)| may_run(tenant));
            let (id, tenant) = waiting.min_by_key(|(_, tenant)| (tenant.running, tenant.used))?;
            let Some(sender) = tenant.waiting.pop_front() else { continue };
            self.waiting = self.waiting.saturating_sub(1);
            if sender.is_closed() {
                continue;
            }
            tenant.running += 1;
            self.free -= 1;
            self.served = self.served.max(tenant.used);
            return Some((*id, sender));
        }
        None
    }

    fn end(&mut self, tenant: u128, used: Duration) {
        self.free += 1;
        if let Some(tenant) = self.tenants.get_mut(&tenant) {
            tenant.running = tenant.running.saturating_sub(1);
            tenant.used = tenant.used.saturating_add(used);
        }
        // Without a competitor there is nothing to make up for.
        if self.tenants.values().all(Tenant::is_idle) {
            self.tenants.clear();
            self.waiting = 0;
        }
    }
}

impl Turn {
    /// Whether another piece waits for a turn.
    pub fn is_awaited(&self) -> bool {
        self.turns.lock().waiting > 0
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.lock().end(self.tenant, self.since.elapsed());
        self.turns.give();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt as _;

    use super::*;

    const US: u128 = 1;
    const THEM: u128 = 2;

    #[tokio::test]
    async fn another_tenant_goes_before_the_second_piece_of_the_first() {
        let turns = Turns::new(1, 8);
        let running = turns.take(US).await.unwrap();
        let mut ours = Box::pin(turns.take(US));
        let mut theirs = Box::pin(turns.take(THEM));
        assert!(ours.as_mut().now_or_never().is_none() && theirs.as_mut().now_or_never().is_none());
        assert!(running.is_awaited());
        std::thread::sleep(Duration::from_millis(1));
        drop(running);
        assert!(ours.as_mut().now_or_never().is_none());
        let theirs = theirs.now_or_never().expect("their turn").unwrap();
        assert!(ours.as_mut().now_or_never().is_none());
        drop(theirs);
        assert!(ours.now_or_never().expect("our turn").is_ok());
        assert!(turns.lock().tenants.is_empty(), "nothing is remembered of idle tenants");
    }

    #[tokio::test]
    async fn free_turns_go_to_the_tenant_that_runs_the_fewest_pieces() {
        let turns = Turns::new(2, 8);
        let first = turns.take(US).await.unwrap();
        let _second = turns.take(US).await.unwrap();
        let mut ours = Box::pin(turns.take(US));
        assert!(ours.as_mut().now_or_never().is_none());
        let mut theirs = Box::pin(turns.take(THEM));
        assert!(theirs.as_mut().now_or_never().is_none());
        drop(first);
        assert!(theirs.now_or_never().is_some());
        assert!(ours.now_or_never().is_some(), "the turn that was given back");
    }

    #[tokio::test]
    async fn one_tenant_never_has_all_turns() {
        let turns = Turns::new(2, 8).at_most_for_one(1);
        let first = turns.take(US).await.unwrap();
        let mut ours = Box::pin(turns.take(US));
        assert!(ours.as_mut().now_or_never().is_none());
        assert!(turns.take(THEM).now_or_never().is_some(), "a turn is kept for another");
        drop(first);
        assert!(ours.now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_newcomer_has_no_precedence_for_the_time_before_it_came() {
        let turns = Turns::new(1, 8);
        let mut waiting = Vec::new();
        let running = turns.take(US).await.unwrap();
        for tenant in [US, THEM] {
            let mut next = Box::pin(turns.take(tenant));
            assert!(next.as_mut().now_or_never().is_none());
            waiting.push(next);
        }
        std::thread::sleep(Duration::from_millis(2));
        drop(running);
        let theirs = waiting.pop().unwrap().now_or_never().unwrap().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        drop(theirs);
        let _ours = waiting.pop().unwrap().now_or_never().unwrap().unwrap();
        let mut newcomer = Box::pin(turns.take(3));
        assert!(newcomer.as_mut().now_or_never().is_none());
        let state = turns.lock();
        assert_eq!(state.tenants[&3].used, state.tenants[&US].used);
        assert!(state.tenants[&THEM].used > state.tenants[&US].used);
    }

    #[tokio::test]
    async fn of_one_tenant_only_so_many_pieces_wait_and_those_who_left_do_not_count() {
        let turns = Turns::new(1, 1);
        let running = turns.take(US).await.unwrap();
        let mut waiting = Box::pin(turns.take(US));
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(matches!(turns.take(US).await, Err(NoTurn::Busy)));
        let mut theirs = Box::pin(turns.take(THEM));
        assert!(theirs.as_mut().now_or_never().is_none(), "it may wait");
        drop((waiting, theirs));
        let mut again = Box::pin(turns.take(US));
        assert!(again.as_mut().now_or_never().is_none());
        drop(running);
        assert!(again.now_or_never().expect("a turn").is_ok());
    }

    #[tokio::test]
    async fn a_turn_lasts_as_long_as_its_work_and_not_as_its_caller() {
        let turns = Turns::new(1, 8);
        let (begin, runs) = oneshot::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let mut caller = Box::pin(turns.run(US, move || {
            begin.send(()).unwrap();
            ended.recv().unwrap();
        }));
        assert!(caller.as_mut().now_or_never().is_none());
        runs.await.unwrap();
        drop(caller);
        let mut next = Box::pin(turns.take(THEM));
        assert!(next.as_mut().now_or_never().is_none(), "the work still runs");
        end.send(()).unwrap();
        assert!(next.await.is_ok());
    }

    #[tokio::test]
    async fn divided_work_lets_another_tenant_go_in_between() {
        let turns = Turns::new(1, 8);
        let steps = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&steps);
        let other = turns.clone();
        let (begin, runs) = oneshot::channel();
        let mut begin = Some(begin);
        let long = turns.run_in_steps(US, move || {
            let step = counted.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(begin) = begin.take() {
                begin.send(()).unwrap();
                // The other tenant's piece waits from here on.
                while other.lock().waiting == 0 {
                    std::thread::yield_now();
                }
            }
            (step == 1_000).then_some(step)
        });
        let short = async {
            runs.await.unwrap();
            let counted = Arc::clone(&steps);
            turns.run(THEM, move || counted.load(Ordering::Relaxed)).await.unwrap()
        };
        let (long, short) = tokio::join!(long, short);
        assert_eq!((long.unwrap(), short), (1_000, 1), "it ran after the first step");
    }

    #[tokio::test]
    async fn divided_work_ends_when_its_caller_has_gone() {
        let turns = Turns::new(1, 8);
        let (begin, runs) = oneshot::channel();
        let mut begin = Some(begin);
        let mut caller = Box::pin(turns.run_in_steps(US, move || {
            if let Some(begin) = begin.take() {
                begin.send(()).unwrap();
            }
            None::<()>
        }));
        assert!(caller.as_mut().now_or_never().is_none());
        runs.await.unwrap();
        drop(caller);
        assert!(turns.take(THEM).await.is_ok(), "endless work would keep the turn");
    }

    #[tokio::test]
    async fn a_panic_is_the_callers_and_gives_the_turn_back() {
        let turns = Turns::new(1, 8);
        assert!(matches!(turns.run(US, || panic!("on purpose")).await, Err(NoTurn::Broken(_))));
        assert_eq!(turns.run(US, || 4).await.unwrap(), 4);
    }
}
