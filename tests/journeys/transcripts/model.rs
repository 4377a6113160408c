//! Random histories of a session against a model of its branches: whatever was appended, forked, truncated, synced,
//! switched, compressed, rolled back and erased, every branch reads back what its callers sent, and nothing of another
//! branch is in its context, record, digest, ledger or export.
//!
//! `ANCHORD_TRANSCRIPT_RUNS` names the number of histories, `ANCHORD_TRANSCRIPT_SEED` the first one.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use super::{assistant, branches, call, check_reply, put_with, stored, text, user, words};
use crate::support::app::{App, app};
use crate::support::{number as count, validity};
use anchord_messages::format::Format;

const RUNS: u64 = 60;
const STEPS: usize = 14;
/// What else shows a branch's messages. Each message has the words of the last.
const SHOWS: [&str; 4] = ["/summary", "/state", "/ledger/files", "/recall?q=has+to+stay+as+small&limit=100"];

/// A number that the environment names.
#[expect(clippy::disallowed_methods, reason = "the tests' own switches")]
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// A session as its callers know it.
struct Model<'a> {
    app: &'a App,
    session: String,
    format: Format,
    random: StdRng,
    branches: BTreeMap<String, Vec<Value>>,
    current: String,
    said: usize,
    /// What was done, for the report of a failure.
    done: Vec<String>,
}

impl Model<'_> {
    fn path(&self, rest: &str) -> String {
        format!("/v1/sessions/{}{rest}", self.session)
    }

    async fn call(&mut self, method: &str, rest: &str, body: Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let path = self.path(rest);
        let reply = self.app.call(method, &path, body).await;
        assert!(reply.status.is_success(), "{method} {path}: {}\n{:#?}", reply.text, self.done);
        reply.json()
    }

    /// A word that was never said.
    fn word(&mut self) -> String {
        self.said += 1;
        format!("{}w{}", self.session, self.said)
    }

    /// Some messages of an agent.
    fn messages(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        for _ in 0..self.random.random_range(1..=3) {
            let word = self.word();
            match self.random.random_range(0..3) {
                0 => messages.push(user(&word)),
                1 => messages.push(assistant(&word)),
                _ => {
                    let output = text(&self.word());
                    messages.extend(call(self.format, &word, &word, &output));
                }
            }
        }
        messages
    }

    fn any_branch(&mut self) -> String {
        let names: Vec<&String> = self.branches.keys().collect();
        (*names.choose(&mut self.random).expect("a branch")).clone()
    }

    /// A place in a list where a call is not apart from its result.
    fn place(&mut self, list: &[Value]) -> usize {
        let mut at = self.random.random_range(0..=list.len());
        while at > 0 && list.get(at).is_some_and(answers) {
            at -= 1;
        }
        at
    }

    async fn step(&mut self) {
        match self.random.random_range(0..14) {
            0 | 1 => self.append().await,
            2 => self.fork().await,
            3 => self.truncate().await,
            4..=8 => self.sync().await,
            9 => self.switch().await,
            10 | 11 => self.compress().await,
            12 => self.roll_back().await,
            _ => self.erase().await,
        }
    }

    async fn append(&mut self) {
        let (to, messages) = (self.any_branch(), self.messages());
        self.done.push(format!("append {} to {to}", messages.len()));
        self.call("POST", &format!("/messages?branch={to}"), json!({"messages": messages})).await;
        self.branches.get_mut(&to).expect("a branch").extend(messages);
    }

    async fn fork(&mut self) {
        let from = self.any_branch();
        let list = self.branches[&from].clone();
        let (seq, switch) = (self.place(&list), self.random.random_bool(0.5));
        self.done.push(format!("fork {from} at {seq}"));
        let body = json!({"from": from, "seq": seq, "switch": switch});
        let name = self.call("POST", "/branches", body).await["name"].as_str().unwrap().to_owned();
        if switch {
            self.current.clone_from(&name);
        }
        self.branches.insert(name, list[..seq].to_vec());
    }

    async fn truncate(&mut self) {
        let list = self.branches[&self.current].clone();
        let seq = self.place(&list);
        self.done.push(format!("truncate {} to {seq}", self.current));
        let branch = self.call("POST", "/truncate", json!({"seq": seq})).await;
        let branch = branch["name"].as_str().unwrap().to_owned();
        self.current.clone_from(&branch);
        self.branches.insert(branch, list[..seq].to_vec());
    }

    /// Puts the list of any branch, cut somewhere and with something new.
    async fn sync(&mut self) {
        let of = if self.random.random_bool(0.5) { self.current.clone() } else { self.any_branch() };
        let mut list = self.branches[&of].clone();
        if self.random.random_bool(0.6) {
            let at = self.place(&list);
            list.truncate(at);
        }
        if list.is_empty() || self.random.random_bool(0.7) {
            list.extend(self.messages());
        }
        self.done.push(format!("sync {} of {of}", list.len()));
        let reply = put_with(self.app, &self.session, "", &list).await;
        assert_eq!(reply.status, 200, "{}\n{:#?}", reply.text, self.done);
        let reply = reply.json();
        self.done.push(reply["sync"].to_string());
        reply["sync"]["branch"].as_str().unwrap().clone_into(&mut self.current);
        check_reply(&reply, &list);
        // A branch that had other messages is never one that takes the list.
        if let Some(before) = self.branches.insert(self.current.clone(), list.clone()) {
            assert!(list.starts_with(&before), "{:#?}", self.done);
        }
    }

    async fn switch(&mut self) {
        let to = self.any_branch();
        self.done.push(format!("switch to {to}"));
        self.call("PUT", "/current-branch", json!({"name": to})).await;
        self.current = to;
    }

    async fn compress(&mut self) {
        let of = self.any_branch();
        self.done.push(format!("compress {of}"));
        let path = format!("/compressions?branch={of}");
        self.call("POST", &path, json!({"target": 0.05, "preserve_recent": 1})).await;
        self.app.work().await;
    }

    async fn roll_back(&mut self) {
        let of = self.any_branch();
        let versions = self.call("GET", &format!("/summaries?branch={of}"), Value::Null).await;
        let versions: Vec<i64> =
            versions["items"].as_array().unwrap().iter().map(|v| v["version"].as_i64().unwrap()).collect();
        let Some(version) = versions.choose(&mut self.random) else { return };
        self.done.push(format!("roll {of} back to {version}"));
        let path = self.path(&format!("/summaries/{version}/rollback?branch={of}"));
        let reply = self.app.call("POST", &path, "{}").await;
        // The current version cannot be rolled back to.
        assert!(reply.status.is_success() || reply.status == 409, "{}\n{:#?}", reply.text, self.done);
    }

    async fn erase(&mut self) {
        let name = self.any_branch();
        if name == self.current {
            return;
        }
        self.done.push(format!("erase {name}"));
        self.call("DELETE", &format!("/branches/{name}"), Value::Null).await;
        self.branches.remove(&name);
    }

    /// Everything that a branch shows is its own.
    async fn check(&mut self) {
        let known: BTreeSet<String> = self.branches.keys().cloned().collect();
        let listed: BTreeSet<String> = branches(self.app, &self.session).await.into_iter().collect();
        assert_eq!(listed, known, "{:#?}", self.done);
        for (name, list) in self.branches.clone() {
            let held = stored(self.app, &self.session, &name).await;
            assert_eq!(held, list, "{name}\n{:#?}", self.done);
            let said = words(&json!(list));
            let context = self.call("GET", &format!("/context?branch={name}"), Value::Null).await;
            assert_eq!(validity::problems(&context), Vec::<String>::new(), "{name}\n{:#?}", self.done);
            if !list.is_empty() {
                let path = format!("/context?branch={name}&through_seq={}", list.len());
                let looked_back = self.call("GET", &path, Value::Null).await;
                for part in ["summary_version", "messages"] {
                    assert_eq!(looked_back[part], context[part], "{part} of {name}\n{:#?}", self.done);
                }
            }
            for path in SHOWS {
                let sign = if path.contains('?') { '&' } else { '?' };
                let path = self.path(&format!("{path}{sign}branch={name}"));
                let reply = self.app.call("GET", &path, "").await;
                assert!(reply.status.is_success() || reply.status == 404, "{path}: {}", reply.text);
                let shown = words(&Value::from(reply.text));
                if path.contains("/recall") {
                    assert_eq!(shown.is_empty(), said.is_empty(), "{path}\n{:#?}", self.done);
                    assert!(
                        shown.is_subset(&said),
                        "{path}: {:?}\n{:#?}",
                        shown.difference(&said),
                        self.done
                    );
                }
                assert!(shown.is_subset(&said), "{path}: {:?}\n{:#?}", shown.difference(&said), self.done);
            }
            let shown = words(&context["messages"]);
            assert!(shown.is_subset(&said), "{name}: {:?}\n{:#?}", shown.difference(&said), self.done);
        }
    }
}

