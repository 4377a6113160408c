//! A session as it was at a moment, read without a lock: what is decided on it is written only with its proofs.

use super::state::SessionState;
use crate::domain::id::{Seq, SessionId};
use crate::domain::trigger::Recent;
use crate::store::base::settings_over;
use crate::store::compressions::{Job, Span};
use crate::store::outlines::{Outline, OutlineColumns};
use crate::store::sessions::RowProof;
use crate::store::{Store, StoreError};

/// A session, with the transactions that wrote its row and its tenant's.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) state: SessionState,
    /// Every message after `after` and the system prompt.
    pub(super) outlines: Vec<Outline>,
    pub(super) after: Seq,
    pub(super) proof: RowProof,
    pub(super) tenant_proof: RowProof,
}

/// A session as the database has it.
pub(super) struct Row {
    pub(super) settings: serde_json::Value,
    pub(super) defaults: serde_json::Value,
    pub(super) accounting: serde_json::Value,
    pub(super) recent: Option<String>,
    pub(super) head_seq: Seq,
    pub(super) anchor_seq: Seq,
    /// After which message the messages were read.
    pub(super) after_seq: Seq,
    pub(super) version: Option<i64>,
    pub(super) last_version: i64,
    pub(super) context_revision: i64,
    pub(super) proof: i64,
    pub(super) tenant_proof: i64,
    pub(super) seqs: Option<Vec<Seq>>,
    pub(super) roles: Option<Vec<String>>,
    pub(super) are_items: Option<Vec<bool>>,
    pub(super) tokens: Option<Vec<i32>>,
    pub(super) shapes: Option<Vec<Option<String>>>,
    pub(super) keeps: Option<Vec<Option<String>>>,
    pub(super) retrieved: Option<Vec<bool>>,
}

impl Row {
    /// `None` when there is more to it than was looked at.
    pub(super) fn read(self, session: SessionId) -> Result<Option<Known>, StoreError> {
        let corrupt = |column, reason: String| StoreError::corrupt("sessions", column, session.0, reason);
        let settings = settings_over(session, self.settings, self.defaults)?;
        let counts = serde_json::from_value(self.accounting);
        let state = SessionState {
            counts: counts.map_err(|error| corrupt("accounting", error.to_string()))?,
            recent: Recent::read(self.recent.as_deref()).map_err(|e| corrupt("recent", e.to_string()))?,
            head: self.head_seq,
            anchor: self.anchor_seq,
            version: self.version,
            last_version: self.last_version,
            revision: self.context_revision + settings.wide_revision(),
            settings,
        };
        // The pins are to be read and counted anew.
        if state.counts.pins_revision != state.settings.wide_pins_revision() {
            return Ok(None);
        }
        let newest = self.seqs.as_ref().and_then(|seqs| seqs.last()).copied();
        if newest.unwrap_or(self.after_seq) != state.head {
            return Ok(None);
        }
        let outlines = OutlineColumns {
            // Nothing is read of them here.
            bytes: self.seqs.as_ref().map(|seqs| vec![0; seqs.len()]),
            seqs: self.seqs,
            roles: self.roles,
            are_items: self.are_items,
            tokens: self.tokens,
            shapes: self.shapes,
            keeps: self.keeps,
            retrieved: self.retrieved,
        };
        let outlines = outlines.read_after(session, state.floor())?;
        let proofs = RowProof::read(self.proof).zip(RowProof::read(self.tenant_proof));
        let after = self.after_seq;
        Ok(proofs.map(|(proof, tenant_proof)| Known { state, outlines, after, proof, tenant_proof }))
    }
}

impl Store {
    /// Looks at the session of a job in one statement, which sets the tenant for itself; `None` when it is gone or must
    /// be locked to tell. With a span that is to be published, the messages after it are read, if it still follows the
    /// session's version.
    pub(super) async fn find_known(
        &self,
        job: &Job,
        span: Option<Span>,
    ) -> Result<Option<Known>, StoreError> {
        loop {
            let mut reading = self.reading(job.tenant).await?;
            let read = sqlx::query_as!(
                Row,
                r#"with bound as materialized (
                     select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                   )
                   select s.settings as "settings!", t.settings as "defaults!",
                          s.accounting as "accounting!", s.recent, s.head_seq as "head_seq!",
                          s.anchor_seq as "anchor_seq!", s.after_seq as "after_seq!", s.version,
                          s.last_version as "last_version!", s.context_revision as "context_revision!",
                          s.proof as "proof!", t.proof as "tenant_proof!",
                          tail.seqs, tail.roles, tail.are_items, tail.tokens, tail.shapes as "shapes: Vec<Option<String>>",
                          tail.keeps as "keeps: Vec<Option<String>>", tail.retrieved
                   from bound
                   cross join lateral (
                     select x.id, x.settings, x.accounting, x.recent, x.head_seq, x.anchor_seq, x.version, x.last_version,
                            x.context_revision, x.xmin::text::bigint as proof,
                            case when $3::bigint is null or x.version is distinct from $4::bigint then x.anchor_seq
                                 else $3 end as after_seq
                     from sessions x where x.tenant_id = bound.tenant_id and x.id = $2 limit 1
                   ) s
                   cross join lateral (
                     select x.settings, x.xmin::text::bigint as proof from tenants x where x.id = bound.tenant_id limit 1
                   ) t
                   cross join lateral (
                     select array_agg(m.seq order by m.seq) as seqs, array_agg(m.role order by m.seq) as roles,
                            array_agg(m.format = 'openai-responses' order by m.seq) as are_items,
                            array_agg(m.tokens order by m.seq) as tokens, array_agg(m.shape order by m.seq) as shapes,
                            array_agg(m.keep order by m.seq) as keeps,
                            array_agg(coalesce(m.component = 'retrieved_documents', false) order by m.seq) as retrieved
                     from messages m
                     where m.tenant_id = bound.tenant_id and m.session_id = s.id and m.seq > s.after_seq
                   ) tail"#,
                job.tenant.0,
                job.session.0,
                span.map(|span| span.through_seq),
                span.and_then(|span| span.parent_version),
            )
            .fetch_all(reading.connection())
            .await;
            if let Some(mut rows) = reading.settle(read)? {
                return rows.pop().map(|row| row.read(job.session)).transpose().map(Option::flatten);
            }
        }
    }
}
