//! The graceful shutdown of a process: it takes no new work, finishes the running work, then closes the database pool.

use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::task::TaskTracker;

use anchord_store::Store;

/// How long running work may take to finish. Orchestrators commonly kill after 30 s. Work that is cut off is safe:
/// another worker takes the compression over, and the append was never acknowledged.
const DRAIN: Duration = Duration::from_secs(25);
/// How long connections may take to return to the pool afterwards.
const CLOSE: Duration = Duration::from_secs(2);

/// The signals that end a process. `SIGHUP`, which a terminal sends when it closes, is one of them: there is no
/// configuration to read again and no log file to open again.
#[derive(Debug)]
pub(super) struct Signals {
    hangup: Signal,
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be listened for");
        Ok(Self {
            hangup: listen(SignalKind::hangup())?,
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Waits for the next signal; returns its name.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.hangup.recv() => "SIGHUP",
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}

/// Whether all running work finished.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Drained {
    /// Everything finished.
    Whole,
    /// Some work was cut off.
    CutShort {
        /// How many tasks were left.
        tasks: usize,
        /// The reason.
        why: &'static str,
    },
}

/// Waits for running work until the time is over or a second signal arrives.
pub(super) async fn drain(tracker: &TaskTracker, signals: &mut Signals) -> Drained {
    tracker.close();
    let why = tokio::select! {
        () = tracker.wait() => return Drained::Whole,
        _ = signals.next() => "a second signal",
        () = tokio::time::sleep(DRAIN) => "the graceful shutdown took too long",
    };
    Drained::CutShort { tasks: tracker.len(), why }
}

/// Closes the pool. Connections that are still in use are left to the database server.
pub(super) async fn close(store: &Store) {
    if tokio::time::timeout(CLOSE, store.close()).await.is_err() {
        tracing::warn!("connections to the database were still in use at the end");
    }
}
