//! Probes: questions that every later version of a summary must be able to answer.

use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::auth::{Reader, Writer};
use super::idempotency::{Claim, IdempotencyKey, KeptReply};
use super::json::{Json, Reply};
use super::paging::{Page, PageQuery, Paging};
use super::params::{Path, Query, SessionPath};
use super::problem::{ApiError, Resource};
use super::state::AppState;
use anchord_facts::redact::redact;
use anchord_messages::id::ProbeId;
use anchord_record::probe::{Match, MatchFields, Probe, ProbeKind};
use anchord_store::probes::{self, ProbeRow};
use anchord_store::{StoreError, sessions};

/// The most probes that a caller may have in a session: each is asked after every compression.
pub(super) const MAX_CALLERS: i64 = 100;
/// Bounds of a probe's texts.
const MAX_QUESTION_CHARS: usize = 1_000;
const MAX_EXPECTED: usize = 20;
pub(super) const MAX_EXPECTED_CHARS: usize = 1_000;

/// A probe of the caller's own.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({
    "kind": "recall", "question": "Which port does the staging server use?", "expected": ["8443"], "critical": true
})))]
#[schema(as = CreateProbe)]
pub struct NewProbe {
    /// The subject of the question.
    kind: ProbeKind,
    /// The question.
    #[schema(min_length = 1, max_length = 1000, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    question: String,
    /// The facts that the answer must hold, as the summary has to show them.
    #[schema(min_items = 1, max_items = 20)]
    expected: Vec<String>,
    /// How many of them it needs. Default `{"kind": "all"}`.
    #[serde(default, rename = "match")]
    mode: Option<MatchFields>,
    /// Whether the facts match to the letter, like paths and identifiers. Default false.
    #[serde(default)]
    exact: bool,
    /// Whether a version that fails it is refused. Default false.
    #[serde(default)]
    critical: bool,
}

/// Where a probe comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeSource {
    /// The service, from a span.
    Generated,
    /// A model, from the messages of a span: a question of an exam.
    Exam,
    /// The caller.
    Caller,
}

/// A probe of a session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionProbe {
    /// Its id.
    pub id: ProbeId,
    /// Where it comes from.
    pub source: ProbeSource,
    /// The version whose span it came from; null for a caller's.
    #[schema(required = true)]
    pub version: Option<i64>,
    /// The version that retired it; null while it is in use.
    #[schema(required = true)]
    pub retired_in_version: Option<i64>,
    /// The question and its expected facts.
    #[serde(flatten)]
    pub probe: Probe,
    /// When it was created.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
}

impl TryFrom<ProbeRow> for SessionProbe {
    type Error = StoreError;

    fn try_from(row: ProbeRow) -> Result<Self, StoreError> {
        let probe: Probe = serde_json::from_str(&row.probe)
            .map_err(|error| StoreError::corrupt("probes", "probe", row.id, error))?;
        let source = match row.source.as_str() {
            "caller" => ProbeSource::Caller,
            _ if probe.is_exam() => ProbeSource::Exam,
            _ => ProbeSource::Generated,
        };
        Ok(Self {
            id: row.id,
            source,
            version: row.version,
            retired_in_version: row.retired_in_version,
            probe,
            created_at: row.created_at,
        })
    }
}

/// Lists a session's probes, oldest first, retired ones included.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/probes", tag = "probes", operation_id = "probes.list", params(SessionPath, PageQuery),
    responses((status = 200, body = Page<SessionProbe>, description = "A page of probes."))
)]
pub async fn list_probes(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<SessionProbe>>, ApiError> {
    let scope = format!("probes {}", path.session_id);
    let paging = Paging::<ProbeId>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let session = sessions::find(&mut tx, caller.tenant, &path.session_id).await?;
    let session = session.ok_or(ApiError::NotFound(Resource::Session))?;
    let rows = probes::list(&mut tx, (caller.tenant, session.id), paging.after, paging.rows()).await?;
    tx.commit().await?;
    let items = rows.into_iter().map(SessionProbe::try_from).collect::<Result<Vec<_>, _>>()?;
    Ok(Reply(paging.page(items, |probe| probe.id, |probe| probe)))
}

/// Adds a probe of the caller's own; it is asked after every later compression.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/probes", tag = "probes", operation_id = "probes.create", params(SessionPath),
    request_body = NewProbe,
    responses((status = 201, body = SessionProbe, description = "The probe."))
)]
pub async fn create_probe(
    Writer(caller): Writer,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
    key: IdempotencyKey,
    body: Json<NewProbe>,
) -> Result<KeptReply, ApiError> {
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = match key.claim(&state.store, &mut tx, &caller, body.digest).await? {
        Claim::Replay(reply) => return Ok(reply),
        Claim::First(claimed) => claimed,
    };
    let probe = body.value.checked()?;
    let session = sessions::lock(&mut tx, caller.tenant, &path.session_id).await?;
    let session = session.ok_or(ApiError::NotFound(Resource::Session))?;
    if probes::count_callers(&mut tx, caller.tenant, session.id).await? >= MAX_CALLERS {
        let detail = format!("a session has at most {MAX_CALLERS} probes of the caller's own");
        return Err(ApiError::refused("", detail));
    }
    let text = serde_json::to_string(&probe).map_err(ApiError::internal)?;
    let row = probes::insert_callers(&mut tx, (caller.tenant, session.id), text).await?;
    let reply = KeptReply::json(StatusCode::CREATED, &SessionProbe::try_from(row)?)?;
    claimed.keep(&state.store, &mut tx, Some(session.id), &reply).await?;
    tx.commit().await?;
    Ok(reply)
}

impl From<Probe> for NewProbe {
    fn from(probe: Probe) -> Self {
        let Probe { kind, question, expected, mode, exact, critical, .. } = probe;
        Self { kind, question, expected, mode: Some(mode.into()), exact, critical }
    }
}

impl NewProbe {
    pub(super) fn checked(self) -> Result<Probe, ApiError> {
        check_text("/question", &self.question, MAX_QUESTION_CHARS)?;
        if !(1..=MAX_EXPECTED).contains(&self.expected.len()) {
            return Err(ApiError::invalid("/expected", format!("must have 1 to {MAX_EXPECTED} facts")));
        }
        for (index, fact) in self.expected.iter().enumerate() {
            check_text(&format!("/expected/{index}"), fact, MAX_EXPECTED_CHARS)?;
        }
        let mode = self.mode.map_or(Ok(Match::All), Match::try_from);
        let mode = mode.map_err(|detail| ApiError::invalid("/match/ratio", detail))?;
        if let Match::Ratio(share) = mode
            && !(share > 0.0 && share <= 1.0)
        {
            return Err(ApiError::invalid("/match/ratio", "must be above 0 and at most 1"));
        }
        Ok(Probe {
            kind: self.kind,
            question: redact(&self.question).into_owned(),
            expected: self.expected.iter().map(|fact| redact(fact).into_owned()).collect(),
            mode,
            section: None,
            exact: self.exact,
            critical: self.critical,
            seqs: Vec::new(),
            reference: None,
        })
    }
}

fn check_text(pointer: &str, text: &str, most: usize) -> Result<(), ApiError> {
    if text.trim().is_empty() || text.contains('\0') || text.chars().count() > most {
        let detail = format!("must have 1 to {most} characters, not all blank, and no NUL");
        return Err(ApiError::invalid(pointer, detail));
    }
    Ok(())
}
