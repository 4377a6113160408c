//! The catalogue of all metrics: name, kind, labels and help text of each, from the table in `docs/observability.md`.
//!
//! No label names a tenant, a session or a key, and no label value can be chosen by a caller. Otherwise each tenant
//! would be a set of series, and every reader of a dashboard could read the list of customers.

use metrics::{Label, counter, describe_counter, describe_gauge, describe_histogram};

/// The table of all metrics for people, from which they are described; a test compares it with what is counted.
const TABLE: &str = include_str!("../../docs/observability.md");

/// Counters with one label, whose series of these values start at zero, so that rates are right from the first count.
const SEEDS: &[(&str, &[&str])] = &[
    ("anchord_llm_tokens_total", &["input", "output"]),
    ("anchord_llm_narratives_total", &["told"]),
    ("anchord_llm_entries_total", &["published", "unverified", "dropped"]),
    ("anchord_embedding_batches_total", &["stored"]),
    ("anchord_recall_questions_total", &["ok"]),
    ("anchord_webhook_attempts_total", &["succeeded", "status", "timeout", "connection", "tls", "address"]),
    ("anchord_webhook_deliveries_total", &["succeeded", "failed", "cancelled"]),
    ("anchord_webhooks_disabled_total", &["gone", "failing"]),
    ("anchord_upkeep_rounds_total", &["done", "failed"]),
    ("anchord_erasing_steps_total", &["done", "failed"]),
];

/// One metric.
#[derive(Clone, Debug)]
struct Metric {
    /// Its name, which ends with its unit.
    name: &'static str,
    /// Its kind.
    kind: &'static str,
    /// Its labels.
    labels: Vec<&'static str>,
    /// Its help text.
    help: &'static str,
}

/// Every metric: the rows `| name | kind | labels | help |` of the table.
fn metrics() -> impl Iterator<Item = Metric> {
    TABLE.lines().filter(|line| line.starts_with("| `anchord_")).filter_map(|line| {
        let mut cells = line.trim_matches('|').splitn(4, '|').map(str::trim);
        let (name, kind) = (cells.next()?.trim_matches('`'), cells.next()?);
        let labels = cells.next()?.split(", ").map(|label| label.trim_matches('`'));
        let labels = labels.filter(|label| !label.is_empty()).collect();
        Some(Metric { name, kind, labels, help: cells.next()? })
    })
}

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
    for Metric { name, kind, labels, help } in metrics() {
        match kind {
            "counter" => describe_counter!(name, help),
            "gauge" => describe_gauge!(name, help),
            _ => describe_histogram!(name, help),
        }
        if kind == "counter" && labels.is_empty() {
            counter!(name).absolute(0);
        }
        let seeds = SEEDS.iter().find(|(of, _)| *of == name).map(|(_, values)| *values);
        for (label, value) in
            labels.first().into_iter().flat_map(|label| seeds.into_iter().flatten().map(move |v| (label, v)))
        {
            counter!(name, vec![Label::from_static_parts(label, value)]).absolute(0);
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
        metrics().map(|metric| metric.name).collect()
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
        for metric in metrics() {
            assert!(["counter", "gauge", "histogram"].contains(&metric.kind), "{}", metric.name);
            assert_eq!(metric.kind == "counter", metric.name.ends_with("_total"), "{}", metric.name);
            if metric.kind == "histogram" {
                assert!(BUCKETS.iter().any(|(unit, _)| metric.name.ends_with(unit)), "{}", metric.name);
            }
            assert!(metric.help.ends_with('.'), "{}", metric.name);
        }
    }

    #[test]
    fn every_counter_that_starts_at_zero_has_one_label() {
        for (name, values) in SEEDS {
            let labels = metrics().find(|metric| metric.name == *name).expect("it is in the table").labels;
            assert!(labels.len() == 1 && !values.is_empty(), "{name}");
        }
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
                let of_histogram = |name: &&str| metrics().any(|m| m.name == *name && m.kind == "histogram");
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
