//! The quotas of the tenant, and how much of each is used.

use strum::VariantArray as _;

use crate::admission::quotas::tomorrow;
use crate::api::prelude::*;
use anchord_session::quota::{Bound, Quotas};
use anchord_store::bounds::Used;

/// The scope of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaScope {
    /// All that the tenant has.
    Tenant,
    /// Each session.
    Session,
    /// Each webhook.
    Webhook,
}

/// A bound of the tenant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct QuotaStatus {
    /// Its name, as the problem `quota-exceeded` tells it.
    pub quota: &'static str,
    /// Its scope.
    pub scope: QuotaScope,
    /// The most that is allowed; null when nothing is bounded.
    pub limit: Option<u64>,
    /// The used part; null for requests per second, and for a bound of each session or webhook.
    pub used: Option<u64>,
    /// When what is used begins anew; null when it does not by itself.
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub resets_at: Option<DateTime<Utc>>,
}

/// The bounds of the tenant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct QuotaReport {
    /// Every bound.
    pub quotas: Vec<QuotaStatus>,
}

/// Reads the tenant's quotas, and what is used of them.
///
/// Messages and tokens of the day begin anew at midnight (UTC). Sessions and kept replies are counted by each process, which
/// learns within two minutes what others have made.
#[utoipa::path(
    get, path = "/v1/quotas", tag = "usage", operation_id = "usage.get_quotas",
    responses((status = 200, body = QuotaReport, description = "Every bound."))
)]
pub async fn find_quotas(Reader { caller, state }: Reader) -> Result<Reply<QuotaReport>> {
    let now = state.clock.now();
    let used = state.store.find_used(caller.tenant, now.date_naive()).await?;
    Ok(Reply(QuotaReport { quotas: statuses(&caller.quotas, &used, tomorrow(now)) }))
}

fn statuses(quotas: &Quotas, used: &Used, tomorrow: Option<DateTime<Utc>>) -> Vec<QuotaStatus> {
    let of_tenant = |quota, limit, used: Option<i64>, resets_at| QuotaStatus {
        quota,
        scope: QuotaScope::Tenant,
        limit,
        used: used.map(|used| u64::try_from(used).unwrap_or_default()),
        resets_at,
    };
    let appended = used.appended;
    let compressions = quotas.concurrent_compressions.map(u64::from);
    let mut statuses = vec![
        of_tenant("requests_per_second", quotas.requests_per_second.map(u64::from), None, None),
        of_tenant("messages_per_day", quotas.messages_per_day, Some(appended.messages), tomorrow),
        of_tenant("stored_bytes", quotas.stored_bytes, Some(appended.bytes), None),
        of_tenant("llm_tokens_per_day", quotas.llm_tokens_per_day, Some(used.llm_tokens), tomorrow),
        of_tenant("concurrent_compressions", compressions, Some(used.running_compressions), None),
    ];
    for &bound in Bound::VARIANTS {
        let limit = quotas.of(bound).or(u64::try_from(bound.default()).ok());
        let (scope, used) = match bound {
            Bound::Sessions => (QuotaScope::Tenant, Some(used.sessions)),
            Bound::Keys => (QuotaScope::Tenant, Some(used.keys)),
            Bound::KeptReplies => (QuotaScope::Tenant, Some(used.kept_replies)),
            Bound::WaitingJobs => (QuotaScope::Tenant, Some(used.waiting_jobs)),
            Bound::WaitingDeliveries => (QuotaScope::Webhook, None),
            Bound::JobsPerSession | Bound::VersionsPerSession | Bound::TasksPerSession => {
                (QuotaScope::Session, None)
            }
        };
        statuses.push(QuotaStatus { scope, ..of_tenant(bound.name(), limit, used, None) });
    }
    statuses
}
