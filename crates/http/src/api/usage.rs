//! Usage: callers report the token counts of the provider for a session's last call, and read the usage of a tenant by day.

use chrono::{NaiveDate, TimeDelta};
use serde::Deserializer;
use serde::de::Error as _;

use crate::api::prelude::*;
use anchord_messages::tokens::TokenCounter;
use anchord_session::accounting::Usage;
use anchord_session::calibration::Verdict;
use anchord_session::usage::{Kind as UsageKind, Tally, UsageDelta, UsageFigures};
use anchord_store::usage::{OutcomesByCompression, Report, User};

/// An upper bound of reported tokens: more than any model takes.
const MAX_TOKENS: u64 = 1_000_000_000;
/// The most characters of a model's name.
const MAX_MODEL_CHARS: usize = 200;
/// How many days a report has, when the caller does not say.
const DEFAULT_DAYS: i64 = 30;
/// The most days of a report.
const MAX_DAYS: i64 = 366;
/// How many bytes of a text are counted at most; the count is an estimate of a rate, not a bill.
const COUNTED_BYTES: usize = 64 * 1024;

/// The provider's own figures of the last call.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"input_tokens": 41_250, "output_tokens": 730, "cached_tokens": 36_864, "model": "large-2"})))]
#[schema(as = UsageReport)]
pub struct ProviderUsage {
    /// Tokens in, cached ones included. A provider that reports them apart: the sum.
    #[serde(deserialize_with = "tokens")]
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub input_tokens: u64,
    /// Tokens out.
    #[serde(deserialize_with = "tokens")]
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub output_tokens: u64,
    /// The part of the tokens in that came from the provider's cache.
    #[serde(default, deserialize_with = "some_tokens")]
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub cached_tokens: Option<u64>,
    /// The model, for the caller's records: it comes back in the reply.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
    /// `tokens.total` of the context that was sent; default that of the context served last.
    #[serde(default, deserialize_with = "some_tokens")]
    #[schema(minimum = 1, maximum = 1_000_000_000)]
    pub context_tokens: Option<u64>,
}

/// A count of tokens; the parser's own refusal would name the range of its type.
fn tokens<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let refused = || D::Error::custom(format!("must be a whole number from 0 to {MAX_TOKENS}"));
    u64::deserialize(from).ok().filter(|tokens| *tokens <= MAX_TOKENS).ok_or_else(refused)
}

/// A count of tokens, or null.
fn some_tokens<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let refused = || D::Error::custom(format!("must be a whole number from 0 to {MAX_TOKENS}"));
    let tokens = Option::<u64>::deserialize(from).map_err(|_| refused())?;
    if tokens.is_some_and(|tokens| tokens > MAX_TOKENS) { Err(refused()) } else { Ok(tokens) }
}

/// The result of a report.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = UsageReportResult)]
pub struct UsageReported {
    /// The session.
    pub session_id: SessionName,
    /// The service's count for the context that was sent.
    pub counted_tokens: u64,
    /// The provider's count.
    pub reported_tokens: u64,
    /// `reported_tokens` of `counted_tokens`; null when nothing was counted.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub ratio: Option<f64>,
    /// The context that the report was compared with.
    pub basis: Basis,
    /// The use of the report.
    pub verdict: Verdict,
    /// The model, as reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Grows when the correction in force moved.
    pub context_revision: i64,
    /// How full the context is now.
    pub usage: Usage,
}

/// The context that a usage report was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = UsageReportBasis)]
pub enum Basis {
    /// The one that the caller named with `context_tokens`.
    Given,
    /// The one served last.
    Served,
    /// None was ever served: what would be served now.
    Head,
}

