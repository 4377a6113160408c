//! Todo lists: the caller's list of a session, and how compressions changed it.

use super::sessions;
use crate::prelude::*;
use anchord_facts::todo::{self, Followed, Todo, TodoChange};

/// A session's todo list, and what its last change was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Todos)]
pub struct TodoList {
    /// The items, in the caller's order.
    #[serde(rename = "todos")]
    pub items: Vec<Todo>,
    /// The latest changes, a caller's or a compression's, proposals included.
    pub changes: Vec<TodoChange>,
    /// The version whose compression brought the last change; null when the caller did.
    #[serde(rename = "changed_in_version")]
    #[schema(required = true)]
    pub version: Option<i64>,
    /// Grows with every change; 0 before the first list.
    pub revision: i64,
    /// When it was last changed; null before the first list.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub updated_at: Option<DateTime<Utc>>,
}

/// The change of a compression, written only when the caller has not changed the list since.
#[derive(Clone, Debug)]
pub struct TodoUpdate {
    /// The revision of the list that the compression read.
    pub revision: i64,
    /// The list after its span.
    pub followed: Followed,
}

impl Store {
    /// Reads the todo list of a session; `None` when there is no such session.
    pub async fn find_todos(&self, tenant: TenantId, name: &SessionRef) -> Result<Option<TodoList>> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(session) = sessions::find(&mut tx, tenant, name).await? else { return Ok(None) };
        let list = find(&mut tx, session.id.of(tenant)).await?;
        tx.commit().await?;
        Ok(Some(list.unwrap_or_default()))
    }

    /// Replaces the todo list of a session and returns the differences; `None` when there is no such session. The
    /// same list again changes nothing.
    pub async fn replace_todos(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        items: Vec<Todo>,
    ) -> Result<Option<TodoList>> {
        let mut tx = self.begin(tenant).await?;
        let replaced = replace(&mut tx, tenant, name, items).await?;
        tx.commit().await?;
        Ok(replaced)
    }
}

/// Replaces a session's list in an open transaction; `None` when there is no such session.
pub(super) async fn replace(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionRef,
    mut items: Vec<Todo>,
) -> Result<Option<TodoList>> {
    let Some(session) = sessions::lock(&mut *tx, tenant, name).await? else { return Ok(None) };
    let before = find(&mut *tx, session.id.of(tenant)).await?.unwrap_or_default();
    let changes = todo::changes(&before.items, &items);
    // An item that the caller does not change keeps what is known about its completion.
    for item in &mut items {
        let known = before.items.iter().find(|old| old.content == item.content && old.status == item.status);
        item.seqs = known.map(|old| old.seqs.clone()).unwrap_or_default();
    }
    let (items_text, changes_text) =
        (text("items", session.id, &items)?, text("changes", session.id, &changes)?);
    let row = sqlx::query!(
        "insert into todo_lists (tenant_id, session_id, revision, items, changes)
             values ($1, $2, 1, $3::text::json, $4::text::json)
             on conflict (tenant_id, session_id) do update
             set revision = todo_lists.revision + 1, items = excluded.items, changes = excluded.changes,
                 version = null, updated_at = now()
             returning revision, updated_at",
        tenant.0,
        session.id.0,
        items_text,
        changes_text
    )
    .fetch_one(tx)
    .await?;
    let (revision, updated_at) = (row.revision, Some(row.updated_at));
    Ok(Some(TodoList { revision, items, changes, version: None, updated_at }))
}

/// Reads a session's list in an open transaction.
pub(super) async fn find(connection: &mut PgConnection, key: SessionKey) -> Result<Option<TodoList>> {
    let row = sqlx::query!(
        r#"select revision, items::text as "items!", changes::text as "changes!", version,
                  updated_at as "updated_at?"
           from todo_lists where tenant_id = $1 and session_id = $2"#,
        key.tenant.0,
        key.id.0
    )
    .fetch_optional(connection)
    .await?;
    let corrupt =
        |column, error: serde_json::Error| StoreError::corrupt("todo_lists", column, key.id.0, error);
    row.map(|row| {
        Ok(TodoList {
            revision: row.revision,
            items: serde_json::from_str(&row.items).map_err(|error| corrupt("items", error))?,
            changes: serde_json::from_str(&row.changes).map_err(|error| corrupt("changes", error))?,
            version: row.version,
            updated_at: row.updated_at,
        })
    })
    .transpose()
}

impl TodoUpdate {
    /// Writes the list and its changes, which a version brought, unless the caller has changed the list since.
    pub(super) async fn write(&self, tx: &mut PgConnection, key: SessionKey, version: i64) -> Result<()> {
        sqlx::query!(
            "update todo_lists
             set revision = revision + 1, items = $4::text::json, changes = $5::text::json, version = $6, updated_at = now()
             where tenant_id = $1 and session_id = $2 and revision = $3",
            key.tenant.0,
            key.id.0,
            self.revision,
            text("items", key.id, &self.followed.items)?,
            text("changes", key.id, &self.followed.changes)?,
            version
        )
        .execute(tx)
        .await?;
        Ok(())
    }
}

// As text, because a JSON value would be sent as `jsonb`, which rejects an escaped NUL.
fn text(column: &'static str, session: SessionId, value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::corrupt("todo_lists", column, session.0, error))
}
