//! Wakes those in this process who follow a session's events.

use tokio::sync::broadcast;

use anchord_messages::id::SessionId;

/// Sessions that are told of before a slow follower hears only that something happened.
const HEARD: usize = 1_024;

/// Rings when a session has a new event; one listener of the process rings for all who follow.
#[derive(Clone, Debug)]
pub struct Bell(broadcast::Sender<Option<SessionId>>);

impl Bell {
    pub(super) fn new() -> Self {
        Self(broadcast::channel(HEARD).0)
    }

    /// Tells that a session may have a new event; every session, when nobody knows which.
    pub(super) fn ring(&self, session: Option<SessionId>) {
        // Without a follower nobody hears it.
        let _ = self.0.send(session);
    }

    /// Hears of a session's events from now on.
    pub(super) fn listen_to(&self, session: SessionId) -> Listening {
        Listening { session, heard: self.0.subscribe() }
    }
}

/// Hears of one session's events.
#[derive(Debug)]
pub struct Listening {
    session: SessionId,
    heard: broadcast::Receiver<Option<SessionId>>,
}

impl Listening {
    /// Waits until the session may have a new event.
    pub async fn rung(&mut self) {
        loop {
            match self.heard.recv().await {
                Ok(Some(session)) if session != self.session => {}
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return,
                // The store holds the other end for as long as the process lives.
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}