/// Reports the provider's own figures of the last call.
///
/// They go to the ledger of the session's task, and correct how large the session's windows are in tokens of its
/// tokenizer. A provider counts `offset + factor × ours`: the offset is what the service does not see (a system prompt that the
/// caller keeps, tool definitions), the factor the difference of the tokenizers. Both are fitted to the newest reports by
/// medians, so that a few odd ones change nothing. The offset takes effect from three reports on, as far as
/// `system_tokens` does not say it already; the factor (0.5 to 2) from five about contexts whose sizes differ by 4,000 tokens and by a fifth.
/// `usage.calibration` has what is in force. A report that cannot be about the context, or
/// is about fewer than 4,000 tokens, corrects nothing; `verdict` says so.
/// Another `model` of the session, which counts otherwise, starts anew.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/usage", tag = "usage", operation_id = "usage.report",
    params(SessionPath), request_body = ProviderUsage,
    responses((status = 200, body = UsageReported, description = "What the report came to."))
)]
pub async fn report_usage(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    key: IdempotencyKey,
    body: Json<ProviderUsage>,
) -> Result<KeptReply> {
    check(&body.value)?;
    // Write the pending usage first, so that the context served last is found, even when it is counted in memory
    // only.
    if let Err(error) = state.store.flush_usage(Some(caller.tenant)).await {
        tracing::warn!(%error, "usage.not_written");
    }
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?);
    let report = body.value;
    let figures = UsageDelta {
        calls: 1,
        tokens_in: whole(report.input_tokens),
        tokens_out: whole(report.output_tokens),
        tokens_cached: whole(report.cached_tokens.unwrap_or_default()),
        ..UsageDelta::default()
    };
    let session = (caller.tenant, &path.session_id);
    let given = report.context_tokens;
    let at = state.clock.now();
    let found = state.store.report_usage(&mut tx, session, Report { figures, counted: given, at }).await?;
    let taken = found.or_missing(Kind::SessionNotFound)?;
    let reply = UsageReported {
        session_id: path.session_id.name,
        counted_tokens: taken.counted,
        reported_tokens: report.input_tokens,
        ratio: ratio(report.input_tokens, taken.counted),
        basis: match (given, taken.was_served) {
            (Some(_), _) => Basis::Given,
            (None, true) => Basis::Served,
            (None, false) => Basis::Head,
        },
        verdict: taken.verdict,
        model: report.model,
        context_revision: taken.session.served_revision(),
        usage: taken.session.usage(),
    };
    let reply = KeptReply::json(StatusCode::OK, &reply)?;
    claimed.commit(&state.store, tx, Some(taken.session.id), reply).await
}

fn check(report: &ProviderUsage) -> Result<()> {
    if report.cached_tokens.is_some_and(|cached| cached > report.input_tokens) {
        let detail = "must be at most input_tokens, which has cached tokens in it; of a provider that reports them \
                      apart, send the sum as input_tokens";
        return Err(ApiError::invalid("/cached_tokens", detail));
    }
    if report.context_tokens == Some(0) {
        return Err(ApiError::invalid("/context_tokens", "must be at least 1"));
    }
    let fits = |name: &String| (1..=MAX_MODEL_CHARS).contains(&name.chars().count()) && !name.contains('\0');
    if !report.model.as_ref().is_none_or(fits) {
        let detail = format!("must have 1 to {MAX_MODEL_CHARS} characters and no NUL");
        return Err(ApiError::invalid("/model", detail));
    }
    Ok(())
}

fn whole(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn ratio(reported: u64, counted: u64) -> Option<f64> {
    (counted > 0).then(|| (reported as f64 / counted as f64 * 1e4).round() / 1e4)
}

/// Which days to report.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageQuery {
    /// The first day in UTC; default 29 days before `to`.
    #[param(example = "2026-01-01")]
    pub from: Option<NaiveDate>,
    /// The last day in UTC; default today.
    #[param(example = "2026-01-31")]
    pub to: Option<NaiveDate>,
}

/// The use of the tenant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TenantUsage {
    /// The first day of the report.
    pub from: NaiveDate,
    /// The last day of the report.
    pub to: NaiveDate,
    /// Over all of these days, sessions that are erased since included.
    pub total: UsageFigures,
    /// Day by day, without those on which nothing was used.
    pub days: Vec<DayView>,
    /// How the tasks ended that ended on these days.
    pub tasks: OutcomesByCompression,
}

