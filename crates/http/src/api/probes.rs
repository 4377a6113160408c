//! Probes: questions that every later version of a summary must be able to answer.

use crate::api::prelude::*;
use anchord_facts::redact::redact;
use anchord_messages::id::ProbeId;
use anchord_record::probe::{Match, MatchFields, Probe, ProbeKind};
use anchord_store::Tx;
use anchord_store::probes::{self, CALLER, MAX_CALLERS, ProbeRow};

/// Bounds of a probe's texts.
const MAX_QUESTION_CHARS: usize = 1_000;
const MAX_EXPECTED: usize = 20;
pub(crate) const MAX_EXPECTED_CHARS: usize = 1_000;

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
    /// Whether a version that fails it is refused. Default false: then it is told in the version's warnings and the
    /// compression's flags. Either way, what the compressed messages answer is added to the summary.
    #[serde(default)]
    critical: bool,
}

/// A change of a probe of the caller's own; what is absent stays.
#[expect(clippy::option_option, reason = "an absent field keeps its value, and null resets it")]
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"expected": ["9443"], "critical": false})), as = ProbePatch)]
pub struct ProbeUpdate {
    /// The subject of the question.
    kind: Option<ProbeKind>,
    /// The question.
    #[schema(min_length = 1, max_length = 1000, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    question: Option<String>,
    /// The facts that the answer must hold, in place of those before.
    #[schema(min_items = 1, max_items = 20)]
    expected: Option<Vec<String>>,
    /// How many of them it needs; null for all.
    #[serde(default, rename = "match", deserialize_with = "anchord_messages::patch::present")]
    #[schema(value_type = Option<MatchFields>)]
    mode: Option<Option<MatchFields>>,
    /// Whether the facts match to the letter, like paths and identifiers; null for false.
    #[serde(default, deserialize_with = "anchord_messages::patch::present")]
    #[schema(value_type = Option<bool>)]
    exact: Option<Option<bool>>,
    /// Whether a version that fails it is refused; null for false.
    #[serde(default, deserialize_with = "anchord_messages::patch::present")]
    #[schema(value_type = Option<bool>)]
    critical: Option<Option<bool>>,
}

impl ProbeUpdate {
    fn of(self, probe: Probe) -> NewProbe {
        let before = NewProbe::from(probe);
        NewProbe {
            kind: self.kind.unwrap_or(before.kind),
            question: self.question.unwrap_or(before.question),
            expected: self.expected.unwrap_or(before.expected),
            mode: self.mode.unwrap_or(before.mode),
            exact: self.exact.map_or(before.exact, Option::unwrap_or_default),
            critical: self.critical.map_or(before.critical, Option::unwrap_or_default),
        }
    }
}

session_path! {
    /// The path of a probe.
    ProbePath {
        /// The probe's id.
        #[param(inline)]
        probe_id: ProbeId,
    }
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
            CALLER => ProbeSource::Caller,
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
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<SessionProbe>>> {
    let scope = format!("probes {}", path.session_id);
    let paging = Paging::<ProbeId>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let session = caller.find_session(&mut tx, &path.session_id).await?;
    let rows = probes::list(&mut tx, session.id.of(caller.tenant), paging.after, paging.rows()).await?;
    tx.commit().await?;
    let items = rows.into_iter().map(SessionProbe::try_from).collect::<Result<Vec<_>, _>>()?;
    Ok(Reply(paging.page(items, |probe| probe.id)))
}

/// Adds a probe of the caller's own; it is asked after every later compression until it is removed.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/probes", tag = "probes", operation_id = "probes.create", params(SessionPath),
    request_body = NewProbe,
    responses((status = 201, body = SessionProbe, description = "The probe."))
)]
pub async fn create_probe(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    key: IdempotencyKey,
    body: Json<NewProbe>,
) -> Result<KeptReply> {
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?);
    let probe = body.value.checked()?;
    let session = caller.lock_session(&mut tx, &path.session_id).await?;
    if probes::count_callers(&mut tx, session.id.of(caller.tenant)).await? >= MAX_CALLERS {
        let detail = format!("a session has at most {MAX_CALLERS} probes of the caller's own");
        return Err(ApiError::refused("", detail));
    }
    let text = serde_json::to_string(&probe).map_err(ApiError::internal)?;
    let row = probes::insert_callers(&mut tx, session.id.of(caller.tenant), text).await?;
    let reply = KeptReply::json(StatusCode::CREATED, &SessionProbe::try_from(row)?)?;
    claimed.commit(&state.store, tx, Some(session.id), reply).await
}

