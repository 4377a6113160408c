//! The gate with a model: probes answered from the rendering alone, the measures when they fail, and a
//! judge's rubric.

use anchord_llm::{Options, Provider};
use serde_json::{Value, json};

use super::{app_for, append, compressed, document, options, raw, stretch};
use crate::support::app::App;
use crate::support::number;
use crate::support::provider::{Act, Asks, FakeProvider, judgement, record};

fn examined(fake: &FakeProvider) -> Options {
    Options { probe_model: Some("examiner".to_owned()), ..options(fake, Provider::Openai) }
}

/// The gate's records, in a word for each part.
fn records(compression: &Value) -> Vec<(String, String, String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let record =
        |r: &Value| (word(&r["engine"]), word(&r["answered_by"]), word(&r["outcome"]), word(&r["next"]));
    compression["gate"].as_array().unwrap().iter().map(record).collect()
}

fn is(records: &[(String, String, String, String)], expected: &[(&str, &str, &str, &str)]) -> bool {
    let plain: Vec<(&str, &str, &str, &str)> =
        records.iter().map(|(a, b, c, d)| (a.as_str(), b.as_str(), c.as_str(), d.as_str())).collect();
    plain == expected
}

/// The verdicts of the newest evaluation.
async fn evaluation(app: &App) -> Value {
    let list = app.call("GET", "/v1/sessions/s/evaluations", "").await.json();
    let id = list["items"][0]["id"].as_str().expect("an evaluation").to_owned();
    app.call("GET", &format!("/v1/sessions/s/evaluations/{id}"), "").await.json()
}

#[tokio::test]
async fn a_model_answers_the_probes_from_the_rendering_alone_and_code_checks_them() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_for(examined(&fake)).await;
    let done = compressed(&app, "").await;
    assert_eq!((&done["status"], &done["engine"]), (&json!("succeeded"), &json!("llm")), "{done}");
    assert!(is(&records(&done), &[("llm", "model", "accept", "-")]), "{done}");
    let sheets = fake.seen_for(Asks::Answers);
    assert_eq!((sheets.len(), &sheets[0].body["model"]), (1, &json!("examiner")));
    let prompt = sheets[0].prompt();
    assert!(!prompt.contains("quoted fields. the importer reads"), "no message is shown: {prompt}");
    let rendering = app.call("GET", "/v1/sessions/s/summary?style=anchored", "").await.text;
    let first = rendering.lines().find(|line| line.starts_with("## ")).unwrap_or("## Session Intent");
    assert!(prompt.contains(first), "{prompt}");
    let evaluation = evaluation(&app).await;
    let results = evaluation["results"].as_array().unwrap();
    assert!(!results.is_empty() && evaluation["rubric"].is_null(), "{evaluation}");
    for result in results {
        assert_eq!(
            (&result["answered_by"], &result["verdict"]),
            (&json!("model"), &json!("pass")),
            "{result}"
        );
        assert!(result["answer"].as_str().unwrap().contains("importer"), "{result}");
        assert!(result["latency_ms"].is_u64() && result["cost_micros"].is_u64(), "{result}");
    }
    assert_eq!(done["cost"]["calls"], 2, "{done}");
    let mut look = app.database.connect().await;
    assert_eq!(number(&mut look, "select count(*) from llm_attempts where purpose = 'probe'").await, 1);
}

#[tokio::test]
async fn what_a_model_cannot_find_is_told_and_refuses_no_version_whoever_wrote_it() {
    for (body, engine) in [("", "llm"), (r#"{"engine": "extractive"}"#, "extractive")] {
        let fake = FakeProvider::start([Act::Good]).await;
        fake.play_for(Asks::Answers, [Act::Ignorant]);
        let app = app_for(examined(&fake)).await;
        let done = compressed(&app, body).await;
        assert_eq!((&done["status"], &done["engine"]), (&json!("succeeded"), &json!(engine)), "{done}");
        assert!(is(&records(&done), &[(engine, "model", "accept", "-")]), "{done}");
        assert!(done["warnings"].to_string().contains("code's verdict counts"), "{done}");
        let asked = fake.seen_for(Asks::Narrative).len();
        assert_eq!((asked, fake.seen_for(Asks::Answers).len()), (usize::from(engine == "llm"), 1));
        let evaluation = evaluation(&app).await;
        let results = evaluation["results"].as_array().unwrap();
        assert!(results.iter().all(|r| r["answered_by"] == "code"), "{evaluation}");
    }
}

#[tokio::test]
async fn an_examiner_that_fails_is_replaced_by_code_and_said_to_be() {
    for act in
        [raw(500, &[]), raw(401, &[]), Act::Break, Act::Say("NONE".to_owned()), Act::Say("{}".to_owned())]
    {
        let fake = FakeProvider::start([Act::Good]).await;
        fake.play_for(Asks::Answers, [act]);
        let app = app_for(examined(&fake)).await;
        let done = compressed(&app, "").await;
        assert_eq!((&done["status"], &done["engine"]), (&json!("succeeded"), &json!("llm")), "{done}");
        assert!(is(&records(&done), &[("llm", "code", "accept", "-")]), "{done}");
        assert!(done["warnings"].to_string().contains("probes: the model did not answer ("), "{done}");
    }
}

#[tokio::test]
async fn probes_of_earlier_spans_are_asked_again() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_for(examined(&fake)).await;
    let probe = json!({"kind": "constraint", "question": "Which folder must stay as it is?", "expected": ["vendor/"], "critical": true});
    assert_eq!(app.call("POST", "/v1/sessions/s/probes", probe.to_string()).await.status, 201);
    compressed(&app, "").await;
    append(&app, &stretch(12)).await;
    let done = compressed(&app, "").await;
    assert_eq!(done["version"], 2, "{done}");
    let sheets = fake.seen_for(Asks::Answers);
    assert!(sheets.iter().all(|sheet| sheet.prompt().contains("Which folder must stay as it is?")));
    assert_eq!(sheets.len(), 2);
    // It was the first span that said so.
    let evaluation = evaluation(&app).await;
    let asked = |r: &&Value| r["probe"]["question"] == "Which folder must stay as it is?";
    let again = evaluation["results"].as_array().unwrap().iter().find(asked).expect("it is asked").clone();
    assert_eq!((&again["verdict"], &again["answered_by"]), (&json!("pass"), &json!("model")), "{again}");
}

