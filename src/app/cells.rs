//! The cells of a process: what runs for each, beside what a process has once.
//!
//! A cell that is added is taken up while the process runs, when the home cell tells of a change. One whose database cannot be
//! reached is tried again, and callers whose keys are not found elsewhere are answered with 503 until then.

use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::database::Located;
use super::tasks::CriticalTasks;
use super::{Settings, webhook_reach};
use crate::config;
use anchord_http::AppState;
use anchord_llm::Embedder;
use anchord_messages::id::TenantId;
use anchord_runtime::clock::Clock;
use anchord_store::Store;
use anchord_store::cells::{Cell, HOME, Server};
use anchord_store::gather::Gatherer;
use anchord_store::moving::{self, Moved, Place};
use anchord_store::secrets::SecretKeys;
use anchord_worker::embedder::VectorMaker;
use anchord_worker::webhook_client::WebhookClient;
use anchord_worker::webhook_dispatcher::WebhookDispatcher;

/// How often usage counts are written to the database; a crash loses the counts since the last write.
const USAGE_FLUSH: Duration = Duration::from_secs(1);
/// The pause before a cell whose database could not be reached is tried again, and after which a new one is looked at again.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// Connections of a command.
const FEW: u32 = 2;

/// What starts the tasks of a cell.
#[derive(Clone)]
pub(super) struct Runner {
    pub(super) settings: Settings,
    pub(super) located: Located,
    pub(super) secrets: SecretKeys,
    pub(super) tasks: CriticalTasks,
    pub(super) tracker: TaskTracker,
    pub(super) stop: CancellationToken,
    pub(super) clock: Clock,
    pub(super) llm: Option<anchord_llm::Client>,
    pub(super) embeddings: Option<Embedder>,
    /// The runtime of the workers.
    pub(super) workers: Option<Handle>,
}

impl Runner {
    /// Starts what runs for one cell.
    pub(super) fn run(&self, name: &str, cell: &AppState) -> Result<()> {
        let here = Handle::current();
        let appends = cell.appends.clone();
        self.tasks.spawn("the gatherer of appends", &here, async move { appends.ended().await });
        let (store, stop) = (cell.store.clone(), self.stop.clone());
        self.tasks.spawn("the listener for keys", &here, async move { store.watch_keys(&stop).await });
        let (store, stop) = (cell.store.clone(), self.stop.clone());
        self.tasks.spawn("the watch of the database", &here, async move { store.watch_primary(&stop).await });
        self.flush_usage(cell.store.clone());
        let named = &self.settings.worker.cells;
        match &self.workers {
            Some(workers) if named.is_empty() || named.iter().any(|named| named == name) => {
                self.work(cell.store.of_workers(), workers)
            }
            _ => Ok(()),
        }
    }

    /// Starts the task that writes usage counts once a second, and queues the sessions that wait for vectors.
    fn flush_usage(&self, store: Store) {
        let stop = self.stop.clone();
        self.tasks.spawn("the usage ledger", &Handle::current(), async move {
            while stop.run_until_cancelled(tokio::time::sleep(USAGE_FLUSH)).await.is_some() {
                if let Err(error) = store.flush_usage(None).await {
                    tracing::warn!(%error, "usage.not_written");
                }
                if let Err(error) = store.flush_served().await {
                    tracing::warn!(%error, "served_contexts.not_noted");
                }
                if let Err(error) = store.queue_marked().await {
                    tracing::warn!(%error, "embeddings.not_queued");
                }
            }
        });
    }

    fn work(&self, store: Store, on: &Handle) -> Result<()> {
        if let Some(embeddings) = &self.embeddings {
            let maker = VectorMaker::new(store.clone(), embeddings.clone());
            self.tasks.spawn("the maker of vectors", on, maker.run(self.stop.clone()));
        }
        let client = WebhookClient::new(webhook_reach(&self.settings.webhooks));
        let client = client.context("the client for webhooks")?;
        let dispatcher = WebhookDispatcher::new(store.clone(), self.clock, client);
        self.tasks.spawn("the webhook dispatcher", on, dispatcher.run(self.stop.clone()));
        let env = anchord_worker::Env { store: store.clone(), clock: self.clock, llm: self.llm.clone() };
        let workers = anchord_worker::Pool::new(env, self.settings.worker.workers.into());
        self.tasks.spawn("the workers", on, workers.run(self.stop.clone()));
        let (stop, of_eraser) = (self.stop.clone(), store.clone());
        self.tasks.spawn("upkeep", on, async move { anchord_worker::janitor::run(&store, &stop).await });
        let (store, stop) = (of_eraser, self.stop.clone());
        self.tasks.spawn("erasing", on, async move { anchord_worker::eraser::run(&store, &stop).await });
        Ok(())
    }

