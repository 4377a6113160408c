//! Serves the context of a session: the messages to send to the model next.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue};
use uuid::Uuid;

use crate::api::compressions::find_session;
use crate::api::prelude::*;
use crate::api::usage::micros;
use crate::served_prefixes::ServedMessages;
use anchord_context::context::{ContextInput, ContextReply, Counted, MaskInput, SummaryInput, assemble};
use anchord_messages::format::Format;
use anchord_messages::format::anthropic::CacheTtl;
use anchord_messages::tokens::TokenCounter;
use anchord_session::accounting::Usage;
use anchord_session::models;
use anchord_session::session::Session;
use anchord_session::settings::MAX_CONTEXT_WINDOW;
use anchord_session::usage::{Kind as UsageKind, UsageDelta};
use anchord_session::warning::Warning;
use anchord_store::context::{ContextSource, FoundPast, Past};
use anchord_store::load::Tries;
use anchord_store::served::{Parameters, Served, ServedTokens};

/// From this many stored bytes, a context is assembled on a background thread, in its tenant's turn.
const LARGE_CONTEXT_BYTES: usize = 1024 * 1024;

/// How to serve a context.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ContextQuery {
    /// The conversation format to serve; default the session's so far, and `openai-chat` in a session whose messages
    /// have shown none.
    pub format: Option<Format>,
    /// The most tokens that the context may have: what may go *into* the model's next call. At most those of the largest
    /// window; default the effective window.
    #[param(minimum = 1, maximum = 10_000_000)]
    pub max_input_tokens: Option<u32>,
    /// The model that gets the context. Without `max_input_tokens` its window and the reserve for its answer decide how many tokens
    /// the context may have; the session keeps its own model, and the tokens are counted as the session counts them.
    #[param(min_length = 1, max_length = 200, example = "gpt-4o")]
    pub model: Option<String>,
    /// Whether current task, open errors and next steps come once more at the end.
    #[serde(default)]
    pub recap: bool,
    /// Sets marks for Anthropic's cache, which then keeps the prompt up to a mark for so long: one at the end of `system`,
    /// which becomes a list of blocks, and one at the end of the stable prefix, when that has a summary. Two of the four
    /// that a request may have remain, for tools and for the newest message. The format is `anthropic` then. Marks in
    /// stored messages are never served.
    #[param(inline)]
    pub cache_control: Option<CacheTtl>,
    /// A summary version to serve in place of the current one. Without `through_seq`: as when it was published. 0, with
    /// `through_seq` alone: without a summary.
    #[param(minimum = 0)]
    pub version: Option<i64>,
    /// The newest message to serve: what the context was when it was the newest. Without `version`: under the version
    /// that was current then. Notes are those that were made before it was answered; settings, the tenant's pins and marks are
    /// always today's, for they have no history, and so are the session's own without `pinned_by`; which outputs were placeholders
    /// is counted once more.
    #[param(value_type = Option<i64>, minimum = 1)]
    pub through_seq: Option<Seq>,
    /// Of an earlier state, with `through_seq` or `version`: leaves out pins of the session and notes that were made, or last changed,
    /// after this moment. One that was removed since is not there either. The current context has all pins, whatever this says.
    pub pinned_by: Option<DateTime<Utc>>,
}

impl ContextQuery {
    /// The same, if its values are within their bounds.
    pub(crate) fn checked(self) -> Result<Self> {
        if self.model.as_deref().is_some_and(|model| !models::is_name(model)) {
            let detail = "must have 1 to 200 characters and no control characters";
            return Err(ApiError::parameter("model", detail));
        }
        if self.max_input_tokens.is_some_and(|most| !(1..=MAX_CONTEXT_WINDOW).contains(&most)) {
            let detail = format!("must be from 1 to {MAX_CONTEXT_WINDOW}");
            return Err(ApiError::parameter("max_input_tokens", detail));
        }
        if self.cache_control.is_some() && self.format.is_some_and(|format| format != Format::Anthropic) {
            let detail =
                "only the format `anthropic` has such marks; other providers cache prefixes without them";
            return Err(ApiError::parameter("cache_control", detail));
        }
        Ok(self)
    }

