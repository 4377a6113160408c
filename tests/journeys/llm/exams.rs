//! Exams: questions that a model writes from the messages, answered from what is served, and what becomes of them.

use anchord_llm::{Options, Provider};
use serde_json::{Value, json};

use super::{app_for, append, compressed, options, stretch};
use crate::dumps;
use crate::support::app::{App, OURS, THEIRS};
use crate::support::number;
use crate::support::provider::{Act, Asks, FakeProvider, answers, exam};

/// What a reader says who knows all three.
const ALL: [&str; 3] = ["The csv crate, as quotes are hard by hand.", "vendor/", "src/import.rs"];

fn examined(fake: &FakeProvider) -> Options {
    Options { exam_model: Some("examiner".to_owned()), ..options(fake, Provider::Openai) }
}

/// A session of which every compression is examined.
async fn always(fake: &FakeProvider) -> App {
    let app = app_for(examined(fake)).await;
    put(&app, &json!({"exam": "always"})).await;
    app
}

async fn put(app: &App, settings: &Value) {
    app.call("PUT", "/v1/sessions/s", settings.to_string()).await.with(200);
}

async fn get(app: &App, path: &str) -> Value {
    app.call("GET", &format!("/v1/sessions/s{path}"), "").await.with(200).json()
}

/// The exam's questions among a session's probes: number of the version that they came with, and since when they are
/// asked no more.
async fn questions(app: &App) -> Vec<(i64, Option<i64>)> {
    let probes = get(app, "/probes?limit=200").await;
    let exam = |probe: &&Value| probe["source"] == "exam";
    let probes = probes["items"].as_array().unwrap().iter().filter(exam);
    probes.map(|p| (p["version"].as_i64().unwrap(), p["retired_in_version"].as_i64())).collect()
}

fn warnings(done: &Value) -> String {
    done["warnings"].to_string()
}

