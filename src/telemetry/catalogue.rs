//! The catalogue of all metrics: name, kind, labels and help text of each.
//!
//! No label names a tenant, a session or a key, and no label value can be chosen by a caller. Otherwise each tenant
//! would be a set of series, and every reader of a dashboard could read the list of customers.

use metrics::{Label, counter, describe_counter, describe_gauge, describe_histogram};

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A count that only grows.
    Counter,
    /// A value that goes up and down.
    Gauge,
    /// How often values fell into each bucket.
    Histogram,
}

impl Kind {
    #[cfg(test)]
    fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// One metric.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name, which ends with its unit.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Its labels.
    pub labels: &'static [&'static str],
    /// Its help text.
    pub help: &'static str,
    /// Values of its only label whose series start at zero, so that rates are right from the first count.
    seeds: &'static [&'static str],
}

const fn metric(
    name: &'static str,
    kind: Kind,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    Metric { name, kind, labels, help, seeds: &[] }
}

impl Metric {
    const fn seeded(self, values: &'static [&'static str]) -> Self {
        Self { seeds: values, ..self }
    }
}

use Kind::{Counter, Gauge, Histogram};

/// Every metric, in the order of the documentation.
pub const METRICS: &[Metric] = &[
    metric("anchord_build_info", Gauge, &["version"], "Always 1; the version is in the label."),
    metric(
        "anchord_http_requests_total",
        Counter,
        &["operation", "status"],
        "Requests by operation (method and route) and status.",
    ),
    metric(
        "anchord_http_request_seconds",
        Histogram,
        &["operation"],
        "From a request's head to its reply's head.",
    ),
    metric("anchord_http_connections", Gauge, &[], "Open connections."),
    metric("anchord_appended_messages_total", Counter, &[], "Messages that were stored."),
    metric("anchord_appended_tokens_total", Counter, &[], "Tokens of the messages that were stored."),
    metric("anchord_append_batch_appends", Histogram, &[], "Appends that shared a transaction."),
    metric("anchord_append_wait_seconds", Histogram, &[], "How long an append waited for its transaction."),
    metric("anchord_append_transaction_seconds", Histogram, &[], "How long a transaction of appends took."),
    metric("anchord_context_tokens_served_total", Counter, &[], "Tokens of the contexts that were served."),
    metric(
        "anchord_context_tokens_saved_total",
        Counter,
        &[],
        "Tokens that the sessions' whole histories had beyond the contexts that were served.",
    ),
    metric(
        "anchord_queue_jobs",
        Gauge,
        &["kind", "status"],
        "Jobs that wait or run, in the whole installation: take the maximum over processes, not the sum.",
    ),
    metric(
        "anchord_queue_oldest_due_seconds",
        Gauge,
        &["kind"],
        "For how long the oldest job that is due has been due, in the whole installation; 0 when none is.",
    ),
    metric(
        "anchord_jobs_total",
        Counter,
        &["kind", "ended"],
        "Jobs that this process ran: settled, or broken and given back.",
    ),
    metric("anchord_job_wait_seconds", Histogram, &["kind"], "From a job's request to its first claim."),
    metric("anchord_job_run_seconds", Histogram, &["kind"], "From a job's claim to its end."),
    metric(
        "anchord_job_leases_lost_total",
        Counter,
        &[],
        "Jobs whose lease was lost while they ran, most often because they were cancelled.",
    ),
    metric(
        "anchord_tenant_connections_refused_total",
        Counter,
        &[],
        "Requests refused because their tenant's others held all the connections that a tenant's may.",
    ),
    metric(
        "anchord_worker_presence_lost_total",
        Counter,
        &[],
        "Connections lost that held a worker's sign of life; its jobs go on, and it is held again.",
    ),
    metric(
        "anchord_compressions_total",
        Counter,
        &["status", "strategy", "engine"],
        "Compressions that ended.",
    ),
    metric(
        "anchord_compression_tokens_total",
        Counter,
        &["side"],
        "Tokens of published versions before (old summary and span) and after (new summary).",
    ),
    metric(
        "anchord_compression_saved_tokens_total",
        Counter,
        &[],
        "Tokens that published versions took out of contexts.",
    ),
    metric(
        "anchord_compression_reduction_ratio",
        Histogram,
        &["strategy", "engine"],
        "1 - after / before, of published versions.",
    ),
    metric(
        "anchord_compression_probe_score",
        Histogram,
        &["strategy", "engine", "status"],
        "Share of the probes that the last candidate passed.",
    ),
    metric(
        "anchord_compression_exam_score",
        Histogram,
        &["strategy", "engine", "status"],
        "Share of an exam's questions that a reader answered from the last candidate.",
    ),
    metric(
        "anchord_llm_calls_total",
        Counter,
        &["outcome", "purpose"],
        "Requests to the model's server, failed ones too.",
    ),
    metric(
        "anchord_llm_call_seconds",
        Histogram,
        &["purpose"],
        "How long a request to the model's server took.",
    ),
    metric("anchord_llm_tokens_total", Counter, &["direction"], "Tokens that the model's server counted.")
        .seeded(&["input", "output"]),
    metric(
        "anchord_llm_cost_micros_total",
        Counter,
        &[],
        "Cost of the calls by ANCHORD_LLM_PRICES, in millionths of their currency.",
    ),
    metric(
        "anchord_llm_narratives_total",
        Counter,
        &["ended"],
        "Narratives that a model was asked for: told, or why it came to nothing.",
    )
    .seeded(&["told"]),
    metric(
        "anchord_llm_entries_total",
        Counter,
        &["outcome"],
        "Entries that models told: published, published with the mark unverified, or dropped.",
    )
    .seeded(&["published", "unverified", "dropped"]),
    metric(
        "anchord_llm_session_breakers_opened_total",
        Counter,
        &[],
        "Sessions that go on without a model for a while.",
    ),
    metric(
        "anchord_embedding_batches_total",
        Counter,
        &["outcome"],
        "Batches of messages that vectors were asked for: stored, or why they came to nothing; those are tried again.",
    )
    .seeded(&["stored"]),
    metric("anchord_embedded_texts_total", Counter, &[], "Passages of messages that were sent to the embeddings server."),
    metric("anchord_embedding_tokens_total", Counter, &[], "Tokens of these, as the embeddings server counted them."),
    metric(
        "anchord_recall_questions_total",
        Counter,
        &["outcome"],
        "Questions that vectors were asked for: ok, or why the search was by words alone.",
    )
    .seeded(&["ok"]),
    metric(
        "anchord_webhook_attempts_total",
        Counter,
        &["outcome"],
        "Attempts to deliver to webhooks: succeeded, or why they failed.",
    )
    .seeded(&["succeeded", "status", "timeout", "connection", "tls", "address"]),
    metric("anchord_webhook_attempt_seconds", Histogram, &[], "How long an attempt to deliver took."),
    metric(
        "anchord_webhook_deliveries_total",
        Counter,
        &["status"],
        "Messages to webhooks that were settled: succeeded, failed for good, or cancelled.",
    )
    .seeded(&["succeeded", "failed", "cancelled"]),
    metric(
        "anchord_webhook_oldest_due_seconds",
        Gauge,
        &[],
        "For how long the oldest delivery that is due has been due, in the whole installation; 0 when none is.",
    ),
    metric(
        "anchord_webhooks_disabled_total",
        Counter,
        &["reason"],
        "Webhooks that were disabled because they are gone, or have failed for days.",
    )
    .seeded(&["gone", "failing"]),
    metric(
        "anchord_db_connections",
        Gauge,
        &["state"],
        "Connections of the pool of requests, or of workers' when that is fuller: idle, or in use.",
    ),
    metric("anchord_db_connections_max", Gauge, &[], "Connections that the pool may have."),
    metric("anchord_upkeep_rounds_total", Counter, &["ended"], "Rounds of forgetting: done or failed.")
        .seeded(&["done", "failed"]),
    metric(
        "anchord_erasing_steps_total",
        Counter,
        &["ended"],
        "Steps that delete rows of erased sessions and tenants: done or failed.",
    )
    .seeded(&["done", "failed"]),
    metric(
        "anchord_upkeep_forgotten_replies_total",
        Counter,
        &[],
        "Replies that were kept for retries and are too old.",
    ),
    metric("anchord_upkeep_erased_sessions_total", Counter, &[], "Sessions beyond their tenant's retention."),
];

