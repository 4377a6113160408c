//! How good a session's versions are: exams and probes with question, expected, answer and verdict, the gate's steps, and calls
//! to models.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::{OfSession, Place, html};
use crate::fault::Fault;
use crate::view::{Look as _, Page, count, duration, money, percent_or, shown, time, word};

/// The most compressions whose calls are read.
const COMPRESSIONS: usize = 10;

#[derive(Template)]
#[template(path = "quality.html")]
struct Quality {
    page: Page,
    place: Place,
    evaluations: Vec<Evaluation>,
    shown: String,
    results: Vec<Question>,
    gates: Vec<Gate>,
    calls: Vec<ModelCall>,
}

struct Evaluation {
    href: String,
    version: i64,
    at: String,
    score: String,
    facts: String,
    exam: String,
    asked: i64,
    failed: i64,
    cut: i64,
}

struct Question {
    verdict: String,
    is_exam: bool,
    asked: String,
    expected: String,
    answer: String,
    missing: String,
    by: String,
    seqs: Vec<i64>,
}

struct Gate {
    version: i64,
    strategy: String,
    outcome: String,
    score: String,
    tokens: String,
    failed: i64,
    reasons: Vec<String>,
}

struct ModelCall {
    at: String,
    purpose: String,
    model: String,
    outcome: String,
    input: String,
    cached: String,
    output: String,
    took: String,
    cost: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    evaluation: String,
}

pub(super) async fn show(
    OfSession { visit, place }: OfSession,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    let (evaluations, compressions) = futures::try_join!(
        visit.get(place.api("/evaluations", &[("limit", "40")])),
        visit.get(place.api("/compressions", &[("limit", "40")])),
    )?;
    let newest = evaluations.list("items").first().map(|one| one.text("id")).unwrap_or_default();
    let chosen = if wanted.evaluation.is_empty() { newest } else { wanted.evaluation };
    let detail = if chosen.is_empty() {
        Value::Null
    } else {
        let path = format!("/evaluations/{}", crate::view::segment(&chosen));
        visit.get(place.api(&path, &[])).await?
    };
    let mut calls = Vec::new();
    let with_model = compressions.list("items").iter().filter(|one| one.under("cost").whole("calls") > 0);
    for one in with_model.take(COMPRESSIONS) {
        let path = format!("/compressions/{}/calls", crate::view::segment(&one.text("id")));
        let found = visit.get(place.api(&path, &[("limit", "100")])).await?;
        calls.extend(found.list("items").iter().map(model_call));
    }
    let gates = compressions.list("items").iter().flat_map(|one| {
        let version = one.whole("version");
        one.list("gate").iter().map(move |gate| step(version, gate))
    });
    html(&Quality {
        page: Page::of(&visit, "sessions", &format!("{}: quality", place.session)),
        evaluations: evaluations.list("items").iter().map(|one| evaluation(&place, one)).collect(),
        shown: shown(&chosen, 60),
        results: detail.list("results").iter().map(question).collect(),
        gates: gates.take(100).collect(),
        calls,
        place,
    })
}

fn evaluation(place: &Place, one: &Value) -> Evaluation {
    Evaluation {
        href: place.page("/quality", &[("evaluation", &one.text("id"))]),
        version: one.whole("version"),
        at: time(&one.text("created_at")),
        score: percent_or(one.share("score")),
        facts: percent_or(one.share("facts_score")),
        exam: percent_or(one.under("exam").share("score")),
        asked: one.whole("asked"),
        failed: one.whole("failed"),
        cut: one.whole("cut"),
    }
}

fn question(one: &Value) -> Question {
    let probe = one.under("probe");
    let joined = |of: &Value, key: &str| {
        let all: Vec<String> =
            of.list(key).iter().filter_map(Value::as_str).map(|text| shown(text, 300)).collect();
        all.join(" · ")
    };
    let reference = probe.text("reference");
    Question {
        verdict: word(&one.text("verdict")),
        is_exam: !reference.is_empty(),
        asked: shown(&probe.text("question"), 600),
        expected: if reference.is_empty() { joined(probe, "expected") } else { shown(&reference, 600) },
        answer: shown(&one.text("answer"), 800),
        missing: joined(one, "missing"),
        by: word(&one.text("answered_by")),
        seqs: probe.list("seqs").iter().filter_map(Value::as_i64).collect(),
    }
}

fn step(version: i64, gate: &Value) -> Gate {
    Gate {
        version,
        strategy: format!("{}, {}", word(&gate.text("strategy")), word(&gate.text("engine"))),
        outcome: word(&gate.text("outcome")),
        score: percent_or(gate.share("score")),
        tokens: count(gate.whole("rendering_tokens")),
        failed: gate.whole("failed"),
        reasons: gate.list("reasons").iter().filter_map(Value::as_str).map(|text| shown(text, 300)).collect(),
    }
}

fn model_call(one: &Value) -> ModelCall {
    ModelCall {
        at: time(&one.text("created_at")),
        purpose: word(&one.text("purpose")),
        model: shown(&one.text("model"), 60),
        outcome: word(&one.text("outcome")),
        input: count(one.whole("input_tokens")),
        cached: count(one.whole("cached_tokens")),
        output: count(one.whole("output_tokens")),
        took: duration(one.whole("latency_ms")),
        cost: money(one.whole("cost_micros")),
    }
}
