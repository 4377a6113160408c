//! Messages without their bodies: what counting, grouping and masking read.

use sqlx::PgConnection;

use super::StoreError;
use crate::domain::accounting::Counted;
use crate::domain::id::{Seq, SessionId, TenantId};
use crate::domain::mask::{Keep, Marks};
use crate::domain::message::Role;
use crate::domain::shape::{AsShape, Shape};

/// What is known of a message without its body.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Its position.
    pub seq: Seq,
    /// Who speaks.
    pub role: Role,
    /// It is an item of the responses API.
    pub is_item: bool,
    /// Its tokens.
    pub tokens: u32,
    /// What grouping and masking need of it.
    pub shape: Option<Shape>,
    /// The caller's mark.
    pub keep: Option<Keep>,
    /// The caller marked it as a retrieved document.
    pub retrieved: bool,
    /// Bytes of its body.
    pub bytes: u64,
}

impl AsShape for Outline {
    fn seq(&self) -> Seq {
        self.seq
    }
    fn role(&self) -> Role {
        self.role
    }
    fn is_item(&self) -> bool {
        self.is_item
    }
    fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }
}

impl Outline {
    /// What counting needs of the message.
    #[must_use]
    pub fn counted(&self) -> Counted {
        let bytes = u32::try_from(self.bytes).unwrap_or(u32::MAX);
        let counted = Counted::of(self.seq, self.role, self.tokens, self.shape.as_ref(), self.retrieved);
        Counted { bytes, is_item: self.is_item, ..counted }
    }
}

/// The callers' marks of a run of messages.
#[must_use]
pub fn marks(outlines: &[Outline]) -> Marks {
    outlines.iter().filter_map(|outline| Some((outline.seq, outline.keep?))).collect()
}

/// An outline as the database has it, before its words and shape are read.
struct RawOutline {
    seq: Seq,
    role: String,
    is_item: bool,
    tokens: i32,
    shape: Option<String>,
    keep: Option<String>,
    retrieved: Option<bool>,
    bytes: i32,
}

/// Outlines column by column, as a statement that reads more than them has them in one row; nothing where there
/// are none.
pub(super) struct OutlineColumns {
    pub(super) seqs: Option<Vec<Seq>>,
    pub(super) roles: Option<Vec<String>>,
    pub(super) are_items: Option<Vec<bool>>,
    pub(super) tokens: Option<Vec<i32>>,
    pub(super) shapes: Option<Vec<Option<String>>>,
    pub(super) keeps: Option<Vec<Option<String>>>,
    pub(super) retrieved: Option<Vec<bool>>,
    pub(super) bytes: Option<Vec<i32>>,
}

impl OutlineColumns {
    /// The outlines of those messages that stand after a position.
    pub(super) fn read_after(self, session: SessionId, after: Seq) -> Result<Vec<Outline>, StoreError> {
        let columns = self
            .seqs
            .unwrap_or_default()
            .into_iter()
            .zip(self.roles.unwrap_or_default())
            .zip(self.are_items.unwrap_or_default())
            .zip(self.tokens.unwrap_or_default())
            .zip(self.shapes.unwrap_or_default())
            .zip(self.keeps.unwrap_or_default())
            .zip(self.retrieved.unwrap_or_default())
            .zip(self.bytes.unwrap_or_default());
        let rows = columns.map(|(((((((seq, role), is_item), tokens), shape), keep), retrieved), bytes)| {
            RawOutline { seq, role, is_item, tokens, shape, keep, retrieved: Some(retrieved), bytes }
        });
        read_all(session, rows.filter(|row| row.seq > after).collect())
    }
}

/// The outlines of every message after a position, ascending.
pub(super) async fn outlines_after(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
    after: Seq,
) -> Result<Vec<Outline>, StoreError> {
    let rows = sqlx::query_as!(
        RawOutline,
        r#"select seq, role, format = 'openai-responses' as "is_item!", tokens, shape, keep,
                  component = 'retrieved_documents' as retrieved, m.original_bytes as "bytes!"
           from messages m where tenant_id = $1 and session_id = $2 and seq > $3 order by seq"#,
        tenant.0,
        session.0,
        after,
    )
    .fetch_all(connection)
    .await?;
    read_all(session, rows)
}

/// The outlines of at most `limit` messages after a position and up to another, ascending.
pub(super) async fn outlines_within(
    connection: &mut PgConnection,
    (tenant, session): (TenantId, SessionId),
    (after, through): (Seq, Seq),
    limit: i64,
) -> Result<Vec<Outline>, StoreError> {
    let rows = sqlx::query_as!(
        RawOutline,
        r#"select seq, role, format = 'openai-responses' as "is_item!", tokens, shape, keep,
                  component = 'retrieved_documents' as retrieved, m.original_bytes as "bytes!"
           from messages m where tenant_id = $1 and session_id = $2 and seq > $3 and seq <= $4 order by seq limit $5"#,
        tenant.0,
        session.0,
        after,
        through,
        limit,
    )
    .fetch_all(connection)
    .await?;
    read_all(session, rows)
}

fn read_all(session: SessionId, rows: Vec<RawOutline>) -> Result<Vec<Outline>, StoreError> {
    let mut outlines = Vec::with_capacity(rows.len());
    for row in rows {
        let corrupt = |column, reason: String| {
            StoreError::corrupt("messages", column, format!("{} {}", session.0, row.seq), reason)
        };
        let shape = row.shape.as_deref().map(serde_json::from_str).transpose();
        outlines.push(Outline {
            seq: row.seq,
            role: Role::parse(&row.role).ok_or_else(|| corrupt("role", "unknown word".to_owned()))?,
            is_item: row.is_item,
            tokens: u32::try_from(row.tokens).map_err(|error| corrupt("tokens", error.to_string()))?,
            shape: shape.map_err(|error| corrupt("shape", error.to_string()))?,
            keep: match row.keep.as_deref() {
                Some("always") => Some(Keep::Always),
                Some("never") => Some(Keep::Never),
                Some(_) => return Err(corrupt("keep", "unknown word".to_owned())),
                None => None,
            },
            retrieved: row.retrieved.unwrap_or_default(),
            bytes: u64::try_from(row.bytes).unwrap_or_default(),
        });
    }
    Ok(outlines)
}
