//! Usage of a session, a task or a tenant: the sums that are stored, and the figures computed from them.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, EnumString, IntoStaticStr};
use utoipa::ToSchema;

/// A re-fetch rate above this means that compressions remove too much.
const TOO_AGGRESSIVE: f64 = 0.20;

/// The figures of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, AsRefStr, IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantArray))]
#[strum(serialize_all = "snake_case")]
pub enum Kind {
    /// A context was served: `tokens_out`, of them `tokens_cached` (what the one before began with) and `tokens_in` (what came since),
    /// `tokens_whole` (what the whole session takes), `time_us`.
    Context,
    /// Messages were appended: `tokens_in`, `time_us`, `messages`, `bytes`.
    Append,
    /// Originals were read that the context no longer shows: `tokens_out`.
    Messages,
    /// An offloaded tool output was read: `tokens_out`.
    ToolOutputs,
    /// A search found what the context no longer shows: `tokens_out`.
    Recall,
    /// The provider's own figures: `tokens_in`, `tokens_out`, `tokens_cached`.
    Reported,
    /// A call of the engine's model: all but `tokens_whole`.
    Model,
    /// A version was published: `tokens_in` (record and digest before it and the span that it covers), `tokens_out` (its own
    /// record and digest).
    Version,
}

/// Sums of one kind; [`Kind`] says which fields a kind has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UsageDelta {
    /// Requests.
    pub calls: i64,
    /// Requests that came to nothing.
    pub failures: i64,
    /// Tokens that went in.
    pub tokens_in: i64,
    /// Tokens that came out.
    pub tokens_out: i64,
    /// The part of the tokens in that was read from a cache.
    pub tokens_cached: i64,
    /// Tokens that would have come out without compression.
    pub tokens_whole: i64,
    /// Microseconds that it took.
    pub time_us: i64,
    /// Millionths of the currency of the operator's prices.
    pub cost_micros: i64,
    /// Messages.
    pub messages: i64,
    /// Bytes of their texts and vectors; in a day's sums less those of sessions that were erased.
    pub bytes: i64,
}

impl AddAssign for UsageDelta {
    fn add_assign(&mut self, more: Self) {
        self.calls = self.calls.saturating_add(more.calls);
        self.failures = self.failures.saturating_add(more.failures);
        self.tokens_in = self.tokens_in.saturating_add(more.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(more.tokens_out);
        self.tokens_cached = self.tokens_cached.saturating_add(more.tokens_cached);
        self.tokens_whole = self.tokens_whole.saturating_add(more.tokens_whole);
        self.time_us = self.time_us.saturating_add(more.time_us);
        self.cost_micros = self.cost_micros.saturating_add(more.cost_micros);
        self.messages = self.messages.saturating_add(more.messages);
        self.bytes = self.bytes.saturating_add(more.bytes);
    }
}

/// Sums of every kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<Kind, UsageDelta>);

impl Tally {
    /// Adds the figures of one kind.
    pub fn add(&mut self, kind: Kind, figures: UsageDelta) {
        *self.0.entry(kind).or_default() += figures;
    }