#[tokio::test]
async fn a_judge_gives_a_rubric_and_does_not_know_how_the_summary_was_made() {
    let fake = FakeProvider::start([Act::Good]).await;
    let judged = Options { judge_model: Some("judge".to_owned()), ..options(&fake, Provider::Anthropic) };
    let app = app_for(judged).await;
    for body in ["{}", r#"{"strategy": "opaque"}"#, r#"{"engine": "extractive"}"#] {
        append(&app, &stretch(20)).await;
        let done = compressed(&app, body).await;
        assert_eq!(done["status"], "succeeded", "{done}");
        let evaluation = evaluation(&app).await;
        let rubric = &evaluation["rubric"];
        assert_eq!((&rubric["overall"], &rubric["model"]), (&json!(4.0), &json!("judge")), "{evaluation}");
        assert_eq!(rubric["dimensions"].as_array().unwrap().len(), 6);
    }
    let seen = fake.seen_for(Asks::Judgement);
    assert_eq!(seen.len(), 3);
    for one in &seen {
        let prompt = one.prompt().to_lowercase();
        for word in
            ["anchored", "opaque", "regenerative", "sliding_window", "extractive", "strategy", "engine"]
        {
            assert!(!prompt.contains(word), "{word}: {prompt}");
        }
        assert!(prompt.contains("the importer reads another file") && !prompt.contains("ghp_16c7"));
    }
    // One that a caller asks for is judged too.
    app.call("POST", "/v1/sessions/s/evaluations", "").await.with(202);
    app.work().await;
    let evaluation = evaluation(&app).await;
    assert_eq!(
        (&evaluation["rubric"]["overall"], &evaluation["version"]),
        (&json!(4.0), &json!(3)),
        "{evaluation}"
    );
}

#[tokio::test]
async fn a_judge_that_answers_half_gives_no_rubric() {
    let mut half = judgement(5.0);
    half.as_object_mut().unwrap().remove("continuity");
    for act in [Act::Say(half.to_string()), Act::Say("5/5, great!".to_owned()), raw(401, &[])] {
        let fake = FakeProvider::start([Act::Good]).await;
        fake.play_for(Asks::Judgement, [act]);
        let judged = Options { judge_model: Some("judge".to_owned()), ..options(&fake, Provider::Openai) };
        let app = app_for(judged).await;
        let done = compressed(&app, "").await;
        assert_eq!(done["status"], "succeeded", "{done}");
        assert!(done["warnings"].to_string().contains("rubric: the judge did not answer"), "{done}");
        assert!(evaluation(&app).await["rubric"].is_null());
    }
}

#[tokio::test]
async fn what_a_model_leaves_out_stays_as_code_found_it() {
    let mut poor = record(2);
    poor["add"] = json!([]);
    poor["intent"] = json!("");
    let fake = FakeProvider::start([Act::Say(poor.to_string())]).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    let done = compressed(&app, "").await;
    assert_eq!((&done["status"], &done["engine"]), (&json!("succeeded"), &json!("llm")), "{done}");
    let document: Value = serde_json::from_str(&document(&app).await).unwrap();
    assert!(document["session_intent"].as_str().unwrap().contains("Make the importer"), "{document}");
    assert!(document["constraints"].to_string().contains("vendor/"), "{document}");
    // Where a model says that nothing comes next, nothing does.
    assert_eq!(document["next_steps"], json!([]), "{document}");
}

#[tokio::test]
async fn a_history_read_afresh_that_does_not_hold_falls_back_to_code_and_then_to_the_span() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    assert_eq!(compressed(&app, "").await["version"], 1);
    let before = document(&app).await;
    let probe =
        json!({"kind": "recall", "question": "Which figure?", "expected": ["figure-17-b"], "critical": true});
    assert_eq!(app.call("POST", "/v1/sessions/s/probes", probe.to_string()).await.status, 201);
    append(&app, &stretch(12)).await;
    let done = compressed(&app, r#"{"strategy": "regenerative"}"#).await;
    let expected = [
        ("llm", "code", "repair", "detail"),
        ("llm", "code", "repair", "smaller_pieces"),
        ("llm", "code", "fall_back", "code"),
        ("extractive", "code", "fall_back", "strategy"),
        ("extractive", "code", "reject", "-"),
    ];
    assert!(is(&records(&done), &expected), "{done}");
    let strategies: Vec<&str> =
        done["gate"].as_array().unwrap().iter().map(|r| r["strategy"].as_str().unwrap()).collect();
    assert_eq!(&strategies[3..], ["regenerative", "anchored"], "{done}");
    assert_eq!((&done["status"], &done["version"]), (&json!("rejected"), &Value::Null), "{done}");
    assert_eq!(document(&app).await, before);
}
