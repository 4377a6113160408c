//! Finds the message that contains an offloaded tool output.

use super::{Store, StoreError};
use anchord_messages::id::{Seq, SessionId, SessionName, TenantId};

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
        session: &SessionName,
        reference: &str,
    ) -> Result<Option<ToolOutputSource>, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let found = sqlx::query_as!(
            ToolOutputSource,
            r#"select s.id as "session: SessionId", s.task_id, m.seq, o.ordinal, m.format, m.body
             from sessions s
             join tool_outputs o on o.tenant_id = s.tenant_id and o.session_id = s.id
             join messages m on m.tenant_id = s.tenant_id and m.session_id = s.id and m.seq = o.seq
             where s.tenant_id = $1 and s.name = $2 and o.reference = $3"#,
            tenant.0,
            session.as_str(),
            reference
        )
        .fetch_optional(&mut *tx)
        .await?;
        Ok(found)
    }
}
