//! Which cell a request is about: the one that has its key, its sign-in or its tenant.
//!
//! The extractor that says who calls also says where: the state that a handler gets has the store of that cell. Nothing stands in
//! front of the routes, and with one cell nothing is asked.
//! Invariant: what is found nowhere is refused only when every cell has answered; until then it is a 503.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;

use crate::problem::{ApiError, Result};
use crate::state::{AppState, Shared};
use anchord_messages::id::TenantId;
use anchord_runtime::cache::{Cache, Expiry};
use anchord_store::cells::{HOME, HeldNames};
use anchord_store::gather::Gatherer;
use anchord_store::{Store, StoreError};

/// For how many keys and sign-ins it is remembered where they are.
const REMEMBERED: u64 = 100_000;
const REMEMBERED_FOR: Duration = Duration::from_hours(1);

/// The cells that a process knows of; all clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Cells(Arc<Known>);

#[derive(Debug)]
struct Known {
    home: Arc<Shared>,
    others: RwLock<Vec<Other>>,
    /// Where a key or a sign-in of this digest was last found.
    places: Cache<[u8; 32], usize>,
}

/// A cell beside the home cell.
#[derive(Clone, Debug)]
struct Other {
    name: String,
    /// `None` while its database cannot be reached.
    state: Option<Arc<Shared>>,
    /// Whether it may get tenants.
    is_settled: bool,
}

/// A cell, as a request finds it.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: AppState,
    is_settled: bool,
}

impl Cells {
    pub(crate) fn of(home: Arc<Shared>) -> Self {
        let places = Cache::new(REMEMBERED, Expiry::Idle(REMEMBERED_FOR));
        Self(Arc::new(Known { home, others: RwLock::default(), places }))
    }

