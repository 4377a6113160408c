//! The reply to an append: short by itself, with the parts that `include` names, or with the context to send to the model
//! next.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use futures::FutureExt as _;
use strum::{EnumString, VariantNames};

use crate::api::context::{self, ContextQuery, ContextView};
use crate::api::prelude::*;
use crate::edge::boundary::RequestId;
use crate::extract::auth::READ;
use crate::extract::idempotency::IDEMPOTENT_REPLAYED;
use crate::extract::params::Words;
use anchord_messages::format::Format;
use anchord_messages::format::anthropic::CacheTtl;
use anchord_store::gather::{AppendReply, Included, Reply as AppendOutcome};

/// The result of an append, and the session's state after it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppendResult {
    /// The stored messages.
    #[serde(flatten)]
    pub reply: AppendReply,
    /// The context to send to the model next; only with `return=context`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = ContextView)]
    pub context: Option<ContextView<'static>>,
    /// Why there is no context, though `return=context` asked for it. The messages are stored all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Problem)]
    pub context_problem: Option<Problem>,
}

/// A part of the reply that is left out unless it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AppendPart {
    /// The context by component, and advice about it.
    Usage,
    /// Every signal, also those that ask for nothing or do not count.
    Signals,
    /// The format that the messages were recognised as.
    Format,
    /// Warnings about the window, with what to do.
    Warnings,
}

/// The parts that `include` names.
pub(crate) fn included(named: Option<&Words<AppendPart>>) -> Included {
    let has = |part| Words::have(named, &part);
    Included {
        usage: has(AppendPart::Usage),
        signals: has(AppendPart::Signals),
        format: has(AppendPart::Format),
        warnings: has(AppendPart::Warnings),
    }
}

/// More that an append may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReturnedToo {
    /// The context to send to the model next.
    Context,
}

/// How an append is answered. The parameters after `return` are those of the context, and allowed with `return=context` alone.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AppendQuery {
    /// More parts of the reply: `usage` (the context by component, and advice), `signals` (every signal; those that the
    /// policy does not count are computed of the newest 200 messages), `format` (the format that the messages were
    /// recognised as), `warnings` (about an assumed window, with advice).
    #[param(value_type = Option<Vec<AppendPart>>, inline)]
    pub include: Option<Words<AppendPart>>,
    /// `context` also returns the context to send to the model next. When it cannot be assembled, the messages are stored
    /// all the same: the reply is 201 and has the reason in `context_problem`. A repeated request with an
    /// `Idempotency-Key` stores nothing again, and gets the context as it is then.
    #[serde(rename = "return")]
    #[param(inline)]
    pub returned: Option<ReturnedToo>,
    /// The format of the context; default the session's, which is the batch's when that shows one.
    #[param(inline)]
    pub format: Option<Format>,
    /// The most tokens that the context may have; default the effective window.
    #[param(minimum = 1, maximum = 10_000_000)]
    pub max_input_tokens: Option<u32>,
    /// Whether current task, open errors and next steps come once more at the end of the context; default false.
    pub recap: Option<bool>,
    /// Sets marks for Anthropic's cache in the context, as `GET …/context` does. The format is `anthropic` then.
    #[param(inline)]
    pub cache_control: Option<CacheTtl>,
}

/// How the caller wants its append to be answered.
#[derive(Clone, Debug)]
pub struct AppendOptions {
    included: Included,
    /// The context that is asked for.
    context: Option<ContextQuery>,
    request_id: RequestId,
}

impl<S: Send + Sync> FromRequestParts<S> for AppendOptions {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(query) = Query::<AppendQuery>::from_request_parts(parts, state).await?;
        let request_id = parts.extensions.get::<RequestId>().cloned().unwrap_or_default();
        let AppendQuery { include, returned, format, max_input_tokens, recap, cache_control } = query;
        let included = included(include.as_ref());
        let is_given = [
            ("format", format.is_some()),
            ("max_input_tokens", max_input_tokens.is_some()),
            ("recap", recap.is_some()),
            ("cache_control", cache_control.is_some()),
        ];
        let context = if returned.is_some() {
            let recap = recap.unwrap_or_default();
            let query =
                ContextQuery { format, max_input_tokens, recap, cache_control, ..ContextQuery::default() };
            Some(query.checked()?)
        } else if let Some((name, _)) = is_given.into_iter().find(|(_, is_given)| *is_given) {
            return Err(ApiError::parameter(name, "applies only with `return=context`"));
        } else {
            None
        };
        Ok(Self { included, context, request_id })
    }
}

impl AppendOptions {
    /// Parts of the reply that the store writes.
    pub(crate) fn included(&self) -> Included {
        self.included
    }

    /// Refuses a context to a key that may not read, before anything is stored.
    pub(crate) fn authorize(&self, caller: &Caller) -> Result<()> {
        let reads = caller.scopes.iter().any(|scope| scope == READ);
        if self.context.is_some() && !reads { Err(ApiError::Forbidden(READ)) } else { Ok(()) }
    }

    /// Answers an append that is stored.
    pub(crate) async fn answer(
        self,
        (state, caller): (&AppState, &Caller),
        session: &SessionRef,
        reply: AppendOutcome,
        started: Instant,
    ) -> Result<Response> {
        let mut headers = HeaderMap::new();
        if reply.stored.is_none() {
            headers.insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
        }
        let json = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(query) = self.context {
            let fields = serde_json::from_str(&reply.body).map_err(ApiError::internal)?;
            let reply = (fields, self.request_id);
            let body = with_context((state, caller), session, (query, None), reply, started).await?;
            headers.extend([json]);
            return Ok((StatusCode::CREATED, headers, body).into_response());
        }
        headers.extend([json]);
        Ok((StatusCode::CREATED, headers, reply.body).into_response())
    }
}

/// The reply to an append with the context, of messages up to the newest one that is named. Whatever goes wrong with the
/// context, the append is acknowledged: its messages are stored, and the reply has the problem in the context's place.
pub(crate) async fn with_context(
    (state, caller): (&AppState, &Caller),
    session: &SessionRef,
    asked: (ContextQuery, Option<Seq>),
    (reply, request_id): (Map<String, Value>, RequestId),
    started: Instant,
) -> Result<Bytes> {
    // A tenth of what is left is for the way back, so that the acknowledgement comes before the request's own timeout.
    let left = state.limits.request_timeout.saturating_sub(started.elapsed()).mul_f64(0.9);
    let reply = Arc::new(reply);
    let serving = context::serve_within(state, caller, session, asked, Arc::clone(&reply));
    let serving = AssertUnwindSafe(serving).catch_unwind();
    let error = match tokio::time::timeout(left, serving).await {
        Ok(Ok(Ok(body))) => return Ok(body),
        Ok(Ok(Err(error))) => error,
        Ok(Err(_)) => ApiError::internal(anyhow::anyhow!("the context of an append panicked")),
        Err(_) => ApiError::Timeout,
    };
    let mut reply = Arc::unwrap_or_clone(reply);
    let problem = serde_json::to_value(error.problem(&request_id.0)).map_err(ApiError::internal)?;
    reply.insert("context_problem".to_owned(), problem);
    serde_json::to_vec(&reply).map(Bytes::from).map_err(ApiError::internal)
}
