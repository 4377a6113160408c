//! How a process ends: it takes no new work, finishes what it has, then lets go of the database.

use std::time::Duration;

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::task::TaskTracker;

use anchord_store::Store;

/// How long work in hand has. Orchestrators commonly kill after 30 s; what is cut short is safe,
/// because a compression is taken over and an append was never acknowledged.
const DRAIN: Duration = Duration::from_secs(25);
/// How long connections have to go home afterwards.
const CLOSE: Duration = Duration::from_secs(2);

/// The signals that end a process.
#[derive(Debug)]
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(super) fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be listened for");
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    /// Waits for the next one and tells its name.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}

/// Whether everything in hand was finished.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Drained {
    /// All of it.
    Whole,
    /// Not all.
    CutShort {
        /// How many tasks were left.
        tasks: usize,
        /// What cut it short.
        why: &'static str,
    },
}

/// Waits for the work in hand, for as long as patience and a second signal allow.
pub(super) async fn drain(tracker: &TaskTracker, signals: &mut Signals) -> Drained {
    tracker.close();
    let why = tokio::select! {
        () = tracker.wait() => return Drained::Whole,
        _ = signals.next() => "a second signal",
        () = tokio::time::sleep(DRAIN) => "the time for draining is over",
    };
    Drained::CutShort { tasks: tracker.len(), why }
}

/// Closes the pool; connections that are still in use are left to the server.
pub(super) async fn close(store: &Store) {
    if tokio::time::timeout(CLOSE, store.close()).await.is_err() {
        tracing::warn!("connections to the database were still in use at the end");
    }
}
