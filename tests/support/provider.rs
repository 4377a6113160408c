//! A model server of the tests' own, on a free port: it speaks both wire formats, answers by a script, and
//! keeps what it was sent.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Answers with a text as the model's, in the wire format of the request.
    Say(String),
    /// Answers well: with a record of the messages that were asked about, with what the context says to
    /// every question, or with a judgement.
    Good,
    /// Answers every question with that it does not know.
    Ignorant,
    /// Answers with the first of some texts whose marks all stand in the prompt.
    Marked(Vec<(Vec<String>, String)>),
    /// Answers each question with what is known of it.
    Known(BTreeMap<String, String>),
    /// Answers with a status, headers and a body.
    Raw(u16, Vec<(&'static str, &'static str)>, String),
    /// Sends half of an answer and hangs up.
    Break,
    /// Never answers.
    Hang,
    /// Sends an answer byte by byte, and never comes to its end.
    Drip,
    /// Answers with a good record when it is told to.
    Held,
}

/// A request, as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its path.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Value,
}

impl Seen {
    /// The instructions and the data, in one text.
    pub fn prompt(&self) -> String {
        let mut all = text(&self.body["system"]);
        for message in self.body["messages"].as_array().expect("messages") {
            all.push_str(&text(&message["content"]));
        }
        all
    }

    /// What it asks for.
    pub fn asks(&self) -> Asks {
        let prompt = self.prompt();
        if prompt.contains("End of the data. Answer the questions") {
            Asks::Answers
        } else if prompt.contains("End of the data. Write the exam") {
            Asks::Exam
        } else if prompt.contains("End of the data. Judge the summary") {
            Asks::Judgement
        } else {
            Asks::Narrative
        }
    }

    /// A good answer.
    fn good(&self) -> String {
        match self.asks() {
            // Of a session that is about something else nothing is told that is not there.
            Asks::Narrative if !self.prompt().contains("src/import.rs") => {
                json!({"intent": "", "state": "The importer reads another file of the CSV samples.", "seqs": []}).to_string()
            }
            Asks::Narrative => record(self.span().1).to_string(),
            Asks::Answers => self.answers(str::to_owned),
            Asks::Exam => exam().to_string(),
            Asks::Judgement => judgement(4.0).to_string(),
        }
    }

    /// The same answer to every question, made of the context.
    fn answers(&self, answer: impl Fn(&str) -> String) -> String {
        let prompt = self.prompt();
        let user = prompt.split("kind=\"context\">\n").nth(1).expect("a context");
        let context = user.split("\n</data-").next().expect("an end");
        let count = user.rsplit("questions 1 to ").next().expect("a number");
        let count: usize = count.split(' ').next().unwrap().parse().expect("a number");
        let answers: Vec<Value> =
            (1..=count).map(|id| json!({"id": id, "answer": answer(context)})).collect();
        json!({"answers": answers}).to_string()
    }

    /// The first and the last message that it asks about.
    pub fn span(&self) -> (i64, i64) {
        let prompt = self.prompt();
        let end = prompt.rsplit("from the messages ").next().unwrap_or_default();
        let mut numbers = end.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok());
        (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default())
    }
}

