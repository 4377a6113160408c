//! Wakes those in this process who follow a session's events.

use tokio::sync::broadcast;

use anchord_messages::id::SessionId;

/// How many notifications are buffered; a follower that is slower is only notified that it missed some.
const HEARD: usize = 1_024;

/// Notifies the followers in this process of new events; one listener of the process feeds it.
#[derive(Clone, Debug)]
pub struct EventNotifier(broadcast::Sender<Option<SessionId>>);

impl EventNotifier {
    pub(super) fn new() -> Self {
        Self(broadcast::channel(HEARD).0)
    }

    /// Notifies that a session may have a new event; `None` when it may be any session.
    pub(super) fn notify(&self, session: Option<SessionId>) {
        // An error means that there is no follower.
        let _ = self.0.send(session);
    }

    /// Hears of a session's events from now on.
    pub(super) fn listen_to(&self, session: SessionId) -> Listening {
        Listening { session, branch: session, heard: self.0.subscribe() }
    }
}

/// The notifications about one session, or one branch.
#[derive(Debug)]
pub struct Listening {
    session: SessionId,
    /// The branch that is current.
    branch: SessionId,
    heard: broadcast::Receiver<Option<SessionId>>,
}

impl Listening {
    /// Hears of this branch too from now on, in place of the one before.
    pub fn turn_to(&mut self, branch: SessionId) {
        self.branch = branch;
    }

    /// Waits until the session may have a new event.
    pub async fn rung(&mut self) {
        loop {
            match self.heard.recv().await {
                Ok(Some(session)) if session != self.session && session != self.branch => {}
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return,
                // Never closed: the store holds the sender as long as the process lives.
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}
