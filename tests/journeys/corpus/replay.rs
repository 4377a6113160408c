//! One session through the service: appended in batches as an orchestrator would, the context looked at after each, and
//! in the end held against what is known of it.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use anchord_record::probe::{Match, Probe, Verdict, check_answer};
use serde_json::{Value, json};

use super::exam::content;
use super::exam::{self, Known};
use super::gold::{Gold, Share};
use crate::support::app::App;
use crate::support::validity;

const BATCH: usize = 8;
/// Messages that the last compression leaves out.
const LEFT_OUT: usize = 5;

/// A session of the corpus with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) messages: Vec<Value>,
    pub(super) gold: Value,
    pub(super) exam: Value,
    /// The context window that it is replayed at.
    pub(super) window: u32,
}

/// What came of a replay.
#[derive(Clone, Debug, Default)]
pub(super) struct Figures {
    /// What must not be: invalid or oversized contexts, versions that grew, messages that did not come back.
    pub(super) wrong: Vec<String>,
    pub(super) changed: Share,
    pub(super) actions: Share,
    pub(super) precision: Share,
    pub(super) in_context: Share,
    pub(super) read: Share,
    pub(super) errors: Share,
    pub(super) tests: Share,
    pub(super) recall: Share,
    pub(super) resisted: Share,
    pub(super) known: Known,
    pub(super) versions: usize,
    /// The least share of probes that a version passed.
    pub(super) least_probe_score: Option<f64>,
    /// Parts in a thousand of a context that stay byte for byte until the next version, on average.
    pub(super) prefix: usize,
}

/// A session's replay.
struct Replay<'a> {
    app: &'a App,
    path: String,
    session: &'a Session,
    figures: Figures,
    /// The last context's messages, and the version that they show.
    last: Option<(Vec<String>, Value)>,
    prefixes: Vec<f64>,
}

pub(super) async fn replay(app: &App, session: &Session) -> Figures {
    let path = format!("/v1/sessions/{}", session.id);
    let figures = Figures::default();
    let mut replay = Replay { app, path, session, figures, last: None, prefixes: Vec::new() };
    replay.append().await;
    let context = replay.finish().await;
    replay.measure(&context).await;
    replay.figures
}

