//! A request for a compaction: answered by us, or by the provider with what code kept behind its answer.

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, header};
use futures::StreamExt as _;
use tracing::Instrument as _;

use crate::append::append;
use crate::forward::{Gateway, Kept, Told, into_response, name_session, unreachable};
use crate::held;
use crate::item;
use crate::mark::Marks;
use crate::reply::{self, Content};
use crate::request::{Asked, COMPACT};
use crate::rules::{Form, Rule};
use crate::upstream::{Answered, Head, Sent};

/// The header of an answer of ours.
const ANSWERED: HeaderName = HeaderName::from_static("x-anchord-answered");

impl Gateway {
    /// Answers a compaction, or appends to the answer of the provider.
    pub(crate) async fn compact(
        &self,
        head: Head,
        (rule, asked): (&'static Rule, &Asked),
        (body, kept): (Bytes, Kept),
    ) -> Told {
        let may_answer = self.state.llm_models.is_some() || self.config.answers_by_code;
        if may_answer && let Some(content) = self.summary((rule, asked), &kept).await {
            tracing::info!(session = %kept.session(), rule = rule.name, "gateway.compaction_answered");
            let mut response = match content {
                Content::Item(item) if head.route.rest == COMPACT => {
                    reply::compacted(asked, &item, (body.len(), self.state.clock.now().timestamp()))
                }
                content @ (Content::Text(_) | Content::Item(_)) => reply::answer(asked, &content, body.len()),
            };
            name_session(&mut response, kept.session());
            response.headers_mut().insert(ANSWERED, HeaderValue::from_static("compaction"));
            return (response, "answered");
        }
        match rule.form {
            Form::Item => self.pass_for_item(&head, body, kept).await,
            Form::Text | Form::Tags => self.pass_for_text(head, (rule, asked), (body, kept)).await,
        }
    }

    /// The summary, as the agent asks for it; `None` when the session cannot be read, or there is no key to seal it with.
    async fn summary(&self, (rule, asked): (&'static Rule, &Asked), kept: &Kept) -> Option<Content> {
        let held = held::hold((&kept.api, &kept.seen), (&kept.said, rule), asked).await;
        let held = held
            .inspect_err(|problem| {
                tracing::warn!(session = %kept.session(), %problem, "gateway.compaction_not_answered");
            })
            .ok()?;
        let marks = Marks::of(&self.marks, kept.tenant);
        let text = held::answer(&held, (kept.session(), &marks), rule.form);
        match rule.form {
            Form::Text | Form::Tags => Some(Content::Text(text)),
            Form::Item => item::seal(&self.config.secrets, kept.tenant, &text).map(Content::Item),
        }
    }

    /// Passes a request for a text on, and appends what code kept to the answer.
    async fn pass_for_text(
        &self,
        mut head: Head,
        (rule, asked): (&'static Rule, &Asked),
        (body, kept): (Bytes, Kept),
    ) -> Told {
        // What is to be appended to must be readable.
        head.parts.headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let (facts, pending) = tokio::sync::oneshot::channel();
        let (of, marks) = (asked.clone(), Marks::of(&self.marks, kept.tenant));
        self.state.tracker.spawn(
            async move {
                let text = held::facts((&kept.api, &kept.seen), (&kept.said, rule), &of, &marks).await;
                if let Err(problem) = &text {
                    tracing::warn!(%problem, "gateway.facts_not_appended");
                }
                drop(facts.send(text.ok()));
            }
            .in_current_span(),
        );
        let mut answered = match self.upstream.send(&head, Sent::Whole(body)).await {
            Ok(answered) => answered,
            Err(why) => return unreachable(head.route.provider, why),
        };
        if answered.status.is_success() && is_plain_stream(&answered) {
            let pending = Box::pin(async move { pending.await.ok().flatten() });
            let events = answered.body.into_data_stream().boxed();
            answered.body = Body::from_stream(append(asked.endpoint, events, pending));
            answered.headers.remove(header::CONTENT_LENGTH);
        }
        (into_response(answered), "passed")
    }

    /// Passes a request for an opaque item on. What it stands for is kept beside that, before the list that follows it.
    async fn pass_for_item(&self, head: &Head, body: Bytes, kept: Kept) -> Told {
        let keeping = async move { drop(kept.seen.keep(&kept.api, &kept.said, &[]).await) };
        self.state.tracker.spawn(keeping.in_current_span());
        match self.upstream.send(head, Sent::Whole(body)).await {
            Ok(answered) => (into_response(answered), "passed"),
            Err(why) => unreachable(head.route.provider, why),
        }
    }
}

/// Whether an answer is a stream of events that can be read as it comes.
fn is_plain_stream(answered: &Answered) -> bool {
    let begins = |name, value: &str| {
        let found = answered.headers.get(name).map(HeaderValue::as_bytes);
        found.is_some_and(|found| found.starts_with(value.as_bytes()))
    };
    let is_encoded = answered.headers.contains_key(header::CONTENT_ENCODING)
        && !begins(header::CONTENT_ENCODING, "identity");
    !is_encoded && begins(header::CONTENT_TYPE, "text/event-stream")
}
