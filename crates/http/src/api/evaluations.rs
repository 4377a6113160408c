//! Evaluations: the results of the probes of a session for a version. A worker runs them.

use crate::api::compressions::{self, Compression};
use crate::api::prelude::*;
use crate::extract::prefer::Wait;
use anchord_messages::id::{CompressionId, EvaluationId};
use anchord_record::probe::{ProbeResult, Scores};
use anchord_record::rubric::Rubric;
use anchord_session::compression::{MANUAL, Request, Status};
use anchord_store::compressions::{self as jobs, Kind as JobKind, NewJob};
use anchord_store::probes::{self, EvaluationRow};
use anchord_store::{bounds, summaries};

session_path! {
    /// The path of one evaluation.
    EvaluationPath {
        /// The evaluation's id.
        #[param(inline)]
        evaluation_id: EvaluationId,
    }
}

/// The version to evaluate.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(examples(json!({}), json!({"version": 3})), as = CreateEvaluation)]
pub struct NewEvaluation {
    /// The version. Default: the current one.
    #[schema(minimum = 1)]
    version: Option<i64>,
}

/// One run of the probes against a version, or against a candidate that was refused.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Evaluation {
    /// Its id.
    pub id: EvaluationId,
    /// The version; null for a candidate that was refused.
    #[schema(required = true)]
    pub version: Option<i64>,
    /// The compression or evaluation job that made it.
    #[schema(required = true)]
    pub compression_id: Option<CompressionId>,
    /// The figures.
    #[serde(flatten)]
    pub scores: Scores,
    /// The scores of the judge model; null without a judge, or when it did not answer.
    #[schema(required = true)]
    pub rubric: Option<Rubric>,
    /// When it was created.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
}

/// The figures as they are stored.
#[derive(Deserialize)]
pub(crate) struct StoredScores {
    #[serde(flatten)]
    scores: Scores,
    rubric: Option<Rubric>,
}

/// One run of the probes, probe by probe.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EvaluationDetail {
    /// The run.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// Probe by probe.
    pub results: Vec<ProbeResult>,
}

impl TryFrom<EvaluationRow> for Evaluation {
    type Error = StoreError;

    fn try_from(row: EvaluationRow) -> Result<Self, StoreError> {
        let StoredScores { scores, rubric } = serde_json::from_str(&row.scores)
            .map_err(|error| StoreError::corrupt("evaluations", "scores", row.id, error))?;
        Ok(Self {
            id: row.id,
            version: row.version,
            compression_id: row.compression_id,
            scores,
            rubric,
            created_at: row.created_at,
        })
    }
}

impl TryFrom<EvaluationRow> for EvaluationDetail {
    type Error = StoreError;

    fn try_from(row: EvaluationRow) -> Result<Self, StoreError> {
        let results = serde_json::from_str(&row.results)
            .map_err(|error| StoreError::corrupt("evaluations", "results", row.id, error))?;
        Ok(Self { evaluation: row.try_into()?, results })
    }
}

/// Lists a session's evaluations, newest first, without their verdicts.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/evaluations", tag = "evaluations", operation_id = "evaluations.list", params(SessionPath, PageQuery),
    responses((status = 200, body = Page<Evaluation>, description = "A page of evaluations."))
)]
pub async fn list_evaluations(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<Evaluation>>> {
    let scope = format!("evaluations {}", path.session_id);
    let paging = Paging::<EvaluationId>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let session = caller.find_session(&mut tx, &path.session_id).await?;
    let rows =
        probes::list_evaluations(&mut tx, session.id.of(caller.tenant), paging.after, paging.rows()).await?;
    tx.commit().await?;
    let items = rows.into_iter().map(Evaluation::try_from).collect::<Result<Vec<_>, _>>()?;
    Ok(Reply(paging.page(items, |evaluation| evaluation.id)))
}

/// Reads one evaluation, probe by probe.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/evaluations/{evaluation_id}", tag = "evaluations", operation_id = "evaluations.get", params(EvaluationPath),
    responses((status = 200, body = EvaluationDetail, description = "The evaluation."))
)]
pub async fn find_evaluation(
    Reader { caller, state }: Reader,
    Path(path): Path<EvaluationPath>,
) -> Result<Reply<EvaluationDetail>> {
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let session = caller.find_session(&mut tx, &path.session_id).await?;
    let id = Some(path.evaluation_id);
    let row = probes::find_evaluation(&mut tx, session.id.of(caller.tenant), id, None).await?;
    tx.commit().await?;
    Ok(Reply(row.or_missing(Kind::EvaluationNotFound)?.try_into()?))
}