    /// Adds those of another tally.
    pub fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(kind, figures)| self.add(*kind, *figures));
    }

    fn of(&self, kind: Kind) -> UsageDelta {
        self.0.get(&kind).copied().unwrap_or_default()
    }

    /// The report of these sums. `active_us` is how long the sessions were at work, in microseconds; `None`
    /// when that is unknown.
    pub fn report(&self, active_us: Option<i64>) -> UsageFigures {
        let [context, append, reported] =
            [Kind::Context, Kind::Append, Kind::Reported].map(|kind| self.of(kind));
        let [messages, tool_outputs, recall] =
            [Kind::Messages, Kind::ToolOutputs, Kind::Recall].map(|kind| self.of(kind));
        let [model, version] = [Kind::Model, Kind::Version].map(|kind| self.of(kind));
        let refetches = messages.calls + tool_outputs.calls + recall.calls;
        let refetch_rate = ratio(refetches, context.calls);
        let time_us = context.time_us.saturating_add(append.time_us);
        UsageFigures {
            requests: context.calls,
            context_tokens: context.tokens_out,
            uncompressed_tokens: context.tokens_whole,
            tokens_saved: context.tokens_whole.saturating_sub(context.tokens_out).max(0),
            prefix: PrefixUsage {
                cached_tokens: context.tokens_cached,
                new_tokens: context.tokens_in,
                rewritten_tokens: context
                    .tokens_out
                    .saturating_sub(context.tokens_cached)
                    .saturating_sub(context.tokens_in)
                    .max(0),
            },
            total_tokens: context.tokens_out.saturating_add(model.tokens_in).saturating_add(model.tokens_out),
            tokens_per_request: ratio(context.tokens_out, context.calls),
            llm: ModelUsage {
                calls: model.calls,
                failed_calls: model.failures,
                input_tokens: model.tokens_in,
                output_tokens: model.tokens_out,
                cached_tokens: model.tokens_cached,
                cost_micros: model.cost_micros,
            },
            compressed: Compressed {
                tokens_before: version.tokens_in,
                tokens_after: version.tokens_out,
                tokens_saved: version.tokens_in.saturating_sub(version.tokens_out),
            },
            refetched: Refetched {
                requests: refetches,
                tokens: messages.tokens_out + tool_outputs.tokens_out + recall.tokens_out,
                messages_tokens: messages.tokens_out,
                tool_outputs_tokens: tool_outputs.tokens_out,
                recall_tokens: recall.tokens_out,
            },
            refetch_rate,
            too_aggressive: refetch_rate.is_some_and(|rate| rate > TOO_AGGRESSIVE),
            reported: ReportedUsage {
                reports: reported.calls,
                input_tokens: reported.tokens_in,
                output_tokens: reported.tokens_out,
                cached_tokens: reported.tokens_cached,
            },
            appends: append.calls,
            appended_tokens: append.tokens_in,
            appended_messages: append.messages,
            stored_bytes: append.bytes,
            latency: Latency {
                context_ms_per_request: ratio(context.time_us, context.calls).map(to_ms),
                append_ms_per_request: ratio(append.time_us, append.calls).map(to_ms),
                total_ms: to_ms(ratio(time_us, 1).unwrap_or_default()),
                share: active_us.and_then(|active| ratio(time_us, active)).map(|share| share.min(1.0)),
            },
        }
    }
}

/// Usage figures and what follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct UsageFigures {
    /// Contexts that were served: one for each call of the agent's model.
    pub requests: i64,
    /// Tokens of these contexts.
    pub context_tokens: i64,
    /// Tokens that the whole sessions would have taken instead.
    pub uncompressed_tokens: i64,
    /// Tokens that the contexts were smaller by.
    pub tokens_saved: i64,
    /// Their tokens by what a provider's cache can have of them.
    pub prefix: PrefixUsage,
    /// Tokens of the contexts and of the engine's own model, in and out.
    pub total_tokens: i64,
    /// `context_tokens` for each request; null without one.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub tokens_per_request: Option<f64>,
    /// The use of the engine's model, failed calls included.
    pub llm: ModelUsage,
    /// Results of compressions.
    pub compressed: Compressed,
    /// Figures of what was fetched again, because the context no longer shows it.
    pub refetched: Refetched,
    /// Requests that fetched again, for each request for a context; null without one.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub refetch_rate: Option<f64>,
    /// Whether the re-fetch rate is above 0.20: compression removes what the agent needs.
    pub too_aggressive: bool,
    /// The provider's own figures, as callers reported them.
    pub reported: ReportedUsage,
    /// Batches that were appended.
    pub appends: i64,
    /// Their tokens.
    pub appended_tokens: i64,
    /// Their messages.
    pub appended_messages: i64,
    /// Bytes of their texts and vectors, less those of sessions that were erased in the time of the report.
    pub stored_bytes: i64,
    /// The time that the service adds to the agent's.
    pub latency: Latency,
}