    /// The query for a session: the budget follows from the model that is named.
    fn of(&self, session: &Session) -> Result<ResolvedQuery> {
        let implied = self.cache_control.map(|_| Format::Anthropic);
        let mut asked = ResolvedQuery {
            format: self.format.or(implied).or(session.accounting.format).unwrap_or_default(),
            max_input_tokens: self.max_input_tokens,
            recap: self.recap,
            version: self.version,
            through_seq: self.through_seq,
            pinned_by: self.pinned_by,
            cache_control: self.cache_control,
            is_model_unknown: false,
        };
        if let Some(model) = &self.model {
            let policy = session.policy_for(model);
            asked.is_model_unknown = policy.is_none();
            if let (Some(policy), None) = (policy, self.max_input_tokens) {
                if policy.effective_window == 0 {
                    let detail = format!(
                        "has a context window of which reserved_output_tokens {} and system_tokens {} of the session leave nothing",
                        policy.reserved_output_tokens, policy.system_tokens
                    );
                    return Err(ApiError::parameter("model", detail));
                }
                asked.max_input_tokens = Some(policy.effective_window);
            }
        }
        Ok(asked)
    }
}

/// A query whose defaults are filled in from a session.
#[derive(Clone, Copy, Debug)]
struct ResolvedQuery {
    format: Format,
    max_input_tokens: Option<u32>,
    recap: bool,
    version: Option<i64>,
    through_seq: Option<Seq>,
    pinned_by: Option<DateTime<Utc>>,
    cache_control: Option<CacheTtl>,
    is_model_unknown: bool,
}

impl ResolvedQuery {
    /// Whether it asks for an earlier state.
    const fn is_past(self) -> bool {
        self.version.is_some() || self.through_seq.is_some()
    }

    /// Whether the context is the session's default one.
    fn is_default(self, session: &Session) -> bool {
        let format = session.accounting.format.unwrap_or_default();
        self.max_input_tokens.is_none()
            && self.format == format
            && !self.recap
            && self.cache_control.is_none()
    }

    /// The same query, of the state at an earlier newest message, if one is named.
    fn through(self, newest: Option<Seq>) -> Self {
        Self { through_seq: newest.or(self.through_seq), ..self }
    }
}

/// An assembled context.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Context)]
pub struct ContextView<'a> {
    /// The context.
    #[serde(flatten)]
    pub context: ContextReply<'a>,
    /// How full a default context is, by component. Where the query asks for no other budget, format or recap, it is of this
    /// very context; else the session's own.
    pub usage: Usage,
    /// Warnings about the window, until it is told; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// Assembles the context: what to send to the model next.
///
/// Always valid for its provider and within its budget, and never waits for a compression. The reply
/// has an `ETag`; send it back as `If-None-Match` to learn that nothing has changed.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/context", tag = "context", operation_id = "context.get",
    params(SessionPath, ContextQuery, ("If-None-Match" = Option<String>, Header, description = "The `ETag` of an earlier reply.")),
    responses(
        (status = 200, body = ContextView, description = "The context.", headers(("ETag" = String, description = "Changes with everything that the context shows."))),
        (status = 304, description = "Nothing has changed since the reply with this `ETag`."),
        (status = 422, body = Problem, content_type = "application/problem+json",
         description = "A parameter cannot be taken, or system prompt, pins and the newest message do not fit the budget (`/problems/budget-too-small`, with `min_tokens`).")
    )
)]
pub async fn find_context(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<ContextQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    let (tag, body) =
        Box::pin(serve(&state, &caller, &path.session_id, (query.checked()?, None), (&headers, None)))
            .await?;
    let Some(body) = body else {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    };
    let kind = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, kind), (header::ETAG, tag)], body).into_response())
}

/// A reply in which a context is served.
#[derive(Serialize)]
struct Within<'a> {
    #[serde(flatten)]
    reply: &'a Map<String, Value>,
    context: ContextView<'a>,
}