    /// Takes up the cells that are on the list and not served yet; returns whether all are, and may get tenants.
    ///
    /// # Errors
    /// When the list cannot be read. A process that does not know whether there are other cells must serve none: it would refuse
    /// their keys, and write to tenants that are being moved.
    pub(super) async fn take_up(&self, home: &AppState) -> Result<bool> {
        let cells = home.store.list_cells().await.context("the list of cells cannot be read")?;
        let mut is_settled = true;
        for cell in &cells {
            is_settled &= cell.is_settled;
            if home.serves_cell(&cell.name) {
                home.know_cell(&cell.name, cell.is_settled, None);
                continue;
            }
            let taken = match self.open(cell).await {
                Ok(store) => {
                    home.know_cell(
                        &cell.name,
                        cell.is_settled,
                        Some((store.clone(), Gatherer::start(&store))),
                    );
                    self.begin(home, &cell.name)
                }
                Err(error) => {
                    home.know_cell(&cell.name, cell.is_settled, None);
                    Err(error)
                }
            };
            match taken {
                Ok(()) => tracing::info!(cell = cell.name, "cell.taken_up"),
                Err(error) => {
                    is_settled = false;
                    tracing::warn!(cell = cell.name, error = format!("{error:#}"), "cell.not_reached");
                }
            }
        }
        Ok(is_settled)
    }

    fn begin(&self, home: &AppState, name: &str) -> Result<()> {
        let cell = home.cells().into_iter().find(|cell| cell.name == name);
        self.run(name, &cell.context("a cell that was just opened")?.state)
    }

    async fn open(&self, cell: &Cell) -> Result<Store> {
        let target = cell.target(self.located.target())?;
        Store::migrate(target).await.context("its schema cannot be made")?;
        let store = Store::connect(target, self.settings.database.pool_size, self.tracker.clone()).await;
        Ok(store.context("it cannot be reached")?.with_secret_keys(self.secrets.clone()))
    }

    /// Takes up cells that are added from now on.
    pub(super) fn watch(&self, home: &AppState, mut is_settled: bool) {
        let (this, home) = (self.clone(), home.clone());
        self.tasks.spawn("the list of cells", &Handle::current(), async move {
            loop {
                let wait = if is_settled { Duration::MAX } else { TRY_AGAIN };
                tokio::select! {
                    () = home.store.cells_changed() => {}
                    () = tokio::time::sleep(wait) => {}
                    () = this.stop.cancelled() => return,
                }
                is_settled = this.take_up(&home).await.unwrap_or_else(|error| {
                    tracing::warn!(error = format!("{error:#}"), "cells.not_listed");
                    false
                });
            }
        });
    }
}

/// A cell as it is listed.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its schema; `None` for the home cell.
    pub schema: Option<String>,
    /// Whether its server is another one than the home cell's.
    pub is_elsewhere: bool,
    /// How many tenants it has, and the bytes of its tables; `None` when it cannot be reached.
    pub measure: Option<(i64, i64)>,
}

/// The cells of an installation, for commands.
pub struct Cells {
    located: Located,
    home: Store,
    others: Vec<Cell>,
    secrets: SecretKeys,
}

impl Cells {
    /// Opens the home cell and reads its list.
    ///
    /// # Errors
    /// When no database is configured, or it cannot be reached.
    pub async fn open(database: &config::Database, webhooks: &config::Webhooks) -> Result<Self> {
        let located = super::database::configured(database)
            .context("DATABASE_URL: cells need a server that is not embedded in one service")?;
        let secrets = webhooks.secrets_key.as_ref().map(SecretKeys::parse).transpose()?.unwrap_or_default();
        Store::migrate(located.target()).await.context("the database cannot be migrated")?;
        let home = Store::connect(located.target(), FEW, TaskTracker::new()).await;
        let home = home.context("the database cannot be reached")?.with_secret_keys(secrets.clone());
        let others = home.list_cells().await?;
        Ok(Self { located, home, others, secrets })
    }