/// The use of the tenant on one day.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = UsageDay)]
pub struct DayView {
    /// The day in UTC.
    pub day: NaiveDate,
    /// The figures of use.
    #[serde(flatten)]
    pub figures: UsageFigures,
}

/// Reports what the tenant used, by day, and what a completed task costs with and without compression.
///
/// Figures of requests reach the report within about a second. Sums by day stay when sessions are erased;
/// tasks are those whose sessions are still there.
#[utoipa::path(
    get, path = "/v1/usage", tag = "usage", operation_id = "usage.get", params(UsageQuery),
    responses((status = 200, body = TenantUsage, description = "The report."))
)]
pub async fn find_usage(
    Reader { caller, state }: Reader,
    Query(query): Query<UsageQuery>,
) -> Result<Reply<TenantUsage>> {
    let to = query.to.unwrap_or_else(|| state.clock.now().date_naive());
    let from = match query.from {
        Some(from) => from,
        None => to
            .checked_sub_signed(TimeDelta::days(DEFAULT_DAYS - 1))
            .ok_or_else(|| ApiError::parameter("to", "is no day that has a month before it"))?,
    };
    let days = to.signed_duration_since(from).num_days() + 1;
    if days < 1 {
        return Err(match query.to {
            Some(_) => ApiError::parameter("to", format!("must not be before from, {from}")),
            None => ApiError::parameter(
                "from",
                format!("must not be after today, {to}, which is the default of to"),
            ),
        });
    }
    if days > MAX_DAYS {
        return Err(ApiError::parameter("from", format!("a report has at most {MAX_DAYS} days")));
    }
    // The database has no dates beyond these.
    let years = 2000..=9999;
    for (name, day) in [("from", from), ("to", to)] {
        if !years.contains(&chrono::Datelike::year(&day)) {
            return Err(ApiError::parameter(name, "must be a day of the years 2000 to 9999"));
        }
    }
    let report = state.store.report_tenant_usage(caller.tenant, (from, to)).await?;
    let mut total = Tally::default();
    for day in &report.days {
        total.join(&day.tally);
    }
    let days =
        report.days.iter().map(|day| DayView { day: day.day, figures: day.tally.report(None) }).collect();
    Ok(Reply(TenantUsage { from, to, total: total.report(None), days, tasks: report.tasks }))
}

impl AppState {
    /// Adds what a session used to the ledger.
    pub(crate) fn count_use(
        &self,
        caller: &Caller,
        session: SessionId,
        task_id: Option<&str>,
        (kind, figures): (UsageKind, UsageDelta),
    ) {
        if caller.looks_on {
            return;
        }
        let user = User { tenant: caller.tenant, session, task_id, at: self.clock.now() };
        self.store.meter().count(user, kind, figures);
    }
}

/// One read of what the context no longer shows.
pub(crate) fn refetch(tokens: i64) -> UsageDelta {
    UsageDelta { calls: 1, tokens_out: tokens, ..UsageDelta::default() }
}

/// A time in microseconds, as the ledger sums them.
pub(crate) fn micros(time: std::time::Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// An estimate of a text's tokens.
pub(crate) fn about_tokens(text: &str) -> i64 {
    let head = text.get(..text.floor_char_boundary(COUNTED_BYTES)).unwrap_or(text);
    let counted = u64::from(TokenCounter::default().count_text(head));
    let (all, head) = (text.len() as u64, (head.len() as u64).max(1));
    whole(counted.saturating_mul(all) / head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_counted_by_its_beginning() {
        let line = "one two three four five six seven eight\n";
        assert_eq!(about_tokens(line), i64::from(TokenCounter::default().count_text(line)));
        let long = line.repeat(5_000);
        let exact = i64::from(TokenCounter::default().count_text(&long));
        assert!((about_tokens(&long) - exact).abs() * 100 < exact);
        assert_eq!(about_tokens(""), 0);
        assert!(about_tokens(&"日本語".repeat(20_000)) > 0);
    }
}
