//! Wakes those in this process who follow a session's events, or watch a tenant.

use tokio::sync::broadcast;

/// How many notifications are buffered; a follower that is slower is only notified that it missed some.
const HEARD: usize = 1_024;

/// Notifies the followers in this process of what happens to the one with an id; one listener of the process feeds it.
#[derive(Clone, Debug)]
pub(super) struct Notifier<T>(broadcast::Sender<Option<T>>);

impl<T: Copy + PartialEq> Notifier<T> {
    pub(super) fn new() -> Self {
        Self(broadcast::channel(HEARD).0)
    }

    /// Notifies that something may have happened to one; `None` when it may be any.
    pub(super) fn notify(&self, id: Option<T>) {
        // An error means that there is no follower.
        let _ = self.0.send(id);
    }

    /// Hears of one from now on.
    pub(super) fn listen_to(&self, id: T) -> Listening<T> {
        Listening { ids: [id; 2], heard: self.0.subscribe() }
    }
}

/// The notifications about a session, one of its branches, or a tenant.
#[derive(Debug)]
pub struct Listening<T> {
    /// The one that was named first, and the one that was turned to.
    ids: [T; 2],
    heard: broadcast::Receiver<Option<T>>,
}

impl<T: Copy + PartialEq> Listening<T> {
    /// Hears of this one too from now on, in place of the one that was turned to before.
    pub fn turn_to(&mut self, id: T) {
        let [first, _] = self.ids;
        self.ids = [first, id];
    }

    /// Waits until something may have happened.
    pub async fn rung(&mut self) {
        loop {
            match self.heard.recv().await {
                Ok(Some(id)) if !self.ids.contains(&id) => {}
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return,
                // Never closed: the store holds the sender as long as the process lives.
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}
