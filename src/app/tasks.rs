//! The critical tasks of a process: workers, the queue of appends, listeners, the janitor.
//!
//! Invariant: when a critical task ends early, by a panic or by itself, the process shuts down with an error, so that
//! its supervisor restarts it. A process that looks healthy without one of these tasks is worse than none.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use futures::FutureExt as _;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Runs the critical tasks of a process and notices when one ends early.
#[derive(Clone, Debug)]
pub(super) struct CriticalTasks {
    tracker: TaskTracker,
    stop: CancellationToken,
    died: CancellationToken,
    first: Arc<OnceLock<&'static str>>,
}

impl CriticalTasks {
    /// Runs tasks on `tracker`; after `stop` they may end.
    pub(super) fn new(tracker: TaskTracker, stop: CancellationToken) -> Self {
        Self { tracker, stop, died: CancellationToken::new(), first: Arc::default() }
    }

    /// Runs a task that must not end before `stop`.
    pub(super) fn spawn(
        &self,
        name: &'static str,
        on: &Handle,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> tokio::task::JoinHandle<()> {
        let (stop, died, first) = (self.stop.clone(), self.died.clone(), Arc::clone(&self.first));
        self.tracker.spawn_on(
            async move {
                let ended = AssertUnwindSafe(task).catch_unwind().await;
                if !stop.is_cancelled() {
                    tracing::error!(task = name, panicked = ended.is_err(), "process.task_died");
                    first.get_or_init(|| name);
                    died.cancel();
                }
            },
            on,
        )
    }

    /// Waits until a task has ended early; returns its name.
    pub(super) async fn died(&self) -> &'static str {
        self.died.cancelled().await;
        self.first.get().copied().unwrap_or("a task")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> CriticalTasks {
        CriticalTasks::new(TaskTracker::new(), CancellationToken::new())
    }

    #[tokio::test]
    async fn a_task_that_panics_or_ends_by_itself_is_reported_by_name() {
        let broken = tasks();
        broken.spawn("the webhook dispatcher", &Handle::current(), async { panic!("on purpose") });
        assert_eq!(broken.died().await, "the webhook dispatcher");
        let over = tasks();
        let rest = over.spawn("upkeep", &Handle::current(), std::future::pending());
        over.spawn("the workers", &Handle::current(), async {});
        assert_eq!(over.died().await, "the workers");
        assert!(!rest.is_finished(), "the others go on until the process drains");
    }

    #[tokio::test]
    async fn a_task_that_was_told_to_stop_has_not_died() {
        let stopped = tasks();
        let stop = stopped.stop.clone();
        let task = stopped.spawn("upkeep", &Handle::current(), async move { stop.cancelled().await });
        stopped.stop.cancel();
        task.await.unwrap();
        assert!(stopped.died().now_or_never().is_none());
    }
}