/// A text that is sent as it is or in blocks.
fn text(content: &Value) -> String {
    let of_block = |block: &Value| block["text"].as_str().expect("a text").to_owned();
    match content {
        Value::Array(blocks) => blocks.iter().map(of_block).collect(),
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asks {
    /// A narrative.
    Narrative,
    /// Answers to probes, or to an exam.
    Answers,
    /// An exam.
    Exam,
    /// A judgement.
    Judgement,
}

/// The server.
#[derive(Clone, Debug)]
pub struct FakeProvider {
    /// Its address, without a path.
    pub url: String,
    scripts: Arc<Mutex<BTreeMap<Asks, VecDeque<Act>>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    arrived: Arc<Semaphore>,
    held: Arc<Semaphore>,
    /// Requests that wait for their answer, and the most that did at once.
    waiting: Arc<Mutex<(usize, usize)>>,
}

impl FakeProvider {
    /// Starts a server that plays `script`, and then goes on with its last act.
    pub async fn start(script: impl IntoIterator<Item = Act>) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let this = Self {
            url,
            scripts: Arc::new(Mutex::new([(Asks::Narrative, script.into_iter().collect())].into())),
            seen: Arc::default(),
            arrived: Arc::new(Semaphore::new(0)),
            held: Arc::new(Semaphore::new(0)),
            waiting: Arc::default(),
        };
        let router = axum::Router::new().fallback(answer).with_state(this.clone());
        #[expect(clippy::disallowed_methods, reason = "the server lives as long as the test's runtime")]
        tokio::spawn(async move { axum::serve(listener, router).await });
        this
    }

    /// Plays another script for narratives from now on.
    pub fn play(&self, script: impl IntoIterator<Item = Act>) {
        self.play_for(Asks::Narrative, script);
    }

    /// Plays another script for one kind of question from now on; without one it answers well.
    pub fn play_for(&self, asks: Asks, script: impl IntoIterator<Item = Act>) {
        self.scripts.lock().unwrap().insert(asks, script.into_iter().collect());
    }

    /// The requests of one kind so far.
    pub fn seen_for(&self, asks: Asks) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.asks() == asks).collect()
    }

    /// Every request so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits for `count` more requests than were waited for before.
    pub async fn arrivals(&self, count: u32) {
        self.arrived.acquire_many(count).await.expect("an open semaphore").forget();
    }

    /// Answers one request that is held.
    pub fn release(&self) {
        self.held.add_permits(1);
    }

    /// The most requests that were held at the same time.
    pub fn most_at_once(&self) -> usize {
        self.waiting.lock().unwrap().1
    }

    fn count(&self, more: bool) {
        let mut waiting = self.waiting.lock().unwrap();
        waiting.0 = if more { waiting.0 + 1 } else { waiting.0 - 1 };
        waiting.1 = waiting.1.max(waiting.0);
    }

    fn next(&self, asks: Asks) -> Act {
        let mut scripts = self.scripts.lock().unwrap();
        let Some(script) = scripts.get_mut(&asks) else { return Act::Good };
        if script.len() > 1 { script.pop_front().unwrap() } else { script[0].clone() }
    }
}

/// Changes that say what the messages of [`super::app`]'s sessions say; `seq` is where.
pub fn record(seq: i64) -> Value {
    let entry = |section: &str, text: &str, seq: i64| json!({"section": section, "name": "", "text": text, "seqs": [seq]});
    json!({
        "intent": "Make the importer in src/import.rs read CSV files",
        "state": "The importer in src/import.rs reads CSV files with the csv crate.",
        "seqs": [seq],
        "add": [
            entry("decisions", "The agent uses the csv crate for the importer, because quoted fields are hard to read by hand.", seq),
            entry("next", "Write a test for quoted fields of the importer", seq),
        ],
        "append": [],
        "update": [],
        "close": [],
    })
}

/// An exam of the first messages of [`super::app`]'s sessions; one of its questions is about what none of them says.
pub fn exam() -> Value {
    let question = |kind: &str, question: &str, answer: &str, facts: &[&str]| json!({"kind": kind, "question": question, "answer": answer, "facts": facts, "seqs": [1, 2, 3]});
    json!({
        "questions": [
            question("decision", "What reads the files, and why was it chosen?", "The csv crate, because quoted fields are hard to read by hand.", &["csv crate", "by hand"]),
            question("recall", "Which folder must stay as it is?", "Nobody may touch vendor/.", &["vendor/"]),
            question("artifact", "Where is the importer?", "It is in src/import.rs.", &["src/import.rs"]),
            question("recall", "Which broker carries the rows?", "RabbitMQ 3.9 does.", &["RabbitMQ"]),
        ],
        "outdated": [],
    })
}

