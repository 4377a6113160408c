//! Finds the message that contains an offloaded tool output.

use crate::prelude::*;

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
    pub async fn find_tool_output(
        &self,
        tenant: TenantId,
        session: &SessionRef,
        reference: &str,
    ) -> Result<Option<ToolOutputSource>> {
        let mut tx = self.snapshot(tenant).await?;
        let found = sqlx::query_as!(
            ToolOutputSource,
            r#"select s.id as "session: SessionId", root.task_id, m.seq, o.ordinal, m.format, m.body
             from (select find_session($1, $2, $3) as id offset 0) named
             cross join lateral (
               select x.* from sessions x where x.tenant_id = $1 and x.id = named.id limit 1
             ) s
             -- Apart, because under row security a search by an expression does not use the index.
             cross join lateral (select coalesce(s.root_id, s.id) as id offset 0) main
             cross join lateral (
               select x.task_id from sessions x where x.tenant_id = $1 and x.id = main.id limit 1
             ) root
             cross join lateral lineage($1, s.id, 1, s.head_seq) owner
             cross join lateral (
               select x.session_id, x.seq, x.ordinal from tool_outputs x
               where x.tenant_id = $1 and x.session_id = owner.session_id and x.reference = $4
                 and x.seq between owner.first_seq and owner.last_seq
               limit 1
             ) o
             cross join lateral (
               select x.seq, x.format, x.body from messages x
               where x.tenant_id = $1 and x.session_id = o.session_id and x.seq = o.seq limit 1
             ) m
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
