//! How a sync is asked for and answered: what became of the list, and the context to send to the model next.

use std::time::Instant;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde_json::json;

use crate::api::append_reply::{self, AppendPart, with_context};
use crate::api::context::{ContextQuery, ContextView};
use crate::api::prelude::*;
use crate::edge::boundary::RequestId;
use crate::extract::auth::READ;
use crate::extract::params::Words;
use crate::extract::prefer::{Minimal, PREFERENCE_APPLIED};
use anchord_messages::format::Format;
use anchord_messages::format::anthropic::CacheTtl;
use anchord_session::accounting::BriefUsage;
use anchord_session::session::Session;
use anchord_session::trigger::Decision;
use anchord_session::warning::Warning;
use anchord_store::gather::{Included, LiveCompression};

/// The outcome of a sync, the session's state after it, and the context to send to the model next.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SyncResult)]
pub struct Synced {
    /// The session.
    pub session_id: SessionName,
    /// The branch; absent when it is main.
    pub branch: Option<BranchName>,
    /// Position of the first message that was stored now; absent when none was.
    #[schema(required = false, value_type = Seq)]
    pub first_seq: Option<Seq>,
    /// Position of the last message that was stored now; absent when none was.
    #[schema(required = false, value_type = Seq)]
    pub last_seq: Option<Seq>,
    /// Position that the next message will get.
    pub next_seq: Seq,
    /// The format that the new messages were recognised as; only with `include=format`, and absent when the caller stated one, or
    /// they show none.
    #[schema(required = false, value_type = Format)]
    pub format: Option<Format>,
    /// Tokens of the messages that were stored now.
    pub tokens_added: u64,
    /// How full the context is, and whether the window is assumed; with `include=usage` by component.
    pub usage: BriefUsage,
    /// The decision from the signals; with `include=signals` every signal. Absent when no message was stored.
    #[schema(required = false, value_type = Decision)]
    pub decision: Option<Decision>,
    /// The live compression; null when there is none.
    #[schema(required = true)]
    pub compression: Option<LiveCompression>,
    /// Warnings: about the messages that were stored now, as the reply to an append has them; about an assumed window only
    /// with `include=warnings`, and the context has them too. Absent when there are none.
    #[schema(required = false)]
    pub warnings: Vec<Warning>,
    /// The result for the list.
    pub sync: SyncState,
    /// The context to send to the model next: of this list, also when somebody else has added to it.
    #[schema(required = false, value_type = ContextView)]
    pub context: Option<ContextView<'static>>,
    /// Why there is no context. The list is stored all the same.
    #[schema(required = false, value_type = Problem)]
    pub context_problem: Option<Problem>,
}

/// The result for a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SyncState {
    /// The branch that holds exactly this list, and was current at a moment of the sync.
    pub branch: BranchName,
    /// The change of the session.
    pub outcome: Outcome,
    /// How many messages of the list it had already.
    pub common: usize,
    /// How many were stored now.
    pub appended: usize,
}

/// The outcome of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SyncOutcome)]
pub enum Outcome {
    /// The list is the branch.
    Unchanged,
    /// The list goes on where the branch ended.
    Appended,
    /// The list ends before the branch: the session went back.
    WentBack,
    /// The list parts from every branch: a new one was forked.
    Branched,
    /// The list goes on along another branch, which is current again.
    Returned,
}

/// How a sync is answered.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TranscriptQuery {
    /// More parts of the reply: `usage` (the context by component, and advice), `signals` (every signal; those that the
    /// policy does not count are computed of the newest 200 messages), `format` (the format that the messages were
    /// recognised as), `warnings` (about an assumed window, with advice).
    #[param(value_type = Option<Vec<AppendPart>>, inline)]
    pub include: Option<Words<AppendPart>>,
    /// The format of the context; default the session's, which is the list's when that shows one.
    #[param(inline)]
    pub format: Option<Format>,
    /// The most tokens that the context may have; default the effective window.
    #[param(minimum = 1, maximum = 10_000_000)]
    pub max_input_tokens: Option<u32>,
    /// Whether current task, open errors and next steps come once more at the end of the context; default false.
    #[serde(default)]
    pub recap: bool,
    /// Sets marks for Anthropic's cache in the context, as the context itself has them on request.
    #[param(inline)]
    pub cache_control: Option<CacheTtl>,
}

/// How the caller wants its sync to be answered.
#[derive(Clone, Debug)]
pub struct SyncOptions {
    included: Included,
    /// `None` when the caller wants no reply.
    context: Option<ContextQuery>,
    request_id: RequestId,
}

impl<S: Send + Sync> FromRequestParts<S> for SyncOptions {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(query) = Query::<TranscriptQuery>::from_request_parts(parts, state).await?;
        let request_id = parts.extensions.get::<RequestId>().cloned().unwrap_or_default();
        let TranscriptQuery { include, format, max_input_tokens, recap, cache_control } = query;
        let included = append_reply::included(include.as_ref());
        let asked = ContextQuery { format, max_input_tokens, recap, cache_control, ..Default::default() };
        let asked = asked.checked()?;
        let context = (!Minimal::is_wanted(&parts.headers)).then_some(asked);
        Ok(Self { included, context, request_id })
    }
}

/// Refuses a key that may not read the context, before anything is stored.
pub(super) fn authorize(caller: &Caller) -> Result<()> {
    if caller.scopes.iter().any(|scope| scope == READ) { Ok(()) } else { Err(ApiError::Forbidden(READ)) }
}

/// Outcome of a sync.
pub(super) struct Ended {
    /// The branch that holds the list.
    pub(super) of: SessionRef,
    /// The list's last message.
    pub(super) newest: Seq,
    pub(super) state: SyncState,
    /// Fields of an append's reply.
    pub(super) body: Map<String, Value>,
}

impl SyncOptions {
    /// Parts of the reply that the store writes.
    pub(super) fn included(&self) -> Included {
        self.included
    }

    /// Answers a sync that is done.
    pub(super) async fn answer(
        self,
        (state, caller): (&AppState, &Caller),
        ended: Ended,
        started: Instant,
    ) -> Result<Response> {
        let Some(asked) = self.context else {
            return Ok((StatusCode::NO_CONTENT, [(PREFERENCE_APPLIED, Minimal::WRITTEN)]).into_response());
        };
        let Ended { of, newest, state: sync, mut body } = ended;
        body.insert("sync".to_owned(), serde_json::to_value(&sync).map_err(ApiError::internal)?);
        let asked = (asked, Some(newest));
        let body = with_context((state, caller), &of, asked, (body, self.request_id), started).await?;
        Ok((StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], body).into_response())
    }
}

/// Fields of an append's reply, for a session to which nothing was appended.
pub(super) fn unchanged(session: &Session, included: Included) -> Result<Map<String, Value>> {
    let live = session.live.map(|live| LiveCompression { id: live.id, status: live.status });
    let mut body = Map::new();
    body.insert("session_id".to_owned(), session.name.as_str().into());
    if !session.branch.is_main() {
        body.insert("branch".to_owned(), session.branch.as_str().into());
    }
    let fields = json!({
        "next_seq": session.head_seq + 1,
        "tokens_added": 0,
        "usage": session.usage().brief(included.usage),
        "compression": live,
    });
    if let Value::Object(fields) = fields {
        body.extend(fields);
    }
    let warnings: Vec<Warning> = session.warnings().into_iter().map(Warning::in_full).collect();
    if included.warnings && !warnings.is_empty() {
        body.insert("warnings".to_owned(), serde_json::to_value(warnings).map_err(ApiError::internal)?);
    }
    Ok(body)
}