/// Upper bounds of the histograms' buckets, by the last word of the metric's name.
pub(super) const BUCKETS: &[(&str, &[f64])] = &[
    // From a cached read to a slow model.
    ("_seconds", &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 120.0]),
    ("_appends", &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]),
    ("_ratio", &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0]),
    ("_score", &[0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0]),
];

/// Describes every metric to the recorder, and starts counters without labels or with seeds at zero.
pub(super) fn describe() {
    for metric in METRICS {
        let (name, help) = (metric.name, metric.help);
        match metric.kind {
            Kind::Counter => describe_counter!(name, help),
            Kind::Gauge => describe_gauge!(name, help),
            Kind::Histogram => describe_histogram!(name, help),
        }
        if metric.kind != Kind::Counter {
            continue;
        }
        if metric.labels.is_empty() {
            counter!(name).absolute(0);
        }
        if let [label] = *metric.labels {
            for value in metric.seeds {
                counter!(name, vec![Label::from_static_parts(label, value)]).absolute(0);
            }
        }
    }
    metrics::gauge!("anchord_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use regex::Regex;
    use serde_json::Value;

    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    fn described() -> BTreeSet<&'static str> {
        METRICS.iter().map(|metric| metric.name).collect()
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("catalogue.rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn what_the_code_counts_is_described_and_the_other_way_round() {
        let mut files = Vec::new();
        sources(&root().join("src"), &mut files);
        sources(&root().join("crates"), &mut files);
        let name = Regex::new(r#"(?:counter|gauge|histogram)!\(\s*"(anchord_[a-z_]+)""#).unwrap();
        let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        let mut counted: BTreeSet<&str> = texts
            .iter()
            .flat_map(|text| name.captures_iter(text))
            .filter_map(|m| Some(m.get(1)?.as_str()))
            .collect();
        counted.insert("anchord_build_info");
        assert_eq!(counted, described());
    }

    #[test]
    fn names_end_with_their_unit_and_counters_with_total() {
        for metric in METRICS {
            assert_eq!(metric.kind == Kind::Counter, metric.name.ends_with("_total"), "{}", metric.name);
            if metric.kind == Kind::Histogram {
                assert!(BUCKETS.iter().any(|(unit, _)| metric.name.ends_with(unit)), "{}", metric.name);
            }
            assert!(metric.help.ends_with('.'), "{}", metric.name);
        }
    }

    #[test]
    fn the_documentation_lists_every_metric() {
        let text = fs::read_to_string(root().join("docs/observability.md")).unwrap();
        let listed: Vec<&str> = text.lines().filter(|line| line.starts_with("| `anchord_")).collect();
        let expected: Vec<String> = METRICS
            .iter()
            .map(|metric| {
                let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
                let (name, kind, help) = (metric.name, metric.kind.as_str(), metric.help);
                format!("| `{name}` | {kind} | {} | {help} |", labels.join(", "))
            })
            .collect();
        assert_eq!(listed, expected, "the table is to be:\n{}", expected.join("\n"));
    }

    #[test]
    fn the_dashboard_asks_for_metrics_that_there_are() {
        let text = fs::read_to_string(root().join("dashboards/anchord.json")).unwrap();
        let dashboard: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(dashboard["templating"]["list"][0]["type"], "datasource");
        let panels = dashboard["panels"].as_array().unwrap();
        let rows: Vec<&str> =
            panels.iter().filter(|p| p["type"] == "row").filter_map(|p| p["title"].as_str()).collect();
        assert_eq!(
            rows,
            ["API", "Queue", "Compressions", "Language model", "Webhooks", "Database and upkeep"]
        );
        let name = Regex::new(r"anchord_[a-z_]+").unwrap();
        let known = described();
        let mut asked = BTreeSet::new();
        for expression in panels.iter().flat_map(|p| p["targets"].as_array().into_iter().flatten()) {
            for found in name.find_iter(expression["expr"].as_str().unwrap()) {
                let whole = found.as_str();
                let base = ["_bucket", "_sum", "_count"].iter().find_map(|end| whole.strip_suffix(end));
                let of_histogram =
                    |name: &&str| METRICS.iter().any(|m| m.name == *name && m.kind == Kind::Histogram);
                let metric = base.filter(of_histogram).unwrap_or(whole);
                assert!(known.contains(metric), "{whole}");
                asked.insert(metric.to_owned());
            }
        }
        assert!(asked.len() > 20, "{asked:?}");
        let mut ids = BTreeSet::new();
        for panel in panels {
            assert!(ids.insert(panel["id"].as_u64().unwrap()), "two panels have one id");
            if panel["type"] != "row" {
                assert_eq!(panel["datasource"]["uid"], "${datasource}", "{}", panel["title"]);
            }
        }
    }
}