/// A context by itself, or in the reply to an append.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown<'a> {
    Alone(ContextView<'a>),
    Within(Within<'a>),
}

/// Assembles a context in the reply to an append, as JSON. With a newest message, what was appended behind it meanwhile is
/// left out.
pub(crate) async fn serve_within(
    state: &AppState,
    caller: &Caller,
    name: &SessionRef,
    asked: (ContextQuery, Option<Seq>),
    reply: Arc<Map<String, Value>>,
) -> Result<Bytes> {
    let (_, body) = Box::pin(serve(state, caller, name, asked, (&HeaderMap::new(), Some(reply)))).await?;
    Ok(body.unwrap_or_default())
}

/// Assembles a context as JSON, with its tag; `None` in its place when the caller knows the tag.
async fn serve(
    state: &AppState,
    caller: &Caller,
    name: &SessionRef,
    (query, newest): (ContextQuery, Option<Seq>),
    (headers, within): (&HeaderMap, Option<Arc<Map<String, Value>>>),
) -> Result<(HeaderValue, Option<Bytes>)> {
    let started = Instant::now();
    let tag_of = |session: &Session, asked| {
        HeaderValue::from_str(&entity_tag(session, asked)).map_err(ApiError::internal)
    };
    // Held until the reply is assembled.
    let mut memory = None;
    let mut tries = Tries::default();
    let (tag, source, asked) = loop {
        let session = find_session(state, caller, name).await?;
        let asked = query.of(&session)?.through(newest.filter(|newest| *newest < session.head_seq));
        if asked.is_past() {
            memory = state.admission.assemblies.take(caller.tenant, most_tokens(&session, asked)).await?;
            let source = find_past(state, caller, name, asked).await?;
            break (tag_of(&source.session, asked)?, Some(source), asked);
        }
        let tag = tag_of(&session, asked)?;
        // The tag names only what is in the session's row, so nothing else has to be read.
        if is_known(headers, &tag) {
            break (tag, None, asked);
        }
        if memory.is_none() {
            memory = state.admission.assemblies.take(caller.tenant, most_tokens(&session, asked)).await?;
        }
        if let Some(source) = state.store.find_context(caller.tenant, session, asked.max_input_tokens).await?
        {
            break (tag, Some(source), asked);
        }
        tries.again().await?;
    };
    let Some(source) = source.filter(|_| !is_known(headers, &tag)) else { return Ok((tag, None)) };
    let counts = &source.session.accounting;
    let whole = counts.appended_tokens.saturating_add(counts.pins_tokens.into());
    let (session, task) = (source.session.id, source.settings.task_id.clone());
    let noted = Served {
        id: Uuid::nil(),
        served_at: state.clock.now(),
        head_seq: source.session.head_seq,
        version: source.session.version,
        parameters: Parameters {
            format: asked.format.as_ref().to_owned(),
            max_input_tokens: budget(&source.session, asked),
            recap: asked.recap,
            cache_control: asked.cache_control.map(|ttl| ttl.as_str().to_owned()),
            context_revision: source.session.served_revision(),
        },
        tokens: ServedTokens::default(),
        sha256: [0; 32],
    };
    let mut warnings = source.session.warnings();
    if asked.is_model_unknown {
        warnings.extend(query.model.as_deref().map(Warning::of_requested_model));
    }
    let Rendered { body, tokens, served } =
        match Box::pin(assembled(caller, source, asked, (warnings, within))).await {
            Err(ApiError::BudgetTooSmall { min_tokens }) if !asked.is_past() => {
                return Err(least_budget(state, caller, name, asked, min_tokens).await?);
            }
            assembled => assembled?,
        };
    drop(memory);
    let tokens = ServedTokens { whole, ..tokens };
    // An earlier state is not what the session goes on with, so it is not counted as served.
    if !asked.is_past() && !caller.looks_on {
        let sha256 = served.sha256();
        let prefix = state.served_prefixes.serve((caller.tenant, session), served);
        let tokens = ServedTokens { cached: prefix.cached, new: prefix.new, ..tokens };
        state.store.note_served(session.of(caller.tenant), Served { tokens, sha256, ..noted });
        let tokens = tokens.total;
        metrics::counter!("anchord_context_tokens_served_total").increment(tokens.into());
        metrics::counter!("anchord_context_tokens_saved_total")
            .increment(whole.saturating_sub(tokens.into()));
        let figures = UsageDelta {
            calls: 1,
            tokens_in: prefix.new.into(),
            tokens_cached: prefix.cached.into(),
            tokens_out: tokens.into(),
            tokens_whole: i64::try_from(whole).unwrap_or(i64::MAX),
            time_us: micros(started.elapsed()),
            ..UsageDelta::default()
        };
        state.count_use(caller, session, task.as_deref(), (UsageKind::Context, figures));
    }
    Ok((tag, Some(body)))
}

/// How many budgets are tried before one is named as enough.
const MOST_BUDGETS: usize = 4;

/// The refusal of a budget with the least one that the context fits: a larger budget reads more messages, beside which the same
/// tokens may be too few.
async fn least_budget(
    state: &AppState,
    caller: &Caller,
    name: &SessionRef,
    asked: ResolvedQuery,
    mut min_tokens: u32,
) -> Result<ApiError, ApiError> {
    for _ in 0..MOST_BUDGETS {
        let asked = ResolvedQuery { max_input_tokens: Some(min_tokens), ..asked };
        let session = find_session(state, caller, name).await?;
        let source = state.store.find_context(caller.tenant, session, asked.max_input_tokens).await?;
        let Some(source) = source else { break };
        match Box::pin(assembled(caller, source, asked, (Vec::new(), None))).await {
            Err(ApiError::BudgetTooSmall { min_tokens: more }) if more > min_tokens => min_tokens = more,
            Ok(_) | Err(_) => break,
        }
    }
    Ok(ApiError::BudgetTooSmall { min_tokens })
}

/// The most tokens of messages that are read for the reply: more than it can have, when messages are large that it cuts.
fn most_tokens(session: &Session, query: ResolvedQuery) -> u64 {
    /// As many as the 16 MiB of bodies have that are read beyond the budget.
    const CUT: u64 = 4 * 1_024 * 1_024;
    let counts = &session.accounting;
    counts.appended_tokens.min(budget(session, query).into()).max(counts.tail_tokens.min(CUT))
}

/// Reads the state that the query names.
async fn find_past(
    state: &AppState,
    caller: &Caller,
    session: &SessionRef,
    query: ResolvedQuery,
) -> Result<ContextSource> {
    let least = i64::from(query.through_seq.is_none());
    if query.version.is_some_and(|version| version < least) {
        return Err(ApiError::parameter("version", format!("must be at least {least}")));
    }
    let past = Past { version: query.version, through: query.through_seq, pinned_by: query.pinned_by };
    match state.store.find_past_context(caller.tenant, session, past, query.max_input_tokens).await? {
        FoundPast::NoSession => Err(ApiError::NotFound(Kind::SessionNotFound)),
        FoundPast::NoVersion => Err(ApiError::NotFound(Kind::VersionNotFound)),
        FoundPast::OutOfRange(least, most) => {
            Err(ApiError::parameter("through_seq", format!("must be from {least} to {most}")))
        }
        FoundPast::Found(source) => Ok(*source),
    }
}

/// Assembles the reply as JSON; a large one on a background thread. Returns its tokens, and digests of what it sends.
async fn assembled(
    caller: &Caller,
    source: ContextSource,
    query: ResolvedQuery,
    (warnings, within): (Vec<Warning>, Option<Arc<Map<String, Value>>>),
) -> Result<Rendered> {
    let bytes: usize = source.tail.iter().chain(&source.system).map(|entry| entry.raw.len()).sum();
    if bytes > LARGE_CONTEXT_BYTES {
        caller.compute(move |_| render(&source, query, warnings, within.as_deref())).await
    } else {
        render(&source, query, warnings, within.as_deref())
    }
}

/// A reply, and what is noted of it.
#[derive(Debug)]
struct Rendered {
    body: Bytes,
    tokens: ServedTokens,
    served: ServedMessages,
}

/// Names everything that a reply depends on: the session's id (a name can be erased and reused), its version, head,
/// revision and mask position, and the query.
fn entity_tag(session: &Session, query: ResolvedQuery) -> String {
    format!(
        "\"{}{}.{}.{}.{}.{}.{}.{}.{}{}{}{}\"",
        // An earlier state is assembled in another way.
        if query.is_past() { "past." } else { "" },
        session.id.0.simple(),
        session.version.unwrap_or_default(),
        session.head_seq,
        session.served_revision(),
        format_args!("{}-{}", session.accounting.mask_upto, session.accounting.mask_from),
        query.format.as_ref(),
        budget(session, query),
        u8::from(query.recap),
        query.cache_control.map_or("", CacheTtl::as_str),
        query.pinned_by.map(|by| format!(".{}", by.timestamp_micros())).unwrap_or_default(),
        if query.is_model_unknown { ".unknown" } else { "" }
    )
}

fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let Ok(tag) = tag.to_str() else { return false };
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        // A proxy that compresses replies makes the tag weak.
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == "*" || known == tag)
}