/// The tokens of contexts by what a provider's cache can have of them. Each is compared with the one before that the same process
/// served to the session: the first that it serves counts as new. The prompt of the caller, the time for which a cache lives and the steps
/// in which it grows are not known here; `reported` has what the provider counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PrefixUsage {
    /// Tokens that the context before began with, too.
    pub cached_tokens: i64,
    /// Tokens of messages that came since the context before.
    pub new_tokens: i64,
    /// The rest: what a compression, a clipping or a changed setting wrote anew, and what stands behind that.
    pub rewritten_tokens: i64,
}

/// The use of the engine's model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModelUsage {
    /// Calls.
    pub calls: i64,
    /// Failed calls.
    pub failed_calls: i64,
    /// Tokens in, as the server counts them.
    pub input_tokens: i64,
    /// Tokens out.
    pub output_tokens: i64,
    /// The part of the tokens in that came from the server's cache.
    pub cached_tokens: i64,
    /// Millionths of the currency of the operator's prices; 0 without prices.
    pub cost_micros: i64,
}

/// Results of compressions: the sums of their reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = CompressedTokens)]
pub struct Compressed {
    /// Tokens of record and digest before each, and of the messages that it covered.
    pub tokens_before: i64,
    /// Tokens of the record and digest that it left.
    pub tokens_after: i64,
    /// The difference: what each context after it has fewer of.
    pub tokens_saved: i64,
}

/// Figures of what was fetched again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RefetchedUsage)]
pub struct Refetched {
    /// Requests that gave back something that the context no longer shows.
    pub requests: i64,
    /// Tokens of it.
    pub tokens: i64,
    /// Tokens of original messages.
    pub messages_tokens: i64,
    /// Tokens of tool outputs.
    pub tool_outputs_tokens: i64,
    /// Tokens of recall.
    pub recall_tokens: i64,
}

/// The provider's figures, as callers reported them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReportedUsage {
    /// Reports.
    pub reports: i64,
    /// Tokens in, cached ones included.
    pub input_tokens: i64,
    /// Tokens out.
    pub output_tokens: i64,
    /// The part of the tokens in that came from the provider's cache.
    pub cached_tokens: i64,
}

/// The time that the service adds to the agent's: from a request's arrival at its operation until its reply
/// is made. Compressions run beside the agent and are not in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = AddedLatency)]
pub struct Latency {
    /// Milliseconds for each context; null without one.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub context_ms_per_request: Option<f64>,
    /// Milliseconds for each append; null without one.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub append_ms_per_request: Option<f64>,
    /// Milliseconds of all of them.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub total_ms: f64,
    /// Share of the time that the sessions were at work, from the first to the last request of each
    /// session and day; null when that is not known.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub share: Option<f64>,
}

/// The status of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[derive(EnumString, AsRefStr, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TaskStatus {
    /// It goes on.
    #[default]
    Active,
    /// It ended as it should.
    Completed,
    /// It ended otherwise.
    Failed,
    /// Nobody goes on with it.
    Abandoned,
}

/// How the tasks of one sort ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct TaskOutcomes {
    /// Tasks that ended.
    pub ended: i64,
    /// Completed tasks.
    pub completed: i64,
    /// `completed` of `ended`; null when none ended.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub completion_rate: Option<f64>,
    /// Tokens of the contexts and of the engine's model for each completed task; null without one.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub tokens_per_completed_task: Option<f64>,
    /// Contexts that were served for each completed task; null without one.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub requests_per_completed_task: Option<f64>,
}

impl TaskOutcomes {
    /// The report of these sums; tokens and requests are those of completed tasks.
    pub fn of(ended: i64, completed: i64, tokens: i64, requests: i64) -> Self {
        Self {
            ended,
            completed,
            completion_rate: ratio(completed, ended),
            tokens_per_completed_task: ratio(tokens, completed),
            requests_per_completed_task: ratio(requests, completed),
        }
    }
}

