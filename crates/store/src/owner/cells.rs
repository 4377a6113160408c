//! The list of cells, which is in the home cell.

use crate::bulkhead::Share;
use crate::cells::{self, Cell, NOBODY, Server};
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
    pub async fn list_cells(&self) -> Result<Vec<Cell>> {
        let rows = sqlx::query!(
            r#"select name, schema, url, created_at < now() - make_interval(secs => $1) as "is_settled!"
               from cells order by created_at, name"#,
            SETTLES_SECONDS
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        let cells = rows.into_iter().map(|row| Cell {
            server: row.url.map_or(Server::Home, |sealed| self.open_address(&sealed)),
            name: row.name,
            schema: row.schema,
            is_settled: row.is_settled,
        });
        Ok(cells.collect())
    }

    /// Encrypts again the addresses that another key than the first has encrypted; returns how many there were, and how many of
    /// them stay because they cannot be decrypted. `head` is the beginning of what the first key has encrypted.
    pub(crate) async fn encrypt_addresses_again(&self, head: &[u8]) -> Result<(usize, usize)> {
        let rows = sqlx::query!(
            r#"select name, url as "url!" from cells where url is not null and substr(url, 1, length($1::bytea)) <> $1"#,
            head
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        let (found, mut unreadable) = (rows.len(), 0);
        for row in rows {
            let text = self.secret_keys.unseal(NOBODY, &row.url);
            let Some(again) = text.and_then(|text| self.secret_keys.seal(NOBODY, &text)) else {
                unreadable += 1;
                continue;
            };
            let changed = sqlx::query!(
                "update cells set url = $2 where name = $1 and url = $3",
                row.name,
                again,
                row.url
            );
            changed.execute(&mut self.owner.acquire().await?).await?;
        }
        Ok((found, unreadable))
    }

    /// Adds a cell to the list, and tells all processes; `false` when the name is taken.
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

    pub(crate) async fn update_cell(&self, name: &str, sealed: Option<&[u8]>) -> Result<bool> {
        let done = sqlx::query!("update cells set url = $2 where name = $1", name, sealed);
        Ok(done.execute(&mut self.owner.acquire().await?).await?.rows_affected() == 1)
    }

    /// Takes a cell off the list; `false` when it is not on it.
    pub async fn delete_cell(&self, name: &str) -> Result<bool> {
        let done = sqlx::query!("delete from cells where name = $1", name);
        Ok(done.execute(&mut self.owner.acquire().await?).await?.rows_affected() == 1)
    }

    /// Waits for everybody who gives a tenant a name; the others wait until the transaction ends. Names are unique over cells.
    pub async fn hold_names(&self) -> Result<HeldNames> {
        let held = "; select pg_advisory_xact_lock(1633772135, 0)";
        Ok(HeldNames { _tx: self.begin_as_owner(Share::default(), NOBODY, held).await? })
    }
}