/// Evaluates a version now.
///
/// The work is a job of kind `evaluate` among the session's compressions; with `Prefer: wait` the reply
/// is the evaluation itself as soon as it is there.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/evaluations", tag = "evaluations", operation_id = "evaluations.create",
    params(SessionPath, Wait), request_body = Option<NewEvaluation>,
    responses(
        (status = 200, body = EvaluationDetail, description = "It ended within the time that `Prefer: wait` allows.",
         headers(("Location" = String, description = "Where the evaluation is."),
                 ("Preference-Applied" = String, description = "The wait that was honoured."))),
        (status = 202, body = Compression, description = "It waits, runs, or ended without a result; read the job at `Location`.",
         headers(("Location" = String, description = "Where the job is."),
                 ("Preference-Applied" = String, description = "The wait that was honoured."))),
        (status = 404, body = Problem, content_type = "application/problem+json",
         description = "No such session or version, or no version yet (`/problems/no-summary`).")
    )
)]
pub async fn create_evaluation(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    (key, wait): (IdempotencyKey, Wait),
    body: OptionalJson<NewEvaluation>,
) -> Result<KeptReply> {
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?);
    let session = caller.lock_session(&mut tx, &path.session_id).await?;
    let version = body.value.version.or(session.version).ok_or(ApiError::NoSummary)?;
    if summaries::find_unread(&mut tx, session.id.of(caller.tenant), version).await?.is_none() {
        return Err(ApiError::NotFound(Kind::VersionNotFound));
    }
    let request = Request { version: Some(version), ..Request::default() };
    let job = NewJob { kind: JobKind::Evaluate, trigger: MANUAL, request: &request };
    let job = jobs::enqueue(&mut tx, session.id.of(caller.tenant), job).await?;
    bounds::require_job_room(&mut tx, session.id.of(caller.tenant)).await?;
    let row = jobs::find(&mut tx, session.id.of(caller.tenant), job.id).await?;
    let row =
        row.ok_or_else(|| ApiError::internal(anyhow::anyhow!("an enqueued evaluation is not there")))?;
    let started = compressions::reply(&session, row, (&path.session_id, &wait))?;
    claimed.keep(&state.store, &mut tx, Some(session.id), &started).await?;
    tx.commit().await?;

    let Some(ended) = compressions::wait_for(&state, &caller, session.id, (job.id, &wait)).await? else {
        return Ok(started);
    };
    let mut tx = state.store.begin(caller.tenant).await?;
    let row = if ended.status == Status::Succeeded {
        probes::find_evaluation(&mut tx, session.id.of(caller.tenant), None, Some(job.id)).await?
    } else {
        None
    };
    let reply = if let Some(row) = row {
        let location = params::path_of(&session, &path.session_id, &format!("/evaluations/{}", row.id));
        let reply = KeptReply::json(StatusCode::OK, &EvaluationDetail::try_from(row)?)?;
        wait.on(reply.with(&header::LOCATION, location))
    } else {
        compressions::reply(&session, ended, (&path.session_id, &wait))?.at(StatusCode::ACCEPTED)
    };
    tx.commit().await?;
    claimed.keep_later(&state.store, session.id, &reply).await;
    Ok(reply)
}
