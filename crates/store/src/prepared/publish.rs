//! Publishes the version that is prepared for a session, if it still fits.

use crate::connection::PgConnection;

use crate::StoreError;
use crate::candidate::StoredCandidate;
use crate::figures::Figures;
use crate::job::{Job, Kind};
use crate::prepared::supersede;
use crate::settle::{self, Prepared};
use anchord_messages::id::{CompressionId, SessionId, TenantId};
use anchord_session::compression::{Request, Span};
use anchord_session::signal::SignalKind;
use anchord_session::trigger::Start;

/// A prepared version that was published.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    /// The compression that made it.
    pub(crate) id: CompressionId,
    /// The metrics to record after the commit.
    pub(crate) figures: Figures,
}

/// Publishes the prepared version when it is valid and sufficient for the compression that is due. Otherwise ends it
/// as superseded, so that a new compression can do better. `None` when nothing was published. The caller holds the
/// session's lock.
pub(crate) async fn publish(
    connection: &mut PgConnection,
    (tenant, session): (TenantId, SessionId),
    (start, coming_tokens): (&Start, u64),
) -> Result<Option<Published>, StoreError> {
    // The candidate was not checked with a probe that the caller has added since.
    let Some(row) = sqlx::query!(
        r#"select p.compression_id, p.parent_version, p.context_revision, p.through_seq, p.candidate,
                  c.trigger, c.attempt,
                  exists (select from probes x
                          where x.tenant_id = $1 and x.session_id = $2 and x.source = 'caller'
                            and x.created_at >= c.started_at) as "is_unasked!"
           from prepared_versions p
           join compressions c on c.tenant_id = $1 and c.id = p.compression_id and c.status = 'prepared'
           where p.tenant_id = $1 and p.session_id = $2"#,
        tenant.0,
        session.0,
    )
    .fetch_optional(&mut *connection)
    .await?
    else {
        return Ok(None);
    };
    let id = CompressionId(row.compression_id);
    let kept: StoredCandidate = serde_json::from_str(&row.candidate)
        .map_err(|error| StoreError::corrupt("prepared_versions", "candidate", id, error))?;
    let span =
        Span { parent_version: row.parent_version, from_seq: kept.from_seq, through_seq: row.through_seq };
    let is_short = start.kind == SignalKind::TaskBoundary && span.through_seq < start.through_seq;
    if row.is_unasked || is_short {
        supersede(connection, tenant, session).await?;
        return Ok(None);
    }
    let job = Job {
        tenant,
        session,
        id,
        kind: Kind::Compress,
        trigger: row.trigger,
        request: Request::default(),
        attempt: row.attempt,
        crashes: 0,
        span: Some(span),
        queued_ms: 0,
        trace: None,
    };
    let StoredCandidate { version, evaluation, report, .. } = kept;
    let figures = Figures::of(&report, false);
    let made = Prepared { job: &job, span, revision: row.context_revision, coming_tokens };
    let is_published = settle::publish_prepared(connection, made, (version, evaluation, report)).await?;
    if !is_published {
        supersede(connection, tenant, session).await?;
    }
    Ok(is_published.then_some(Published { id, figures }))
}
