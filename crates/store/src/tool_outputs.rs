//! Finds the message that contains an offloaded tool output.

use super::{Store, StoreError};
use anchord_messages::id::{Seq, SessionId, SessionRef, TenantId};

/// The message that contains a tool output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutputSource {
    /// The session.
    pub session: SessionId,
    /// Its task.
    pub task_id: Option<String>,
    /// The message's position.
    pub seq: Seq,
    /// Which of the message's tool results it is, from 0.
    pub ordinal: i32,
    /// The conversation format of the message.
    pub format: String,
    /// The message's JSON text.
    pub body: String,
}

impl Store {
    /// Finds a tool output of one session by its reference; `None` when the session has none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_tool_output(
        &self,
        tenant: TenantId,
        session: &SessionRef,
        reference: &str,
    ) -> Result<Option<ToolOutputSource>, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let found = sqlx::query_as!(
            ToolOutputSource,
            r#"select s.id as "session: SessionId", root.task_id, m.seq, o.ordinal, m.format, m.body
             from sessions s
             join sessions root on root.tenant_id = $1 and root.id = coalesce(s.root_id, s.id)
             cross join lineage($1, s.id, 1, s.head_seq) owner
             join tool_outputs o on o.tenant_id = $1 and o.session_id = owner.session_id
             join messages m on m.tenant_id = $1 and m.session_id = o.session_id and m.seq = o.seq
             where s.tenant_id = $1 and s.id = find_session($1, $2, $3) and o.reference = $4
               and o.seq between owner.first_seq and owner.last_seq
             order by o.seq limit 1"#,
            tenant.0,
            session.name.as_str(),
            session.branch_str(),
            reference
        )
        .fetch_optional(&mut *tx)
        .await?;
        Ok(found)
    }
}
