//! Which server of the database is used: the one that accepts writes.
//!
//! What lives here: the choice, its effect on the pools, and the watch, which asks the server once a second and looks
//! for another one when it does not answer or accepts no writes.
//! Invariant: after a switch no connection to the old server is used again, and none that was lost without a word is
//! taken from a pool.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Row as _};
use tokio_util::sync::CancellationToken;

use super::address::{Address, Role};
use super::readers::ACQUIRE_TIMEOUT;
use crate::prelude::*;

/// How often the server is asked whether it accepts writes.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// How long it may take to answer, or to accept a connection, before another one is looked for.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// The pause before the servers are tried again when none accepts writes.
const TRY_AGAIN: Duration = Duration::from_millis(250);
/// How long no server must have served until it counts as away. Who came before has waited as long for a connection.
const AWAY_AFTER: Duration = ACQUIRE_TIMEOUT;
/// How long a process that starts waits for a server that accepts writes.
const START_WITHIN: Duration = Duration::from_secs(10);

/// The choice of the server; all clones share it.
#[derive(Clone, Debug)]
pub(super) struct Primary(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    address: Address,
    chosen: RwLock<Chosen>,
    /// The pools that open their connections to the chosen server.
    pools: Mutex<Vec<PgPool>>,
}

#[derive(Debug)]
struct Chosen {
    host: usize,
    /// Is cancelled when another server is chosen.
    era: CancellationToken,
    /// Connections that were idle at this moment are not used again.
    retired: Option<Instant>,
    /// Since when the watch finds no server that serves.
    missed: Option<Instant>,
}

/// The choice as it was at one moment.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    primary: Primary,
    era: CancellationToken,
    at: Instant,
}

impl Seen {
    /// Whether the same server is used as then, and connections of then may be used again.
    pub(super) fn is_current(&self) -> bool {
        !self.era.is_cancelled()
            && self.primary.read(|chosen| chosen.retired.is_none_or(|then| then <= self.at))
    }

    /// Retires what is idle now, because a connection of then says nothing any more: the others may be as silent.
    pub(super) fn suspect(&self) {
        if self.is_current() {
            self.primary.retire();
        }
    }

    /// Waits until another server is chosen.
    pub(super) async fn passed(&self) {
        self.era.cancelled().await;
    }
}

impl Primary {
    /// Chooses the server that accepts writes; the first one when the address does not ask for that.
    pub(super) async fn find(address: Address) -> Result<Self> {
        let host = if address.must_write() { find(&address).await?.0 } else { 0 };
        let chosen = Chosen { host, era: CancellationToken::new(), retired: None, missed: None };
        Ok(Self(Arc::new(Shared { address, chosen: RwLock::new(chosen), pools: Mutex::default() })))
    }

