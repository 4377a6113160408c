//! Listening for notifications, on a connection of its own.
//!
//! A connection on which only the server speaks would never show that it is lost. So it is asked for a sign of life
//! every few seconds, and given up when the service moves to another server.

use std::io;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgNotification, PgPoolOptions};
use tokio::time::Instant;

use super::channel;
use super::primary::Seen;
use crate::prelude::*;

/// How often the connection is asked for a sign of life.
const ASK_EVERY: Duration = Duration::from_secs(3);
/// How long the answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// How long an answer that has come may take to be read.
const READ_WITHIN: Duration = Duration::from_millis(500);

/// A connection that listens. After an error it is of no use any more, and notifications may have been missed.
#[derive(Debug)]
pub struct Listener {
    inner: PgListener,
    seen: Seen,
    /// When it last answered.
    answered: Instant,
    /// When it was asked, while there is no answer.
    asked: Option<Instant>,
}

impl Store {
    /// Listens on some channels.
    pub(super) async fn listen(&self, channels: &[&str]) -> Result<Listener> {
        let seen = self.primary.seen();
        // A pool of its own, which goes with the listener: the driver would wait for ever for the return of a silent
        // connection.
        let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(ANSWER_WITHIN);
        let pool = pool.idle_timeout(None).max_lifetime(None).connect_lazy_with(self.primary.options());
        let listening = tokio::time::timeout(2 * ANSWER_WITHIN, async {
            let mut inner = PgListener::connect_with(&pool).await?;
            inner.listen_all(channels.iter().copied()).await?;
            Ok::<_, sqlx::Error>(inner)
        });
        let inner = listening.await.map_err(|_| sqlx::Error::PoolTimedOut)??;
        Ok(Listener { inner, seen, answered: Instant::now(), asked: None })
    }

    /// Listens for new jobs.
    pub async fn listen_for_jobs(&self) -> Result<Listener> {
        self.listen(&[channel::JOBS]).await
    }
}

impl Listener {
    /// Waits for the next notification. A caller that stops waiting misses none.
    pub async fn next(&mut self) -> Result<PgNotification> {
        let lost =
            |why: &str| StoreError::Database(sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, why)));
        loop {
            tokio::select! {
                biased;
                heard = self.inner.try_recv() => match heard? {
                    Some(heard) => return Ok(heard),
                    None => return Err(lost("the connection that listens was lost")),
                },
                () = self.seen.passed() => return Err(lost("the service has moved to another database server")),
                () = tokio::time::sleep_until(self.answered + ASK_EVERY) => {}
            }
            // Kept, so that a caller that stops waiting again and again does not put the end off.
            let now = Instant::now();
            let asked = *self.asked.get_or_insert(now);
            // A caller that has been away since may have the answer unread.
            let until = (asked + ANSWER_WITHIN).max(now + READ_WITHIN);
            let answer = sqlx::raw_sql("select 1").execute(&mut self.inner);
            match tokio::time::timeout_at(until, answer).await {
                Ok(answer) => answer?,
                Err(_) => return Err(lost("the connection that listens says nothing any more")),
            };
            (self.answered, self.asked) = (Instant::now(), None);
        }
    }
}
