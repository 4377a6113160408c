//! The tasks that a process has one of and cannot do without: workers, the gatherer of appends, listeners, upkeep.
//!
//! Invariant: when one of them ends before the process was told to, by a panic or by itself, the process drains and
//! ends with an error, so that whoever runs it starts it anew. Half a process that looks whole is worse than none.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use futures::FutureExt as _;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Watches over the vital tasks of a process.
#[derive(Clone, Debug)]
pub(super) struct Vital {
    tracker: TaskTracker,
    stop: CancellationToken,
    died: CancellationToken,
    first: Arc<OnceLock<&'static str>>,
}

impl Vital {
    /// Watches over tasks of a tracker until they are told to stop.
    pub(super) fn new(tracker: TaskTracker, stop: CancellationToken) -> Self {
        Self { tracker, stop, died: CancellationToken::new(), first: Arc::default() }
    }

    /// Runs a task that has to live as long as the process.
    pub(super) fn spawn(
        &self,
        name: &'static str,
        on: &Handle,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> tokio::task::JoinHandle<()> {
        let Self { tracker, stop, died, first } = self.clone();
        tracker.spawn_on(
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

    /// Waits until one has died; gives its name.
    pub(super) async fn died(&self) -> &'static str {
        self.died.cancelled().await;
        self.first.get().copied().unwrap_or("a task")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vital() -> Vital {
        Vital::new(TaskTracker::new(), CancellationToken::new())
    }

    #[tokio::test]
    async fn a_task_that_panics_or_ends_by_itself_is_told_by_name() {
        let broken = vital();
        broken.spawn("the webhook dispatcher", &Handle::current(), async { panic!("on purpose") });
        assert_eq!(broken.died().await, "the webhook dispatcher");
        let over = vital();
        let rest = over.spawn("upkeep", &Handle::current(), std::future::pending());
        over.spawn("the workers", &Handle::current(), async {});
        assert_eq!(over.died().await, "the workers");
        assert!(!rest.is_finished(), "the others go on until the process drains");
    }

    #[tokio::test]
    async fn a_task_that_was_told_to_stop_has_not_died() {
        let stopped = vital();
        let stop = stopped.stop.clone();
        let task = stopped.spawn("upkeep", &Handle::current(), async move { stop.cancelled().await });
        stopped.stop.cancel();
        task.await.unwrap();
        assert!(stopped.died().now_or_never().is_none());
    }
}