/// Changes a probe of the caller's own.
///
/// The next version is asked the probe as it is then; results of earlier versions stay as they are.
#[utoipa::path(
    patch, path = "/v1/sessions/{session_id}/probes/{probe_id}", tag = "probes", operation_id = "probes.update",
    params(ProbePath), request_body = ProbeUpdate,
    responses(
        (status = 200, body = SessionProbe, description = "The probe as it is now."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The service made the probe from the messages; only a caller's own can be changed.")
    )
)]
pub async fn change_probe(
    Writer { caller, state }: Writer,
    Path(path): Path<ProbePath>,
    body: Json<ProbeUpdate>,
) -> Result<Reply<SessionProbe>> {
    let (mut tx, key, row) = own_probe(&state, &caller, &path).await?;
    let found = SessionProbe::try_from(row)?;
    let probe = body.value.of(found.probe).checked()?;
    let text = serde_json::to_string(&probe).map_err(ApiError::internal)?;
    probes::replace_callers(&mut tx, key, found.id, text).await?;
    tx.commit().await?;
    Ok(Reply(SessionProbe { probe, ..found }))
}

/// Removes a probe of the caller's own; no later version is asked it.
#[utoipa::path(
    delete, path = "/v1/sessions/{session_id}/probes/{probe_id}", tag = "probes", operation_id = "probes.delete",
    params(ProbePath),
    responses(
        (status = 204, description = "The probe is removed."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The service made the probe from the messages; only a caller's own can be removed.")
    )
)]
pub async fn remove_probe(
    Writer { caller, state }: Writer,
    Path(path): Path<ProbePath>,
) -> Result<StatusCode> {
    let (mut tx, key, row) = own_probe(&state, &caller, &path).await?;
    probes::delete_callers(&mut tx, key, row.id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A probe of the caller's own, under the session's lock.
async fn own_probe(
    state: &AppState,
    caller: &Caller,
    path: &ProbePath,
) -> Result<(Tx, SessionKey, ProbeRow)> {
    let mut tx = state.store.begin(caller.tenant).await?;
    let session = caller.lock_session(&mut tx, &path.session_id).await?;
    let key = session.id.of(caller.tenant);
    let row = probes::find(&mut tx, key, path.probe_id).await?.or_missing(Kind::ProbeNotFound)?;
    if row.source != CALLER {
        let detail = "the service made this probe from the messages; only a caller's own can be changed";
        return Err(ApiError::Conflict(detail.to_owned()));
    }
    Ok((tx, key, row))
}

impl From<Probe> for NewProbe {
    fn from(probe: Probe) -> Self {
        let Probe { kind, question, expected, mode, exact, critical, .. } = probe;
        Self { kind, question, expected, mode: Some(mode.into()), exact, critical }
    }
}

impl NewProbe {
    pub(crate) fn checked(self) -> Result<Probe> {
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

fn check_text(pointer: &str, text: &str, most: usize) -> Result<()> {
    if text.trim().is_empty() || text.contains('\0') || text.chars().count() > most {
        let detail = format!("must have 1 to {most} characters, not all blank, and no NUL");
        return Err(ApiError::invalid(pointer, detail));
    }
    Ok(())
}
