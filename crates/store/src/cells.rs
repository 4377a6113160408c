//! Cells: whole schemas, each with some tenants. The home cell is the one of the configured address; it has the list of the others.
//!
//! No catalogue says which tenant is in which cell: a key is looked up in all of them, and each process remembers where it was
//! found (`http::cells`). A tenant is in the cell that has its row, but for a move (`moving`).

use secrecy::{ExposeSecret as _, SecretString};

use super::address::{Address, Target, check_schema};
use super::channel;
pub use super::owner::cells::HeldNames;
use crate::prelude::*;

/// The name of the home cell.
pub const HOME: &str = "home";
/// Statements on no tenant's rows are for this one.
pub(crate) const NOBODY: TenantId = TenantId(Uuid::nil());
const UNREADABLE: &str = "it is encrypted with a key that ANCHORD_SECRETS_KEY does not have";

/// A cell beside the home cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// The schema that has its tables.
    pub schema: String,
    /// Its server.
    pub server: Server,
    /// Whether every process has had the time to hear of it, so that it may get tenants.
    pub is_settled: bool,
}

/// The server of a cell.
#[derive(Clone, Debug)]
pub enum Server {
    /// That of the home cell.
    Home,
    /// Another one, by its address.
    Own(SecretString),
    /// Another one, whose address this process cannot decrypt. Its tenants are somewhere all the same.
    Unreadable,
}

impl Cell {
    /// Where it is, for the address and the role of the home cell.
    ///
    /// # Errors
    /// When its address cannot be decrypted.
    pub fn target<'a>(&'a self, home: Target<'a>) -> Result<Target<'a>> {
        let url = match &self.server {
            Server::Home => home.url,
            Server::Own(url) => url.expose_secret(),
            Server::Unreadable => return Err(StoreError::corrupt("cells", "url", &self.name, UNREADABLE)),
        };
        Ok(Target { url, schema: Some(&self.schema), ..home })
    }
}

/// Why a cell cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum NotAdded {
    /// The name is none.
    #[error(
        "a cell's name has 1 to 63 lower-case letters, digits and underscores, no digit first, and is not {HOME}"
    )]
    Name,
    /// The address holds a password, and there is no key to encrypt it with.
    #[error("the address of a server is stored encrypted: set ANCHORD_SECRETS_KEY")]
    NoKey,
    /// Another one has the name.
    #[error("there is a cell of this name")]
    Taken,
    /// The schema is a cell that is in use.
    #[error("the schema has tenants: it is a cell already")]
    InUse,
    /// The database failed, or the schema is not empty and not of this build.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Makes a cell: its schema and tables, and its entry in the list of this, the home cell.
    pub async fn add_cell(&self, home: Target<'_>, cell: &Cell) -> Result<(), NotAdded> {
        if check_schema(&cell.name).is_err() || cell.name == HOME {
            return Err(NotAdded::Name);
        }
        let target = cell.target(home)?;
        target.address().map_err(StoreError::from)?;
        let sealed = self.seal_address(cell)?;
        Self::migrate(target).await?;
        let made = Self::connect(target, 2, self.tracker.clone()).await?;
        let (tenants, _) = made.measure_cell().await?;
        made.close().await;
        if tenants > 0 {
            return Err(NotAdded::InUse);
        }
        let is_new = self.insert_cell(&cell.name, &cell.schema, sealed.as_deref()).await?;
        if is_new { Ok(()) } else { Err(NotAdded::Taken) }
    }

    /// Stores another address of a cell's server; `false` when there is no such cell. Running processes keep the one that they have.
    ///
    /// # Errors
    /// When it cannot be encrypted, or the database fails.
    pub async fn change_cell(&self, cell: &Cell) -> Result<bool, NotAdded> {
        let sealed = self.seal_address(cell)?;
        Ok(self.update_cell(&cell.name, sealed.as_deref()).await?)
    }

    fn seal_address(&self, cell: &Cell) -> Result<Option<Vec<u8>>, NotAdded> {
        match &cell.server {
            Server::Own(url) => {
                let sealed = self.secret_keys.seal(NOBODY, url.expose_secret().as_bytes());
                Ok(Some(sealed.ok_or(NotAdded::NoKey)?))
            }
            Server::Home | Server::Unreadable => Ok(None),
        }
    }

    pub(crate) fn open_address(&self, sealed: &[u8]) -> Server {
        let text = self.secret_keys.unseal(NOBODY, sealed).and_then(|text| String::from_utf8(text).ok());
        let readable = text.filter(|text| Address::parse(text).is_ok());
        readable.map_or(Server::Unreadable, |text| Server::Own(SecretString::from(text)))
    }

    /// Waits until the list of cells may have changed.
    pub async fn cells_changed(&self) {
        self.cells_changed.notified().await;
    }
}

/// Notifies all processes, on commit, that cells or a tenant's cell have changed.
pub(crate) async fn tell(tx: &mut PgConnection) -> Result<()> {
    sqlx::query_scalar!(r#"select pg_notify($1, $2) is null as "told!""#, channel::KEYS, "")
        .fetch_one(tx)
        .await?;
    Ok(())
}