/// Whether a message is the result of the call before it.
fn answers(message: &Value) -> bool {
    let kind = message["content"][0]["type"].as_str();
    message["role"] == "tool" || message["type"] == "function_call_output" || kind == Some("tool_result")
}

#[tokio::test]
async fn whatever_is_done_every_branch_is_what_its_callers_sent() {
    let app = app().await;
    let (first, runs) = (number("ANCHORD_TRANSCRIPT_SEED", 0), number("ANCHORD_TRANSCRIPT_RUNS", RUNS));
    for run in first..first + runs {
        let mut random = StdRng::seed_from_u64(run);
        let format = super::FORMATS[random.random_range(0..3)];
        let session = format!("s{run}");
        let mut model = Model {
            app: &app,
            session: session.clone(),
            format,
            random,
            branches: BTreeMap::new(),
            current: "main".to_owned(),
            said: 0,
            done: vec![format!("run {run}, {format:?}")],
        };
        model.call("PUT", "", json!({"context_window": 4000})).await;
        model.branches.insert("main".to_owned(), Vec::new());
        model.append().await;
        for _ in 0..STEPS {
            model.step().await;
        }
        model.check().await;
    }
    // What the histories are about did happen.
    let mut connection = app.database.connect_as_superuser().await;
    for (what, query) in [
        ("versions", "select count(*) from summaries"),
        (
            "versions of branches",
            "select count(*) from summaries v join sessions s on s.id = v.session_id where s.root_id is not null",
        ),
        ("branches", "select count(*) from sessions where root_id is not null"),
    ] {
        let found = count(&mut connection, query).await;
        assert!(u64::try_from(found).unwrap() >= runs / 30, "{found} {what} in {runs} histories");
    }
}