/// Answers in the order of the questions.
pub fn answers(answers: &[&str]) -> Act {
    Act::Say(answered(answers))
}

fn answered(answers: &[&str]) -> String {
    let answers: Vec<Value> =
        (1..).zip(answers).map(|(id, answer)| json!({"id": id, "answer": answer})).collect();
    json!({"answers": answers}).to_string()
}

/// A judgement that gives the same number to every criterion.
pub fn judgement(number: f64) -> Value {
    let dimension = |names: &[&str]| -> Value {
        names.iter().map(|name| ((*name).to_owned(), json!(number))).collect::<serde_json::Map<_, _>>().into()
    };
    json!({
        "accuracy": dimension(&["factual", "technical"]),
        "context_awareness": dimension(&["conversation", "artifact_state"]),
        "artifact_trail": dimension(&["created", "modified", "key_details"]),
        "completeness": dimension(&["coverage", "depth"]),
        "continuity": dimension(&["work_state", "todos", "reasoning"]),
        "instruction_following": dimension(&["format", "constraints"]),
    })
}

async fn answer(State(fake): State<FakeProvider>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let anthropic = uri.path().ends_with("/v1/messages");
    let seen = Seen { path: uri.path().to_owned(), headers, body };
    let act = fake.next(seen.asks());
    fake.seen.lock().unwrap().push(seen.clone());
    if matches!(act, Act::Held) {
        fake.count(true);
    }
    fake.arrived.add_permits(1);
    match act {
        Act::Good => say(&seen.good(), anthropic),
        Act::Ignorant => say(&seen.answers(|_| "information not found".to_owned()), anthropic),
        Act::Say(text) => say(&text, anthropic),
        Act::Known(known) => {
            let prompt = seen.prompt();
            let asked = prompt.split("kind=\"questions\">\n").nth(1).expect("questions");
            let asked = asked.lines().map_while(|line| line.split_once(". ")?.1.into());
            let answer = |question: &str| known.get(question).map_or("information not found", String::as_str);
            let answers: Vec<&str> = asked.map(answer).collect();
            say(&answered(&answers), anthropic)
        }
        Act::Marked(texts) => {
            let prompt = seen.prompt();
            let is_it = |(marks, _): &&(Vec<String>, String)| marks.iter().all(|mark| prompt.contains(mark));
            say(texts.iter().find(is_it).map_or("", |(_, text)| text), anthropic)
        }
        Act::Raw(status, headers, body) => {
            let mut response = (StatusCode::from_u16(status).unwrap(), body).into_response();
            for (name, value) in headers {
                response.headers_mut().insert(name, value.parse().unwrap());
            }
            response
        }
        Act::Break => {
            let pieces = [Ok::<_, Infallible>("{\"choices\": [{\"mess")];
            let body = Body::from_stream(futures::stream::iter(pieces));
            // More is promised than comes.
            ([(header::CONTENT_LENGTH, "4096")], body).into_response()
        }
        Act::Hang => std::future::pending().await,
        Act::Drip => {
            let ticks = tokio::time::interval(Duration::from_millis(5));
            let drops = futures::stream::unfold(ticks, async |mut ticks| {
                ticks.tick().await;
                Some((Ok::<_, Infallible>(" "), ticks))
            });
            Body::from_stream(drops).into_response()
        }
        Act::Held => {
            fake.held.acquire().await.expect("an open semaphore").forget();
            fake.count(false);
            say(&seen.good(), anthropic)
        }
    }
}

fn say(text: &str, anthropic: bool) -> Response {
    let body = if anthropic {
        let block = serde_json::from_str::<Value>(text).map_or_else(
            |_| json!({"type": "text", "text": text}),
            |input| json!({"type": "tool_use", "id": "t", "name": "record", "input": input}),
        );
        json!({"content": [block], "stop_reason": "end_turn", "usage": {"input_tokens": 100, "output_tokens": 10}})
    } else {
        let choice = json!({"message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
        json!({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}})
    };
    axum::Json(body).into_response()
}
