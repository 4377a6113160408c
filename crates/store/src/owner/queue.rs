//! The state of the queue, for metrics.

use crate::compressions::{Kind, QueueState};
use crate::prelude::*;

impl Store {
    /// Counts the waiting and the running jobs, over all tenants.
    pub async fn queue_state(&self) -> Result<Vec<QueueState>> {
        let rows = sqlx::query!(
            r#"select live.kind as "kind!", live.status as "status!", count(*) as "jobs!",
                      extract(epoch from now() - min(live.due_at) filter (where live.status = 'queued'
                                                                          and live.due_at <= now()))::double precision
                        as oldest_due_seconds
               from (
                 select c.kind, c.status, c.due_at from compressions c where c.status = 'queued'
                 union all
                 select c.kind, c.status, c.due_at from compressions c where c.status = 'running'
               ) live
               group by live.kind, live.status"#
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        let state = rows.into_iter().filter_map(|row| {
            // Skip a kind that only a newer version of the service has.
            let kind = row.kind.parse::<Kind>().ok()?;
            Some(QueueState {
                kind,
                status: row.status,
                jobs: row.jobs,
                oldest_due_seconds: row.oldest_due_seconds,
            })
        });
        Ok(state.collect())
    }
}