    fn others(&self) -> Vec<Other> {
        self.0.others.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_home_alone(&self) -> bool {
        self.0.others.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn with(&self, shared: Arc<Shared>) -> AppState {
        AppState { shared, cells: self.clone() }
    }
}

impl AppState {
    /// Tells of a cell, and how it is reached; `None` when it is not. What is known of it is replaced.
    pub fn know_cell(&self, name: &str, is_settled: bool, parts: Option<(Store, Gatherer)>) {
        let state = parts.map(|(store, appends)| {
            store.join_cells();
            Arc::new(Shared { store, appends, ..(*self.cells.0.home).clone() })
        });
        self.cells.0.home.store.join_cells();
        let mut others = self.cells.0.others.write().unwrap_or_else(PoisonError::into_inner);
        match others.iter_mut().find(|other| other.name == name) {
            Some(known) => {
                known.is_settled = is_settled;
                if state.is_some() {
                    known.state = state;
                }
            }
            None => others.push(Other { name: name.to_owned(), state, is_settled }),
        }
    }

    /// Whether a cell is known and can be reached.
    pub fn serves_cell(&self, name: &str) -> bool {
        self.cells.others().iter().any(|other| other.name == name && other.state.is_some())
    }

    /// The cells that can be reached, the home cell first.
    pub fn cells(&self) -> Vec<Cell> {
        let home = Cell {
            name: HOME.to_owned(),
            state: self.cells.with(Arc::clone(&self.cells.0.home)),
            is_settled: true,
        };
        let others = self.cells.others().into_iter().filter_map(|Other { name, state, is_settled }| {
            Some(Cell { name, state: self.cells.with(state?), is_settled })
        });
        std::iter::once(home).chain(others).collect()
    }

    /// The name of the cell that this is the state of; `None` where there is but one.
    pub(crate) fn cell_name(&self) -> Option<String> {
        let is_own = |cell: &Cell| !self.is_alone() && Arc::ptr_eq(&cell.state.shared, &self.shared);
        self.cells().into_iter().find(is_own).map(|cell| cell.name)
    }

    /// Whether there is but one cell.
    pub(crate) fn is_alone(&self) -> bool {
        self.cells.is_home_alone()
    }

    /// The same, where an answer that leaves a cell out would be wrong.
    ///
    /// # Errors
    /// When one cannot be reached.
    pub(crate) fn all_cells(&self) -> Result<Vec<Cell>> {
        match self.cells.others().iter().find(|other| other.state.is_none()) {
            Some(away) => {
                Err(ApiError::Unavailable(anyhow::anyhow!("the cell {} cannot be reached", away.name)))
            }
            None => Ok(self.cells()),
        }
    }

    /// Finds what has a digest: asks the cell where it was last found, or else all at once. What is `arriving` in a cell counts
    /// when no other has it.
    ///
    /// # Errors
    /// When nothing is found, and a cell has not answered.
    pub async fn find_by<T, F>(
        &self,
        digest: [u8; 32],
        look: impl Fn(AppState) -> F,
        arriving: impl Fn(&T) -> bool,
    ) -> Result<Option<(Self, T)>>
    where
        F: Future<Output = Result<Option<T>, StoreError>>,
    {
        let home = self.cells.with(Arc::clone(&self.cells.0.home));
        if self.is_alone() {
            return Ok(look(home.clone()).await?.map(|found| (home, found)));
        }
        let places = &self.cells.0.places;
        let (mut copy, mut failed) = (None, self.all_cells().err());
        let mut cells = self.cells();
        if let Some(place) = places.get(&digest)
            && let Some(at) = cells.iter().position(|cell| self.place_of(cell) == place)
        {
            let cell = cells.swap_remove(at);
            match look(cell.state.clone()).await {
                Ok(Some(found)) if !arriving(&found) => return Ok(Some((cell.state, found))),
                Ok(_) => {
                    places.invalidate(&digest);
                    cells.push(cell);
                    // It has moved, and that others do not have it is no longer known.
                    for cell in &cells {
                        cell.state.store.forget_key(&digest);
                    }
                }
                // It may have moved before the cell went away.
                Err(error) => failed = Some(error.into()),
            }
        }
        let mut asked: FuturesUnordered<_> = cells
            .into_iter()
            .map(|cell| {
                let looking = look(cell.state.clone());
                async move { (cell, looking.await) }
            })
            .collect();
        while let Some((cell, found)) = asked.next().await {
            match found {
                Ok(Some(found)) if arriving(&found) => copy = Some((cell.state, found)),
                Ok(Some(found)) => {
                    places.insert(digest, self.place_of(&cell));
                    return Ok(Some((cell.state, found)));
                }
                Ok(None) => {}
                Err(error) => failed = Some(error.into()),
            }
        }
        failed.map_or(Ok(copy), Err)
    }

    fn place_of(&self, cell: &Cell) -> usize {
        let place = self.cells.others().iter().position(|other| other.name == cell.name);
        place.map_or(0, |place| place + 1)
    }

    /// The state of the cell that has a tenant; with one cell, nobody is asked whether it has.
    ///
    /// # Errors
    /// When none has it, and a cell has not answered.
    pub(crate) async fn cell_of(&self, tenant: TenantId) -> Result<Option<Self>> {
        if self.is_alone() {
            return Ok(Some(self.clone()));
        }
        let digest = [tenant.0.into_bytes(); 2].concat().try_into().unwrap_or_default();
        let look = move |cell: Self| async move { cell.store.find_arrival(tenant).await };
        let found = self.find_by(digest, look, |is_arriving| *is_arriving).await?;
        Ok(found.map(|(state, _)| state))
    }

    /// Whether a tenant has left the cell since the request found it here.
    pub(crate) async fn has_lost(&self, tenant: TenantId) -> Result<bool> {
        Ok(!self.is_alone() && self.store.find_arrival(tenant).await?.is_none())
    }

    /// Makes sure that no tenant but `of` has a name in any cell, until the transaction ends. With one cell the table itself does.
    ///
    /// # Errors
    /// When one has it, or a cell does not answer.
    pub(crate) async fn hold_name(&self, of: TenantId, name: &str) -> Result<Option<HeldNames>> {
        if self.is_alone() {
            return Ok(None);
        }
        let held = self.cells.0.home.store.hold_names().await?;
        for cell in self.all_cells()? {
            if cell.state.store.find_tenant_id(name).await?.is_some_and(|found| found != of) {
                return Err(ApiError::Conflict("another tenant has this name".to_owned()));
            }
        }
        Ok(Some(held))
    }

    /// The cell for a tenant to be made: where it was made before, the one that is named, or the one with the fewest tenants. Those whose databases cannot be
    /// reached get none.
    ///
    /// # Errors
    /// When there is no cell of the name, or a database fails.
    pub(crate) async fn cell_for(&self, tenant: TenantId, named: Option<&str>) -> Result<Self> {
        if !self.is_alone()
            && let Some(known) = self.cell_of(tenant).await?
        {
            return Ok(known);
        }
        let cells = self.cells();
        if let Some(name) = named {
            let found = cells.into_iter().find(|cell| cell.name == name && cell.is_settled);
            let detail = "there is no cell of this name that takes tenants; a new one does after a minute";
            return found.map(|cell| cell.state).ok_or_else(|| ApiError::refused("/cell", detail));
        }
        let mut fewest: Option<(i64, Self)> = None;
        for cell in cells.into_iter().filter(|cell| cell.is_settled && !self.is_alone()) {
            let (tenants, _) = cell.state.store.measure_cell().await?;
            if fewest.as_ref().is_none_or(|(least, _)| tenants < *least) {
                fewest = Some((tenants, cell.state));
            }
        }
        Ok(fewest.map_or_else(|| self.clone(), |(_, state)| state))
    }
}
