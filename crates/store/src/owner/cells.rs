//! The list of cells, which is in the home cell.

use crate::bulkhead::Share;
use crate::cells::{self, Cell, NOBODY, UNREADABLE};
use crate::prelude::*;

/// For how long a new cell gets no tenant: by then each process has heard of it, or has no database.
const SETTLES_SECONDS: f64 = 60.0;

/// The right to give tenants names, until it is dropped.
#[derive(Debug)]
pub struct HeldNames {
    _tx: Tx,
}

impl Store {
    /// Lists the cells beside the home cell, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_cells(&self) -> Result<Vec<Cell>> {
        let rows = sqlx::query!(
            r#"select name, schema, url, created_at < now() - make_interval(secs => $1) as "is_settled!"
               from cells order by created_at, name"#,
            SETTLES_SECONDS
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        let read = |name: &str, url: Option<Vec<u8>>| {
            let url = url.map(|sealed| self.open_address(&sealed));
            url.map(|url| url.ok_or_else(|| StoreError::corrupt("cells", "url", name, UNREADABLE)))
                .transpose()
        };
        let cell = |(name, schema, url, is_settled): (String, String, Option<Vec<u8>>, bool)| {
            Ok(Cell { url: read(&name, url)?, name, schema, is_settled })
        };
        rows.into_iter().map(|row| cell((row.name, row.schema, row.url, row.is_settled))).collect()
    }

    /// Adds a cell to the list, and tells all processes; `false` when the name is taken.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn insert_cell(&self, name: &str, schema: &str, sealed: Option<&[u8]>) -> Result<bool> {
        let mut tx = self.begin_as_owner(Share::default(), NOBODY, "").await?;
        let made = sqlx::query!(
            "insert into cells (name, schema, url) values ($1, $2, $3) on conflict do nothing",
            name,
            schema,
            sealed
        );
        let is_new = made.execute(&mut *tx).await?.rows_affected() == 1;
        cells::tell(&mut tx).await?;
        tx.commit().await?;
        Ok(is_new)
    }

    /// Takes a cell off the list; `false` when it is not on it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_cell(&self, name: &str) -> Result<bool> {
        let done = sqlx::query!("delete from cells where name = $1", name);
        Ok(done.execute(&mut self.owner.acquire().await?).await?.rows_affected() == 1)
    }

    /// Waits for everybody who gives a tenant a name; the others wait until the transaction ends. Names are unique over cells.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn hold_names(&self) -> Result<HeldNames> {
        let held = "; select pg_advisory_xact_lock(1633772135, 0)";
        Ok(HeldNames { _tx: self.begin_as_owner(Share::default(), NOBODY, held).await? })
    }
}