#[tokio::test]
async fn an_exam_is_written_from_the_messages_and_answered_from_what_is_served() {
    let fake = FakeProvider::start([Act::Good]).await;
    fake.play_for(
        Asks::Answers,
        [answers(&["The csv crate, as quotes are hard by hand.", "src/", "src/import.rs"])],
    );
    let app = always(&fake).await;
    let done = compressed(&app, "").await;
    assert_eq!(done["status"], "succeeded", "{done}");
    assert_eq!(done["exam"]["asked"], 3, "{done}");
    assert_eq!((&done["exam"]["passed"], &done["exam"]["low"]), (&json!(2), &json!(false)), "{done}");
    assert_eq!(done["probe_score"], 1.0, "an exam counts in no other figure: {done}");
    assert!(warnings(&done).contains("of 4 questions of the examiner's 1 were not asked"), "{done}");

    let [examiner] = &fake.seen_for(Asks::Exam)[..] else { panic!("one examiner") };
    let [reader] = &fake.seen_for(Asks::Answers)[..] else { panic!("one reader") };
    assert_eq!((&examiner.body["model"], &reader.body["model"]), (&json!("examiner"), &json!("examiner")));
    let (examiner, reader) = (examiner.prompt(), reader.prompt());
    assert!(examiner.contains("Never touch vendor/") && !examiner.contains("Session Intent"), "{examiner}");
    assert!(
        reader.contains("Session Intent") && reader.contains("Which folder must stay as it is?"),
        "{reader}"
    );
    assert!(!reader.contains("Nobody may touch vendor/."), "no answer is given away: {reader}");
    assert!(!reader.contains("RabbitMQ"), "what is invented is not asked: {reader}");
    let digest = get(&app, "/context?format=openai-chat").await.to_string();
    assert!(digest.contains("Step 0"), "a digest is served: {digest}");
    assert!(reader.contains("Step 0"), "and the reader is given it: {reader}");

    let list = get(&app, "/evaluations").await;
    let found = &list["items"][0];
    assert_eq!((&found["exam"], &found["asked"]), (&done["exam"], &done["probes_asked"]), "{found}");
    let detail = get(&app, &format!("/evaluations/{}", found["id"].as_str().unwrap())).await;
    let sat: Vec<&Value> =
        detail["results"].as_array().unwrap().iter().filter(|r| !r["probe"]["reference"].is_null()).collect();
    let verdicts: Vec<&str> = sat.iter().map(|r| r["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["pass", "fail", "pass"], "{detail}");
    assert!(sat.iter().all(|r| r["answered_by"] == "model"), "{detail}");
    assert_eq!(questions(&app).await, [(1, None); 3]);
    assert_eq!(done["cost"]["calls"], 3, "{done}");
    let mut look = app.database.connect().await;
    for purpose in ["examine", "read"] {
        let asked = format!("select count(*) from llm_attempts where purpose = '{purpose}'");
        assert_eq!(number(&mut look, &asked).await, 1, "{purpose}");
    }
}

#[tokio::test]
async fn exams_and_what_a_model_worded_move_with_their_session() {
    let fake = FakeProvider::start([Act::Good]).await;
    fake.play_for(Asks::Answers, [answers(&ALL)]);
    let app = always(&fake).await;
    compressed(&app, "").await;
    append(&app, &stretch(20)).await;
    compressed(&app, "").await;
    let dump = dumps::export(&app, OURS, "s").await;
    dumps::import(&app, THEIRS, "copy", &dump).await.with(201);
    let original = dumps::told(&app, OURS, "s", "main").await;
    dumps::same(&dumps::told(&app, THEIRS, "copy", "main").await, &original, "copy");
    let copy = app.call_as(THEIRS, "GET", "/v1/sessions/copy/summaries", "").await.json();
    let first = &copy["items"][1];
    assert_eq!((&first["exam"]["asked"], &first["engine"]), (&json!(3), &json!("llm")), "{first}");
    assert_eq!(first["imported"], true, "{first}");
}

#[tokio::test]
async fn a_session_is_examined_as_its_setting_says() {
    let fake = FakeProvider::start([Act::Good]).await;
    fake.play_for(Asks::Answers, [answers(&ALL)]);
    let app = app_for(examined(&fake)).await;
    let mut look = app.database.connect().await;
    // Sampled, where nobody says: by the session's id.
    let taken = number(
        &mut look,
        "select ('x' || right(replace(id::text, '-', ''), 1))::bit(4)::bigint % 4 from sessions",
    )
    .await
        == 0;
    compressed(&app, "").await;
    assert_eq!(fake.seen_for(Asks::Exam).len(), usize::from(taken));
    put(&app, &json!({"exam": "off"})).await;
    append(&app, &stretch(20)).await;
    compressed(&app, "").await;
    assert_eq!(fake.seen_for(Asks::Exam).len(), usize::from(taken));
    put(&app, &json!({"exam": "always"})).await;
    append(&app, &stretch(20)).await;
    compressed(&app, "").await;
    assert_eq!(fake.seen_for(Asks::Exam).len(), usize::from(taken) + 1);
    for (settings, field) in
        [(json!({"exam": "often"}), "/exam"), (json!({"thresholds": {"exam": 1.5}}), "/thresholds/exam")]
    {
        let reply = app.call("PUT", "/v1/sessions/s", settings.to_string()).await;
        assert!(reply.status == 422 && reply.text.contains(field), "{}", reply.text);
    }
}

#[tokio::test]
async fn questions_are_asked_of_later_versions_while_they_are_true() {
    let fake = FakeProvider::start([Act::Good]).await;
    fake.play_for(Asks::Answers, [answers(&ALL)]);
    let app = always(&fake).await;
    compressed(&app, "").await;
    append(&app, &stretch(20)).await;
    // The folder's rule is taken back by a message, and somebody would close another without one.
    let second =
        json!({"questions": [], "outdated": [{"number": 2, "seqs": [70]}, {"number": 1, "seqs": []}]});
    fake.play_for(Asks::Exam, [Act::Say(second.to_string())]);
    fake.play_for(Asks::Answers, [answers(&["csv crate, by hand", "src/import.rs"])]);
    let done = compressed(&app, "").await;
    assert_eq!((&done["exam"]["asked"], &done["exam"]["score"]), (&json!(2), &Value::Null), "{done}");
    assert_eq!(questions(&app).await, [(1, None), (1, Some(2)), (1, None)]);
    let shown = fake.seen_for(Asks::Exam)[1].prompt();
    assert!(shown.contains("2. Which folder must stay as it is? — Nobody may touch vendor/."), "{shown}");

    // An evaluation asks what was true at its version, and writes nothing new.
    fake.play_for(Asks::Answers, [answers(&ALL)]);
    let exams = fake.seen_for(Asks::Exam).len();
    for (version, asked) in [(1, 3), (2, 2)] {
        let body = json!({"version": version}).to_string();
        assert_eq!(app.call("POST", "/v1/sessions/s/evaluations", body).await.status, 202);
        app.work().await;
        let newest = &get(&app, "/evaluations").await["items"][0];
        assert_eq!(
            (&newest["version"], &newest["exam"]["asked"]),
            (&json!(version), &json!(asked)),
            "{newest}"
        );
    }
    assert_eq!(fake.seen_for(Asks::Exam).len(), exams);

    // Back at the first version all three are true again.
    app.call("POST", "/v1/sessions/s/summaries/1/rollback", "").await.with(201);
    assert_eq!(questions(&app).await, [(1, None); 3]);
}

#[tokio::test]
async fn what_a_reader_did_not_know_is_told_once_more_and_the_better_version_is_taken() {
    let fake = FakeProvider::start([Act::Good]).await;
    fake.play_for(Asks::Answers, [answers(&["?", "-", "src/import.rs"]), answers(&ALL)]);
    let app = always(&fake).await;
    let done = compressed(&app, "").await;
    assert_eq!((&done["exam"]["passed"], &done["exam"]["low"]), (&json!(3), &json!(false)), "{done}");
    let gate = done["gate"].as_array().unwrap();
    let steps: Vec<(&str, &Value, &Value)> = gate
        .iter()
        .map(|record| (record["outcome"].as_str().unwrap(), &record["next"], &record["exam"]["passed"]))
        .collect();
    assert_eq!(
        steps,
        [("repair", &json!("detail"), &json!(1)), ("accept", &Value::Null, &json!(3))],
        "{done}"
    );
    let [_, detail] = &fake.seen_for(Asks::Narrative)[..] else { panic!("one call and one in detail") };
    let prompt = detail.prompt();
    assert!(prompt.contains("lost decisions and their reasons, errors, figures and identifiers"), "{prompt}");
    assert!(!prompt.contains("Which folder must stay"), "a writer is told no question: {prompt}");
    assert_eq!(fake.seen_for(Asks::Exam).len(), 1, "an exam is written once");
    assert_eq!(done["flags"].as_array().unwrap().iter().filter(|f| f["metric"] == "low_exam").count(), 0);
}

#[tokio::test]
async fn a_retelling_that_helps_nothing_leaves_the_version_as_it_was_and_flagged() {
    for worse in [answers(&["?", "-", "src/import.rs"]), Act::Ignorant, raw_error()] {
        let fake = FakeProvider::start([Act::Good]).await;
        let app = always(&fake).await;
        fake.play_for(Asks::Answers, [answers(&["?", "-", "src/import.rs"]), worse]);
        let done = compressed(&app, "").await;
        assert_eq!((&done["status"], &done["engine"]), (&json!("succeeded"), &json!("llm")), "{done}");
        assert_eq!((&done["exam"]["passed"], &done["exam"]["low"]), (&json!(1), &json!(true)), "{done}");
        let flags = done["flags"].to_string();
        assert!(flags.contains("of 3 questions about the messages the context answers 1"), "{flags}");
        assert_eq!(done["gate"].as_array().unwrap().last().unwrap()["outcome"], "accept", "{done}");
    }
    // Code has no other words, and is flagged alone.
    let fake = FakeProvider::start([Act::Good]).await;
    let app = always(&fake).await;
    fake.play_for(Asks::Answers, [answers(&["?", "-", "src/import.rs"])]);
    let done = compressed(&app, r#"{"engine": "extractive"}"#).await;
    assert_eq!((&done["engine"], &done["exam"]["low"]), (&json!("extractive"), &json!(true)), "{done}");
    assert_eq!(fake.seen_for(Asks::Narrative).len(), 0);
    let fake = FakeProvider::start([Act::Good]).await;
    let app = always(&fake).await;
    fake.play_for(Asks::Answers, [answers(&["?", "-", "src/import.rs"])]);
    let lower = json!({"thresholds": {"exam": 0.2}}).to_string();
    assert_eq!(app.call("PATCH", "/v1/sessions/s", lower).await.status, 200);
    let done = compressed(&app, "").await;
    assert_eq!(done["exam"]["low"], false, "{done}");
}

fn raw_error() -> Act {
    super::raw(400, &[])
}

#[tokio::test]
async fn whatever_examiner_and_reader_do_a_version_is_published_and_it_is_said() {
    let nonsense = json!({"questions": [
        {"kind": "poem", "question": "yes?", "answer": "yes", "facts": ["yes"], "seqs": [1]},
        {"kind": "recall", "question": "What is two and two?", "answer": "four", "facts": ["four"], "seqs": [1]},
        {"kind": "recall", "question": "q".repeat(100_000), "answer": "a", "facts": ["b"], "seqs": [1]},
    ]});
    let good = exam().to_string();
    let yes = ["Yes.", "Yes.", "Yes."];
    let cases: [(Act, Act, &str); 7] = [
        (Act::Say(nonsense.to_string()), Act::Good, "of 3 questions of the examiner's 3 were not asked"),
        (
            Act::Say("I would rather not.".to_owned()),
            Act::Good,
            "the examiner gave no usable answer (unusable_reply)",
        ),
        (raw_error(), Act::Good, "the examiner gave no usable answer (status)"),
        (Act::Break, Act::Good, "the examiner gave no usable answer"),
        (
            Act::Say(good.clone()),
            answers(&["vendor/", "vendor/", "vendor/"]),
            "the reader gave no usable answer (the same answer to every question)",
        ),
        (
            Act::Say(good.clone()),
            Act::Say("Fine.".to_owned()),
            "the reader gave no usable answer (unusable_reply)",
        ),
        (Act::Say(good), raw_error(), "the reader gave no usable answer (status)"),
    ];
    for (examiner, reader, told) in cases {
        let fake = FakeProvider::start([Act::Good]).await;
        let app = always(&fake).await;
        fake.play_for(Asks::Exam, [examiner]);
        fake.play_for(Asks::Answers, [reader]);
        let done = compressed(&app, "").await;
        assert_eq!(
            (&done["status"], &done["engine"]),
            (&json!("succeeded"), &json!("llm")),
            "{told}: {done}"
        );
        assert_eq!((&done["exam"], &done["probe_score"]), (&Value::Null, &json!(1.0)), "{told}: {done}");
        assert!(warnings(&done).contains(told), "{told}: {done}");
    }
    // One that says yes to everything knows nothing, and nothing is told once more for it.
    let fake = FakeProvider::start([Act::Good]).await;
    let app = always(&fake).await;
    fake.play_for(Asks::Answers, [answers(&yes)]);
    let done = compressed(&app, "").await;
    assert_eq!((&done["exam"]["passed"], &done["exam"]["low"]), (&json!(0), &json!(true)), "{done}");
    assert!(warnings(&done).contains("the same answer to every question"), "{done}");
    assert_eq!(fake.seen_for(Asks::Narrative).len(), 1);
    assert_eq!((&done["status"], &done["version"]), (&json!("succeeded"), &json!(1)), "{done}");
    assert_eq!(questions(&app).await, [(1, None); 3], "its questions are asked of the next");
}