/// Rounded to six places, because a share of a long session is small.
#[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^52")]
fn ratio(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 1e6).round() / 1e6)
}

fn to_ms(us: f64) -> f64 {
    us.round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray as _;

    fn calls(calls: i64, tokens_out: i64) -> UsageDelta {
        UsageDelta { calls, tokens_out, ..UsageDelta::default() }
    }

    #[test]
    fn a_kind_is_found_by_its_word_and_keeps_its_own_sums() {
        let mut tally = Tally::default();
        for (calls, kind) in (1..).zip(Kind::VARIANTS.iter().copied()) {
            assert_eq!(kind.as_ref().parse::<Kind>().ok(), Some(kind));
            tally.add(kind, UsageDelta { calls, ..UsageDelta::default() });
        }
        for (calls, kind) in (1..).zip(Kind::VARIANTS.iter().copied()) {
            assert_eq!(tally.of(kind).calls, calls, "{kind:?}");
        }
    }

    #[test]
    fn more_than_one_fetch_in_five_requests_is_too_aggressive() {
        let mut tally = Tally::default();
        tally.add(Kind::Context, calls(10, 50_000));
        tally.add(Kind::Recall, calls(2, 300));
        let report = tally.report(None);
        assert_eq!((report.refetch_rate, report.too_aggressive), (Some(0.2), false));
        tally.add(Kind::ToolOutputs, calls(1, 900));
        let report = tally.report(None);
        assert_eq!((report.refetch_rate, report.too_aggressive), (Some(0.3), true));
        assert_eq!((report.refetched.requests, report.refetched.tokens), (3, 1_200));
        assert_eq!(report.tokens_per_request, Some(5_000.0));
    }

    #[test]
    fn without_requests_nothing_is_divided() {
        let report = Tally::default().report(Some(0));
        assert_eq!((report.tokens_per_request, report.refetch_rate), (None, None));
        assert!(!report.too_aggressive);
        assert_eq!((report.latency.context_ms_per_request, report.latency.share), (None, None));
        assert_eq!(TaskOutcomes::of(0, 0, 0, 0), TaskOutcomes::default());
    }

    #[test]
    fn time_is_told_in_milliseconds_and_as_a_share() {
        let mut tally = Tally::default();
        tally.add(Kind::Context, UsageDelta { calls: 2, time_us: 3_000, ..UsageDelta::default() });
        tally.add(Kind::Append, UsageDelta { calls: 1, time_us: 1_000, ..UsageDelta::default() });
        let latency = tally.report(Some(400_000)).latency;
        assert_eq!(latency.context_ms_per_request, Some(1.5));
        assert_eq!(latency.append_ms_per_request, Some(1.0));
        assert!((latency.total_ms - 4.0).abs() < 1e-9);
        assert_eq!(latency.share, Some(0.01));
    }

    #[test]
    fn a_context_that_is_larger_than_the_session_saves_nothing() {
        let mut tally = Tally::default();
        tally.add(
            Kind::Context,
            UsageDelta { calls: 1, tokens_out: 120, tokens_whole: 100, ..UsageDelta::default() },
        );
        assert_eq!(tally.report(None).tokens_saved, 0);
        tally.add(
            Kind::Context,
            UsageDelta { calls: 1, tokens_out: 100, tokens_whole: 1_100, ..UsageDelta::default() },
        );
        assert_eq!(tally.report(None).tokens_saved, 980);
    }

    #[test]
    fn an_ended_task_is_found_by_its_word() {
        for status in [TaskStatus::Active, TaskStatus::Completed, TaskStatus::Failed, TaskStatus::Abandoned] {
            assert_eq!(status.as_ref().parse::<TaskStatus>().ok(), Some(status));
        }
        assert_eq!("done".parse::<TaskStatus>().ok(), None);
        let outcomes = TaskOutcomes::of(4, 3, 30_000, 30);
        assert_eq!(outcomes.completion_rate, Some(0.75));
        assert_eq!(outcomes.tokens_per_completed_task, Some(10_000.0));
    }
}
