//! Sessions of the corpus as a model told them: answers that somebody wrote, who saw nothing but the prompts, played back.
//! They try reading, the check, merge and exam on what a capable model really says.

use anchord_llm::{Client, Options, Provider};
use rstest::rstest;
use serde_json::{Value, json};

use super::exam::{self, Known};
use super::{folder, read};
use crate::support::app::{App, app_with_model};
use crate::support::provider::{Act, Asks, FakeProvider};

const WINDOW: u32 = 8_000;
const BATCH: usize = 8;

/// What came of a session.
#[derive(Debug, Default)]
struct Outcome {
    versions: usize,
    /// Entries that the model told, and of those what is unverified and what was dropped.
    entries: [u64; 3],
    /// Questions of the exams that were asked, and those that were passed.
    exams: [u64; 2],
    warnings: Vec<String>,
    losses: Vec<String>,
}

impl Outcome {
    fn note(&mut self, compression: &Value) {
        assert_eq!(compression["status"], "succeeded", "{compression}");
        assert_eq!(compression["engine"], "llm", "{compression}");
        self.versions += 1;
        for (sum, name) in self.entries.iter_mut().zip(["told", "unverified", "dropped"]) {
            *sum += compression["entries"][name].as_u64().expect("a count");
        }
        for (sum, name) in self.exams.iter_mut().zip(["asked", "passed"]) {
            *sum += compression["exam"][name].as_u64().unwrap_or_default();
        }
        self.warnings.push(compression["warnings"].to_string());
        self.losses.push(compression["entries"]["losses"].to_string());
    }

    /// The share that is published and verified.
    fn verified(&self) -> f64 {
        let [told, unverified, dropped] =
            self.entries.map(|count| f64::from(u32::try_from(count).expect("few")));
        1.0 - (unverified + dropped) / told
    }
}

async fn call(app: &App, method: &str, path: &str, body: Value) -> Value {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    app.call(method, &format!("/v1/sessions/s{path}"), body).await.good().json()
}

/// Plays a session with what was answered to each kind of question, in order. `ends` are the last messages of the spans that
/// the answers are about.
async fn play(name: &str, ends: &[usize]) -> (Outcome, Known) {
    let file = format!("{name}.json");
    let answers = read(&folder().join("answers").join(&file));
    let list = |kind: &str| answers[kind].as_array().expect("answers").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    // By what was asked: how often a correction is needed is the check's to say.
    let marked = |told: &Value| {
        let marks = told["marks"].as_array().expect("marks").iter().map(text).collect();
        (marks, text(&told["answer"]))
    };
    let fake = FakeProvider::start([Act::Marked(list("narrative").map(marked).collect())]).await;
    fake.play_for(Asks::Exam, list("exam").map(|exam| Act::Say(text(exam))));
    let known = |answers: &Value| serde_json::from_value(answers.clone()).expect("answers by question");
    fake.play_for(Asks::Answers, list("answers").map(|answers| Act::Known(known(answers))));
    let options = Options {
        base_url: Some(format!("{}/v1", fake.url)),
        api_key: Some("a-key".to_owned().into()),
        exam_model: Some("examiner".to_owned()),
        ..Options::new(Provider::Openai, "writer".to_owned())
    };
    let app = app_with_model(Client::new(options).expect("a client")).await;
    let session = read(&folder().join("sessions").join(&file));
    let messages = session["messages"].as_array().expect("messages");
    // Nobody wrote what is told once more.
    let settings = json!({
        "context_window": WINDOW, "auto": false, "engine": "llm", "exam": "always", "thresholds": {"exam": 0.0},
    });
    call(&app, "PUT", "", settings).await;
    let mut ends = ends.iter().peekable();
    for (batch, head) in messages.chunks(BATCH).zip((BATCH..).step_by(BATCH)) {
        call(&app, "POST", "/messages", json!({"messages": batch})).await;
        if let Some(end) = ends.next_if(|end| head >= **end + BATCH || head >= messages.len()) {
            call(&app, "POST", "/compressions", json!({"through_seq": end})).await;
            app.work().await;
        }
    }
    assert_eq!(ends.next(), None);
    let mut outcome = Outcome::default();
    let list = call(&app, "GET", "/compressions?limit=100", Value::Null).await;
    for compression in list["items"].as_array().expect("items").iter().rev() {
        if compression["kind"] == "compress" {
            outcome.note(compression);
        }
    }
    let context = call(&app, "GET", "/context?format=openai-chat", Value::Null).await;
    let served = context["messages"].as_array().expect("messages");
    let known = exam::known(&read(&folder().join("exams").join(&file)), served, messages);
    (outcome, known)
}

/// Floors of what it comes to: versions, exam questions that were passed, and questions of the corpus' own exam that are
/// known from the context.
#[rstest]
#[case::coding("coding-ledger-api", &[37, 64, 90, 100], (4, 25, 7))]
#[case::planted("hostile-planted", &[48, 73, 96], (3, 13, 11))]
#[case::talk("desk-hotel", &[59, 91, 104], (3, 14, 7))]
#[tokio::test]
async fn what_a_model_told_is_published_nearly_whole(
    #[case] name: &str,
    #[case] ends: &[usize],
    #[case] (versions, passed, together): (usize, u64, usize),
) {
    let (outcome, known) = play(name, ends).await;
    assert!(outcome.verified() >= 0.95, "{outcome:?}");
    assert!(outcome.versions >= versions && outcome.exams[1] >= passed, "{outcome:?}");
    assert!(known.context >= together, "{known:?}");
}