    /// Lists the cells, the home cell first.
    ///
    /// # Errors
    /// When the home cell cannot be read.
    pub async fn list(&self) -> Result<Vec<Listed>> {
        let home = self.home.measure_cell().await?;
        let mut listed =
            vec![Listed { name: HOME.to_owned(), schema: None, is_elsewhere: false, measure: Some(home) }];
        for cell in &self.others {
            let measure = async { anyhow::Ok(self.place(cell).await?.store.measure_cell().await?) };
            let measure = measure.await;
            if let Err(error) = &measure {
                tracing::warn!(cell = cell.name, error = format!("{error:#}"), "cell.not_reached");
            }
            listed.push(Listed {
                name: cell.name.clone(),
                schema: Some(cell.schema.clone()),
                is_elsewhere: !matches!(cell.server, Server::Home),
                measure: measure.ok(),
            });
        }
        Ok(listed)
    }

    /// Makes a cell.
    pub async fn add(&self, cell: &Cell) -> Result<()> {
        Ok(self.home.add_cell(self.located.target(), cell).await?)
    }

    /// Changes the address of a cell's server, where its tables are already.
    ///
    /// # Errors
    /// When there is none of the name, or no tenants are there.
    pub async fn change(&self, name: &str, server: Server) -> Result<()> {
        let cell = self.others.iter().find(|cell| cell.name == name).context("there is no such cell")?;
        let changed = Cell { server, ..cell.clone() };
        // Nothing is made there: an address of another database would hide the tenants.
        let store = Store::connect(changed.target(self.located.target())?, FEW, TaskTracker::new()).await?;
        let (tenants, _) = store.measure_cell().await.context("its tables are not there")?;
        anyhow::ensure!(tenants > 0, "it has no tenants there");
        anyhow::ensure!(self.home.change_cell(&changed).await?, "there is no such cell");
        Ok(())
    }

    /// Takes a cell without tenants off the list; its schema stays.
    ///
    /// # Errors
    /// When there is none of the name, or it has tenants.
    pub async fn remove(&self, name: &str) -> Result<()> {
        let cell = self.others.iter().find(|cell| cell.name == name);
        let (tenants, _) =
            self.place(cell.context("there is no such cell")?).await?.store.measure_cell().await?;
        anyhow::ensure!(tenants == 0, "it has {tenants} tenants; move them first");
        anyhow::ensure!(self.home.delete_cell(name).await?, "there is no such cell");
        Ok(())
    }

    /// Moves a tenant, which is named by its id or its name, to a cell.
    ///
    /// # Errors
    /// When there is no such cell or tenant, or the move fails; the tenant is then where it was.
    pub async fn move_tenant(&self, tenant: &str, to: &str) -> Result<Moved> {
        let mut places = vec![Place { name: HOME.to_owned(), store: self.home.clone() }];
        for cell in &self.others {
            let place = self.place(cell).await;
            places.push(place.with_context(|| format!("the cell {} cannot be reached", cell.name))?);
        }
        let target = self.others.iter().find(|cell| cell.name == to);
        anyhow::ensure!(to == HOME || target.is_some(), "there is no cell {to}");
        let is_settled = target.is_none_or(|cell| cell.is_settled);
        anyhow::ensure!(is_settled, "the cell is new: it takes tenants when it is a minute old");
        let mut id = TenantId::parse(tenant);
        for place in &places {
            if id.is_none() {
                id = place.store.find_tenant_id(tenant).await?;
            }
        }
        let Some(id) = id else { return Ok(Moved::NoTenant) };
        Ok(moving::move_tenant(id, &places, to).await?)
    }

    async fn place(&self, cell: &Cell) -> Result<Place> {
        let target = cell.target(self.located.target())?;
        Store::migrate(target).await?;
        let store = Store::connect(target, FEW, TaskTracker::new()).await?;
        Ok(Place { name: cell.name.clone(), store: store.with_secret_keys(self.secrets.clone()) })
    }
}