impl Replay<'_> {
    async fn call(&self, method: &str, path: &str, body: impl Into<axum::body::Body>) -> Value {
        let path = format!("{}{path}", self.path);
        let mut reply = self.app.call(method, &path, body).await;
        // What a full machine kept waiting too long is read again, as every caller should; what else fails shows.
        if reply.status == 503 && method == "GET" {
            reply = self.app.call(method, &path, "").await;
        }
        assert!(reply.status.is_success(), "{} {method} {path}: {}", self.session.id, reply.text);
        reply.json()
    }

    async fn get(&self, path: &str) -> Value {
        self.call("GET", path, "").await
    }

    /// All items of a list.
    async fn list(&self, path: &str) -> Vec<Value> {
        let (mut items, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("{path}?limit=1000{cursor}")).await;
            items.extend(page["items"].as_array().expect("items").iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return items,
            }
        }
    }

    async fn append(&mut self) {
        self.call("PUT", "", json!({"context_window": self.session.window}).to_string()).await;
        for (place, batch) in self.session.messages.chunks(BATCH).enumerate() {
            let body = json!({"messages": batch, "expected_next_seq": place * BATCH + 1});
            self.call("POST", "/messages", body.to_string()).await;
            self.work().await;
            self.look("openai-chat").await;
        }
    }

    /// Works until no compression waits: on a full machine one may fail and be put off, and the figures would be those of
    /// another session.
    async fn work(&self) {
        for _ in 0..120 {
            self.app.work().await;
            let newest = self.get("/compressions?limit=5").await;
            let newest = newest["items"].as_array().expect("items");
            if !newest.iter().any(|item| item["status"] == "queued" || item["status"] == "running") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        panic!("{}: a compression does not end", self.session.id);
    }

    /// Fetches the context and checks it.
    async fn look(&mut self, format: &str) -> Value {
        let context = self.get(&format!("/context?format={format}")).await;
        let problems = validity::problems(&context);
        self.figures.wrong.extend(problems.iter().map(|problem| format!("{format} context: {problem}")));
        if format == "openai-chat" {
            let now: Vec<String> =
                context["messages"].as_array().expect("messages").iter().map(Value::to_string).collect();
            let version = context["summary_version"].clone();
            if let Some((before, _)) = self.last.as_ref().filter(|(_, shown)| *shown == version) {
                self.prefixes.push(kept(before, &now));
            }
            self.last = Some((now, version));
            self.compare_numbers(&context).await;
        }
        context
    }

    /// Each number is the same wherever it is told, and no context is fuller than full.
    async fn compare_numbers(&mut self, context: &Value) {
        let session = self.get("").await;
        let (served, counted) = (&context["usage"], &session["usage"]);
        let tokens = |value: &Value| value.as_u64().expect("tokens");
        let (total, window) = (tokens(&context["tokens"]["total"]), tokens(&served["effective_window"]));
        let mut wrong = Vec::new();
        for usage in [served, counted] {
            let used = tokens(&usage["context_tokens"]);
            let share = usage["effective_utilization"].as_f64().expect("a share");
            if used > window || (share - share_of(used, window)).abs() > 0.000_1 {
                wrong.push(format!("{used} of {window} tokens are told as {share}"));
            }
        }
        let is_whole = ["omitted", "masked"].iter().all(|list| context[list] == json!([]));
        let counted = tokens(&counted["context_tokens"]);
        if tokens(&served["context_tokens"]) != total {
            wrong
                .push(format!("{total} tokens are served and {} told beside them", served["context_tokens"]));
        }
        // A session counts its placeholders and what the format adds about, without assembling a context.
        if counted.abs_diff(total) > window / if is_whole { 90 } else { 25 } {
            wrong.push(format!("{total} tokens are served, and the session counts {counted}"));
        }
        if context["summary_form"] == "full" && is_whole {
            let version = self.get(&format!("/summaries/{}", context["summary_version"])).await;
            let shown = tokens(&context["tokens"]["summary"]) + tokens(&context["tokens"]["digest"]);
            if tokens(&version["tokens_after"]) != shown {
                wrong.push(format!("{shown} tokens of a version are told as {}", version["tokens_after"]));
            }
        }
        self.figures.wrong.extend(wrong);
    }

    /// One compression as a caller asks for it, whose context the exam is sat with, and one that covers all but the last
    /// messages, which the facts are held against.
    async fn finish(&mut self) -> Value {
        self.call("POST", "/compressions", "{}").await;
        self.work().await;
        let context = self.look("openai-chat").await;
        let messages = context["messages"].as_array().expect("messages");
        self.figures.known = exam::known(&self.session.exam, messages, &self.session.messages);
        let through = self.session.messages.len() - LEFT_OUT;
        let all = json!({"through_seq": through, "preserve_recent": 0}).to_string();
        self.call("POST", "/compressions", all).await;
        self.work().await;
        self.look("anthropic").await;
        self.look_within_budgets().await;
        self.look("openai-chat").await
    }

    /// Under ever smaller budgets the record gives way in steps, the whole one first, and the least is served last.
    async fn look_within_budgets(&mut self) {
        let mut seen: Vec<(String, u64)> = Vec::new();
        for budget in (400..=4_000).rev().step_by(150) {
            let path = format!("{}/context?format=openai-chat&max_input_tokens={budget}", self.path);
            let reply = self.app.call("GET", &path, "").await;
            if reply.status != 200 {
                continue;
            }
            let context = reply.json();
            self.figures.wrong.extend(validity::problems(&context));
            let form = context["summary_form"].as_str().unwrap_or_default().to_owned();
            seen.push((form, context["tokens"]["summary"].as_u64().unwrap_or_default()));
        }
        let forms = |form: &str| {
            seen.iter().filter(|(seen, _)| seen == form).map(|(_, tokens)| tokens).collect::<BTreeSet<_>>()
        };
        let is_large = seen.first().is_some_and(|(_, tokens)| *tokens > 1_000);
        let gives_way = !forms("full").is_empty() && forms("reduced").len() >= 2;
        if !seen.is_sorted_by_key(|(_, tokens)| Reverse(*tokens)) || is_large && !gives_way {
            self.figures.wrong.push(format!("under smaller budgets the record is served as {seen:?}"));
        }
    }

    async fn measure(&mut self, context: &Value) {
        let summary = self.get("/summary").await;
        let ledger = self.list("/ledger").await;
        let anchor =
            summary["through_seq"].as_u64().and_then(|seq| usize::try_from(seq).ok()).expect("an anchor");
        let gold = Gold::new(&self.session.gold, anchor);
        let shown: Vec<String> =
            context["messages"].as_array().expect("messages").iter().map(content).collect();
        let shown = shown.join("\n");
        let [changed, actions, precision] = gold.files(&summary);
        let recall = self.recall(&gold).await;
        let behind = self.session.messages.len() - anchor;
        let figures = &mut self.figures;
        if behind > LEFT_OUT + 20 {
            figures.wrong.push(format!("the last compression left {behind} messages out"));
        }
        if summary["session_intent"].as_str().is_none_or(|intent| intent.trim().is_empty()) {
            figures.wrong.push("no intent".to_owned());
        }
        (figures.changed, figures.actions, figures.precision) = (changed, actions, precision);
        figures.in_context = gold.in_context(&shown);
        figures.read = gold.read(&summary);
        figures.errors = gold.errors(&ledger);
        figures.tests = gold.tests(&ledger);
        figures.resisted = gold.resisted(&summary);
        figures.recall = recall;
        let prefixes = &self.prefixes;
        figures.prefix = if prefixes.is_empty() { 1_000 } else { thousandths(mean(prefixes)) };
        self.count_versions().await;
        self.ask_by_repeating().await;
        self.compare_originals().await;
    }

    /// Questions whose evidence is among the first ten hits.
    async fn recall(&self, gold: &Gold<'_>) -> Share {
        let mut found = Vec::new();
        for (question, evidence) in gold.questions() {
            let query = form_urlencoded::byte_serialize(question.as_bytes()).collect::<String>();
            let hits = self.get(&format!("/recall?limit=10&q={query}")).await;
            let seqs = hits["items"].as_array().expect("items").iter().filter_map(|hit| hit["seq"].as_u64());
            let seqs: Vec<usize> = seqs.filter_map(|seq| usize::try_from(seq).ok()).collect();
            found.push(evidence.iter().any(|seq| seqs.contains(seq)));
        }
        Share::of(found)
    }

    async fn count_versions(&mut self) {
        for compression in self.list("/compressions").await {
            match compression["status"].as_str() {
                Some("succeeded") => {
                    let figures = &mut self.figures;
                    figures.versions += 1;
                    if compression["tokens_after"].as_u64() >= compression["tokens_before"].as_u64() {
                        figures.wrong.push(format!("version {} grew", compression["version"]));
                    }
                    if let Some(score) = compression["probe_score"].as_f64() {
                        let least = figures.least_probe_score.map_or(score, |least| least.min(score));
                        figures.least_probe_score = Some(least);
                    }
                }
                Some("skipped") => {}
                other => self.figures.wrong.push(format!("a compression ended as {other:?}")),
            }
        }
    }

    /// No probe of the service's own is answered by repeating its question.
    async fn ask_by_repeating(&mut self) {
        for item in self.list("/probes").await {
            let probe: Probe = serde_json::from_value(item).expect("a probe");
            let any = Probe { mode: Match::Any, ..probe };
            if check_answer(&any, &any.question).verdict == Verdict::Pass {
                self.figures.wrong.push(format!("a question holds its answer: {any:?}"));
            }
        }
    }

    /// Every message comes back as it was sent, the order of its fields included.
    async fn compare_originals(&mut self) {
        let stored = self.list("/messages").await;
        let came_back = stored.iter().map(|item| item["message"].to_string());
        if !came_back.eq(self.session.messages.iter().map(Value::to_string)) {
            self.figures.wrong.push("a message did not come back as it was sent".to_owned());
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
fn share_of(tokens: u64, window: u64) -> f64 {
    tokens as f64 / window as f64
}

/// The share of a context's characters that stand unchanged at the start of the next one.
fn kept(before: &[String], now: &[String]) -> f64 {
    let same = before.iter().zip(now).take_while(|(a, b)| a == b);
    let same: usize = same.map(|(message, _)| message.len()).sum();
    ratio(same, before.iter().map(String::len).sum::<usize>().max(1))
}

#[expect(clippy::cast_precision_loss, reason = "lengths of texts are far below 2^52")]
fn ratio(some: usize, all: usize) -> f64 {
    some as f64 / all as f64
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / ratio(shares.len(), 1)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is from 0 to 1")]
fn thousandths(share: f64) -> usize {
    (share * 1_000.0).floor() as usize
}
