//! What the operator sees: tenants beside each other, the queue, workers, errors and the gateway; never a message.

use std::collections::BTreeMap;

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;

use super::html;
use super::operate::{Setting, sourced};
use crate::PATH;
use crate::fault::Fault;
use crate::view::{Look as _, Page, Paged, count, next, segment, shown, time, with_query, word};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "operator.html")]
struct OperatorPage {
    page: Page,
    tenants: Vec<Tenant>,
    next: String,
    figures: Vec<Group>,
}

struct Tenant {
    href: String,
    name: String,
    status: String,
    retention: String,
    quotas: String,
    created: String,
}

/// Figures of this process that belong together.
struct Group {
    name: &'static str,
    figures: Vec<(String, String)>,
}

fn operator_only(visit: &Visit) -> Result<(), Fault> {
    if visit.who.is_operator {
        return Ok(());
    }
    Err(Fault::refused(StatusCode::FORBIDDEN, "Only for the operator", "Sign in with the operator's token."))
}

pub(super) async fn show(visit: Visit, Query(paged): Query<Paged>) -> Result<Response, Fault> {
    operator_only(&visit)?;
    let listed = with_query("/v1/admin/tenants", &[("limit", "50"), ("cursor", &paged.cursor)]);
    let (tenants, metrics) = futures::try_join!(visit.get(listed), visit.text("/metrics", "text/plain"))?;
    html(&OperatorPage {
        page: Page::of(&visit, "operator", "Operator"),
        tenants: tenants.list("items").iter().map(tenant_row).collect(),
        next: next(&tenants, &format!("{PATH}/operator")),
        figures: groups(&metrics),
    })
}

fn tenant_row(one: &Value) -> Tenant {
    let quotas: Vec<String> = one
        .under("quotas")
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some(format!("{} {}", word(name), count(value.as_i64()?))))
        .collect();
    Tenant {
        href: format!("{PATH}/operator/tenants/{}", segment(&one.text("id"))),
        name: shown(&one.text("name"), 80),
        status: one.text("status"),
        retention: match one.whole("retention_days") {
            0 => "for ever".to_owned(),
            days => format!("{days} days"),
        },
        quotas: if quotas.is_empty() { "the installation's".to_owned() } else { quotas.join(", ") },
        created: time(&one.text("created_at")),
    }
}

/// A metric's values by its labels, as text.
pub(super) fn read(metrics: &str) -> BTreeMap<(&str, String), f64> {
    let mut all = BTreeMap::new();
    for line in metrics.lines().filter(|line| !line.starts_with('#')) {
        let Some((named, value)) = line.rsplit_once(' ') else { continue };
        let (name, labels) = named.split_once('{').unwrap_or((named, ""));
        let labels: Vec<&str> = labels
            .trim_end_matches('}')
            .split("\",")
            .filter_map(|pair| pair.split_once("=\"").map(|(_, value)| value.trim_end_matches('"')))
            .collect();
        if let Ok(value) = value.parse::<f64>() {
            *all.entry((name, labels.join(" "))).or_default() += value;
        }
    }
    all
}

/// What each group shows, by the beginning of a metric's name.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Queue and workers",
        &[
            "anchord_queue", "anchord_worker", "anchord_jobs", "anchord_compressions",
            "anchord_webhook_oldest",
        ],
    ),
    ("Errors by kind", &["anchord_problems", "anchord_errors", "anchord_llm_errors"]),
    ("Gateway", &["anchord_gateway"]),
    ("Database", &["anchord_db"]),
    ("Contexts", &["anchord_context_tokens", "anchord_served_contexts"]),
];

fn groups(metrics: &str) -> Vec<Group> {
    let all = read(metrics);
    let mut groups: Vec<Group> = GROUPS
        .iter()
        .map(|(name, prefixes)| Group {
            name,
            figures: all
                .iter()
                .filter(|((metric, labels), _)| {
                    let is_plain = !["_bucket", "_sum", "_count"].iter().any(|end| metric.ends_with(end));
                    is_plain
                        && !labels.contains("0.99")
                        && prefixes.iter().any(|prefix| metric.starts_with(prefix))
                })
                .map(|((metric, labels), value)| {
                    let metric = word(metric.trim_start_matches("anchord_").trim_end_matches("_total"));
                    (format!("{metric} {}", shown(labels, 120)).trim().to_owned(), figure(*value))
                })
                .collect(),
        })
        .collect();
    let refused = all
        .iter()
        .filter(|((metric, _), _)| *metric == "anchord_http_requests_total")
        .filter_map(|((_, labels), value)| Some((labels.rsplit_once(' ')?.1.to_owned(), *value)))
        .filter(|(status, _)| status.starts_with(['4', '5']));
    let mut by_status: BTreeMap<String, f64> = BTreeMap::new();
    for (status, value) in refused {
        *by_status.entry(status).or_default() += value;
    }
    if let Some(errors) = groups.iter_mut().find(|group| group.name == "Errors by kind") {
        errors
            .figures
            .extend(by_status.into_iter().map(|(status, n)| (format!("replies {status}"), figure(n))));
    }
    groups.retain(|group| !group.figures.is_empty());
    groups
}

#[expect(clippy::cast_possible_truncation, reason = "shown as a whole number where it is one")]
fn figure(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { count(value as i64) } else { format!("{value:.3}") }
}

#[derive(Template)]
#[template(path = "tenant.html")]
struct TenantPage {
    page: Page,
    tenant: Tenant,
    id: String,
    settings: Vec<Setting>,
    keys: Vec<(String, String, String, String)>,
}

pub(super) async fn tenant(visit: Visit, Path(id): Path<String>) -> Result<Response, Fault> {
    operator_only(&visit)?;
    let path = format!("/v1/admin/tenants/{}", segment(&id));
    let (found, settings, keys) = futures::try_join!(
        visit.get(path.clone()),
        visit.get(format!("{path}/settings")),
        visit.get(format!("{path}/keys?limit=200")),
    )?;
    let tenant = tenant_row(&found);
    let scopes =
        |one: &Value| one.list("scopes").iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
    html(&TenantPage {
        page: Page::of(&visit, "operator", &tenant.name),
        tenant,
        id: shown(&id, 60),
        settings: sourced(settings.under("policy"), &[(settings.under("settings"), "the tenant")]),
        keys: keys
            .list("items")
            .iter()
            .map(|one| {
                let end = if one.text("revoked_at").is_empty() { "in use" } else { "revoked" };
                (shown(&one.text("name"), 60), shown(&one.text("prefix"), 20), scopes(one), end.to_owned())
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_grouped_and_replies_counted_by_status() {
        let text = "# TYPE x counter\nanchord_queue_jobs{state=\"queued\"} 3\nanchord_http_requests_total{operation=\"GET /v1/x\",status=\"404\"} 2\n\
                    anchord_http_requests_total{operation=\"GET /v1/y\",status=\"404\"} 1\nanchord_db_connections{state=\"idle\"} 4\n";
        let groups = groups(text);
        let told: Vec<_> = groups.iter().map(|group| (group.name, group.figures.clone())).collect();
        assert_eq!(told[0], ("Queue and workers", vec![("queue jobs queued".to_owned(), "3".to_owned())]));
        assert_eq!(told[1], ("Errors by kind", vec![("replies 404".to_owned(), "3".to_owned())]));
        assert_eq!(told[2].0, "Database");
    }
}