    fn read<T>(&self, look: impl FnOnce(&Chosen) -> T) -> T {
        look(&self.0.chosen.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn seen(&self) -> Seen {
        let era = self.read(|chosen| chosen.era.clone());
        Seen { primary: self.clone(), era, at: Instant::now() }
    }

    /// Whether no server has served for so long that a wait for one is in vain, as far as the watch can tell.
    pub(super) fn is_away(&self) -> bool {
        self.read(|chosen| chosen.missed.is_some_and(|since| since.elapsed() >= AWAY_AFTER))
    }

    /// Notes whether the watch has found a server that serves.
    fn note(&self, is_found: bool) {
        let mut chosen = self.0.chosen.write().unwrap_or_else(PoisonError::into_inner);
        chosen.missed = if is_found { None } else { Some(chosen.missed.unwrap_or_else(Instant::now)) };
    }

    /// How to connect to the chosen server.
    pub(super) fn options(&self) -> PgConnectOptions {
        let host = self.read(|chosen| chosen.host);
        let hosts = self.0.address.hosts();
        hosts.get(host).or(hosts.first()).cloned().unwrap_or_default()
    }

    /// Adds a pool whose connections lead to the chosen server. Settings of its connections that differ from those of
    /// the address belong into `after_connect`.
    pub(super) fn steer(&self, pool: &PgPool) {
        self.0.pools.lock().unwrap_or_else(PoisonError::into_inner).push(pool.clone());
        pool.set_connect_options(self.options());
    }

    /// The options of a pool whose connections work as `role`, or as the owner without one: they are not used again once they are retired, and must
    /// accept writes when the address asks for that. `settings` are set on each connection.
    pub(super) fn pool_options(&self, role: Option<&Role>, settings: &[(&str, &str)]) -> PgPoolOptions {
        let settings =
            settings.iter().map(|(name, value)| format!(", set_config('{name}', '{value}', false)"));
        let setting = format!(
            "select current_setting('transaction_read_only'), set_config('role', '{}', false){}",
            role.map_or("none", Role::as_str),
            settings.collect::<String>()
        );
        let (setting, must_write, primary) = (Arc::new(setting), self.0.address.must_write(), self.clone());
        PgPoolOptions::new()
            .before_acquire(move |_, meta| {
                let since = primary.read(|chosen| chosen.retired).map(|then| then.elapsed());
                // A connection that was opened before is as old as it is idle, or older.
                let is_usable = since.is_none_or(|since| meta.age < since);
                Box::pin(std::future::ready(Ok(is_usable)))
            })
            .after_connect(move |connection, _| {
                let setting = Arc::clone(&setting);
                Box::pin(async move {
                    let row =
                        sqlx::raw_sql(sqlx::AssertSqlSafe(setting.as_str())).fetch_one(connection).await?;
                    if must_write && row.try_get::<String, _>(0)? == "on" {
                        return Err(sqlx::Error::Protocol("the server accepts no writes".to_owned()));
                    }
                    Ok(())
                })
            })
    }

    /// Lets no connection that is idle now be used again.
    fn retire(&self) {
        self.0.chosen.write().unwrap_or_else(PoisonError::into_inner).retired = Some(Instant::now());
    }

    /// Switches to a server, or stays with it on new connections.
    fn choose(&self, host: usize) {
        self.retire();
        let mut chosen = self.0.chosen.write().unwrap_or_else(PoisonError::into_inner);
        if chosen.host == host {
            return;
        }
        chosen.host = host;
        let old = std::mem::take(&mut chosen.era);
        drop(chosen);
        for pool in self.0.pools.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            pool.set_connect_options(self.options());
        }
        // Last, so that who tries again finds the new server.
        old.cancel();
    }

    /// Asks the chosen server once a second, and looks for another one when it does not answer.
    pub(super) async fn watch(&self) {
        let must_write = self.0.address.must_write();
        let (mut asked, mut is_suspect, mut pause) = (None, false, Duration::ZERO);
        loop {
            tokio::time::sleep(pause).await;
            if let Some(connection) = &mut asked {
                if answers(connection, must_write).await {
                    continue;
                }
                is_suspect = true;
            }
            // Where this connection has failed, those of the pools may have, too.
            let in_use = self.read(|chosen| chosen.host);
            let found = try_all(&self.0.address, in_use).await;
            self.note(found.is_some());
            (asked, is_suspect, pause) = if let Some((host, connection)) = found {
                if is_suspect || host != in_use {
                    tracing::warn!(host, has_moved = host != in_use, "database.connections_replaced");
                    self.choose(host);
                }
                (Some(connection), false, ASK_EVERY)
            } else {
                tracing::warn!("database.not_found: no server of the address serves");
                (None, true, TRY_AGAIN)
            };
        }
    }
}

/// Waits for a server that accepts writes; returns its place in the address and a connection to it.
async fn find(address: &Address) -> Result<(usize, PgConnection)> {
    let found = tokio::time::timeout(START_WITHIN, async {
        loop {
            if let Some(found) = try_all(address, 0).await {
                return found;
            }
            tokio::time::sleep(TRY_AGAIN).await;
        }
    });
    found.await.map_err(|_| StoreError::NoPrimary)
}

/// Connects to all servers at once; of those that serve, returns `preferred` or the first one.
async fn try_all(address: &Address, preferred: usize) -> Option<(usize, PgConnection)> {
    let must_write = address.must_write();
    let mut tries: FuturesUnordered<_> = address
        .hosts()
        .iter()
        .enumerate()
        .map(|(place, options)| {
            let connecting = tokio::time::timeout(ANSWER_WITHIN, PgConnection::connect_with(options));
            connecting.then(async move |connected| {
                let serving = match connected {
                    Ok(Ok(mut connection)) => {
                        answers(&mut connection, must_write).await.then_some(connection)
                    }
                    Ok(Err(_)) | Err(_) => None,
                };
                (place, serving)
            })
        })
        .collect();
    let (mut found, mut is_preferred_tried) = (None, false);
    while let Some((place, serving)) = tries.next().await {
        is_preferred_tried |= place == preferred;
        if let Some(connection) = serving
            && (place == preferred || found.is_none())
        {
            found = Some((place, connection));
        }
        // Of two servers that accept writes, the service stays with the one that it uses.
        if is_preferred_tried && found.is_some() {
            break;
        }
    }
    found
}

/// A connection to the server that is to be used, for work that is not the service's own, such as a migration.
pub(super) async fn connect(address: &Address) -> Result<PgConnection> {
    match address.hosts() {
        [only] if !address.must_write() => {
            let connecting = tokio::time::timeout(START_WITHIN, PgConnection::connect_with(only)).await;
            Ok(connecting.map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))??)
        }
        _ => Ok(find(address).await?.1),
    }
}

/// Whether the server answers in time, and accepts writes where it must.
async fn answers(connection: &mut PgConnection, must_write: bool) -> bool {
    let asked = sqlx::raw_sql("select current_setting('transaction_read_only')").fetch_one(connection);
    match tokio::time::timeout(ANSWER_WITHIN, asked).await {
        Ok(Ok(row)) => !must_write || row.try_get::<String, _>(0).is_ok_and(|read_only| read_only == "off"),
        Ok(Err(_)) | Err(_) => false,
    }
}

#[cfg(test)]
impl Primary {
    /// As it is when the watch has found no server for long.
    pub(super) fn missed_for_long(&self) {
        self.0.chosen.write().unwrap_or_else(PoisonError::into_inner).missed =
            Instant::now().checked_sub(AWAY_AFTER);
    }
}