fn budget(session: &Session, query: ResolvedQuery) -> u32 {
    query.max_input_tokens.unwrap_or_else(|| session.policy().effective_window)
}

/// Assembles the reply on this thread.
fn render(
    source: &ContextSource,
    query: ResolvedQuery,
    warnings: Vec<Warning>,
    within: Option<&Map<String, Value>>,
) -> Result<Rendered> {
    let session = &source.session;
    let counter = TokenCounter::new(source.settings.tokenizer.unwrap_or_default());
    let stored = source.summary.iter().flat_map(|summary| &summary.smaller);
    let smaller: Vec<Counted<'_>> = stored.map(|(text, tokens)| Counted { text, tokens: *tokens }).collect();
    let summary = source.summary.as_ref().map(|stored| SummaryInput {
        version: stored.version,
        anchor_seq: session.anchor_seq,
        message: Counted { text: &stored.rendering.0, tokens: stored.rendering.1 },
        smaller: &smaller,
        digest: stored.digest.as_ref().map(|digest| Counted { text: &digest.0, tokens: digest.1 }),
    });
    let recap = source.summary.as_ref().map(|summary| summary.recap.as_str());
    let input = ContextInput {
        session: session.name.as_str(),
        branch: session.other_branch().map(BranchName::as_str),
        format: query.format,
        budget: budget(session, query),
        head_seq: session.head_seq,
        context_revision: session.served_revision(),
        system: &source.system,
        pins: source.pins.as_ref().map(|pins| Counted { text: &pins.0, tokens: pins.1 }),
        summary,
        kept: &source.kept,
        carried: source.carried.as_ref(),
        tail: &source.tail,
        tail_omitted: source.tail_omitted,
        mask: MaskInput {
            mode: source.settings.mask.unwrap_or_default(),
            clipping: session.clipping(),
            marks: &source.marks,
        },
        recap: recap.filter(|text| query.recap && !text.is_empty()),
        cache: query.cache_control,
        notes: &source.notes,
        tools: source.settings.tools.unwrap_or_default(),
        counter: &counter,
    };
    let context =
        assemble(&input).map_err(|refused| ApiError::BudgetTooSmall { min_tokens: refused.min_tokens })?;
    let mut usage = session.usage();
    let outputs = usage.components.tool_outputs;
    if query.is_default(session) {
        usage = usage.serving(context.tokens.total(), session.policy().context_window);
    }
    let warnings = warnings.into_iter().map(Warning::in_full).collect();
    let body = context.to_json(|context| {
        let context = ContextView { context, usage, warnings };
        match within {
            Some(reply) => Shown::Within(Within { reply, context }),
            None => Shown::Alone(context),
        }
    });
    let body = Bytes::from(body.map_err(ApiError::internal)?);
    // An earlier state is not noted, so that nobody asks for its digest.
    let served = if query.is_past() {
        ServedMessages::default()
    } else {
        ServedMessages::of(&context).map_err(ApiError::internal)?
    };
    // The session counts its outputs as they are served, before anything is cut to fit.
    let outputs = u32::try_from(outputs).unwrap_or(u32::MAX).min(context.tokens.tail);
    let parts = context.tokens;
    let tokens = ServedTokens {
        total: parts.total(),
        system: parts.system,
        summary: parts.summary,
        digest: parts.digest,
        notes: parts.notes,
        messages: parts.tail - outputs,
        tool_outputs: outputs,
        ..ServedTokens::default()
    };
    Ok(Rendered { body, tokens, served })
}
