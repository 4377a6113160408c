//! `anchord demo`: plays a recorded session through a service, and shows how its context grows, is compressed and stays
//! valid, and what it costs beside the plain ways.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use indicatif::{HumanCount, HumanFloatCount};
use reqwest::Method;

use super::credential::is_local;
use super::output::{count_at, counted, figure_at, text_at};
use super::own_service::{Joined, OwnService};
use super::prelude::*;
use super::remote::Sent;
use crate::config;
use anchord_economy::sizes::{Prices, Size, Tokens, WAYS, simulate};
use anchord_runtime::clock::Clock;

/// The session: an agent mends an accounting program.
const SESSION: &str = include_str!("../../tests/corpus/sessions/coding-ledger-api.json");
/// The characters of a full bar.
const BAR: u64 = 24;
/// How long a person sees a call before the next one.
const PACE: Duration = Duration::from_millis(120);
/// How often, and at most for how long, the end of a compression is waited for.
const LOOK: Duration = Duration::from_millis(50);
const MOST_LOOKS: usize = 600;

/// Arguments of `demo`.
#[derive(Args, Debug)]
#[command(after_help = "\
The session is a recorded one of a coding agent, and part of the program. Without a service at --url, one is started for
as long as the demo runs, with the data folder of --data-dir. No model and no key are needed. The session stays stored.

Examples:
  anchord demo
  anchord demo --window 16000")]
pub(super) struct Demo {
    /// Context window of the model that the session is for, in tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 8_000, value_parser = whole::<u32>(4_000..=200_000))]
    window: u32,
    #[command(flatten)]
    access: config::TenantAccess,
}

/// What came of one call.
struct Call {
    tokens: u64,
    /// Tokens of its part that the call before began with.
    cached: u64,
    size: Size,
}

impl Demo {
    pub(super) async fn run(mut self) -> Result<()> {
        let url: reqwest::Url = self.access.endpoint.url.parse().context("the URL of the service")?;
        let Joined { started, own } = if is_local(&url) {
            OwnService::join(&url, &self.access.endpoint.data_dir, &[]).await?
        } else {
            Joined { started: None, own: None }
        };
        let is_own = started.is_some();
        if let Some(address) = started {
            output::note("No service answered, so one was started.");
            self.access.endpoint.url = address;
        }
        let played = self.play(is_own).await;
        if let Some(own) = own {
            own.stop().await;
        }
        played
    }

    async fn play(&self, is_own: bool) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        let session = format!("demo-{}", Clock::system().now().format("%Y%m%d-%H%M%S"));
        let path = ["v1", "sessions", session.as_str()];
        remote.write(Method::PUT, &path, Some(&json!({"context_window": self.window}))).await?;
        let recorded: Value = serde_json::from_str(SESSION).context("the recorded session")?;
        let messages = recorded.get("messages").and_then(Value::as_array).context("the recorded session")?;
        let bold = Style::new().bold();
        output::print(&format!(
            "{bold}Session {session}{bold:#}: {} of a coding agent, for a model with a window of {} tokens.\n\
             A line is a call of the agent's model; the bar is its context.\n\n",
            counted(count(messages.len()), "message"),
            HumanCount(self.window.into()),
        ))?;
        let (mut calls, mut whole, mut before, mut version): (Vec<Call>, u64, Vec<String>, u64) =
            Default::default();
        let mut is_valid = true;
        for batch in messages.chunk_by(|_, next| text_at(next, "/role") != Some("assistant")) {
            let body = json!({"format": recorded.get("format"), "messages": batch}).to_string();
            let sent = Sent { body: &body, idempotency_key: None };
            let reply = remote.post(&["v1", "sessions", &session, "messages"], sent).await?;
            anyhow::ensure!(reply.status.is_success(), remote.refusal(&reply));
            whole += count_at(&reply.json(), "/tokens_added").unwrap_or_default();
            if let Some(compression) = self.compressed(&remote, &session, version).await? {
                version = count_at(&compression, "/version").unwrap_or(version);
                output::print(&told(&compression))?;
            }
            let context = remote.read(&["v1", "sessions", &session, "context"], &[]).await?;
            let served = context.get("messages").and_then(Value::as_array).cloned().unwrap_or_default();
            is_valid &= are_paired(&served);
            let now: Vec<String> = served.iter().map(Value::to_string).collect();
            let call = Call::of(&context, (&before, &now), whole);
            output::print(&call.line(calls.len() + 1, whole))?;
            before = now;
            calls.push(call);
            if output::is_terminal() {
                tokio::time::sleep(PACE).await;
            }
        }
        output::print(&summary(&calls, is_valid))?;
        output::print(&next(&session, &self.access.endpoint.url, is_own))
    }

    /// Waits until the session is not being compressed; the newest compression when it made a version after this one.
    async fn compressed(&self, remote: &Remote, session: &str, version: u64) -> Result<Option<Value>> {
        for _ in 0..MOST_LOOKS {
            let all = remote
                .read(&["v1", "sessions", session, "compressions"], &[("limit", "1".to_owned())])
                .await?;
            let Some(newest) = all.pointer("/items/0") else { return Ok(None) };
            match text_at(newest, "/status") {
                Some("queued" | "running") => tokio::time::sleep(LOOK).await,
                Some("succeeded") => {
                    let is_new = count_at(newest, "/version").is_some_and(|made| made > version);
                    return Ok(Some(newest.clone()).filter(|_| is_new));
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

impl Call {
    fn of(context: &Value, (before, now): (&[String], &[String]), whole: u64) -> Self {
        let tokens = count_at(context, "/tokens/total").unwrap_or_default();
        let budget = count_at(context, "/max_input_tokens").unwrap_or_default();
        let bytes = |messages: &[String]| messages.iter().map(String::len).sum::<usize>().max(1);
        let same = before.iter().zip(now).take_while(|(old, new)| old == new).count();
        let kept = now.get(..same).unwrap_or_default();
        // The parts have no counts of their own, so that bytes share them out.
        let cached = if kept.is_empty() { 0 } else { tokens * count(bytes(kept)) / count(bytes(now)) };
        let signed = |tokens| i64::try_from(tokens).unwrap_or(i64::MAX);
        Self { tokens, cached, size: Size { whole: signed(whole), budget: signed(budget) } }
    }

    fn line(&self, number: usize, whole: u64) -> String {
        let budget = u64::try_from(self.size.budget).unwrap_or_default().max(1);
        let filled = (self.tokens * BAR / budget).min(BAR);
        let bar = format!(
            "{}{}",
            "█".repeat(usize::try_from(filled).unwrap_or_default()),
            "░".repeat(usize::try_from(BAR - filled).unwrap_or_default())
        );
        let dim = Style::new().dimmed();
        format!(
            "call {number:>3}  {bar} {:>6} of {} tokens {dim}· all of it {}{dim:#}\n",
            HumanCount(self.tokens).to_string(),
            HumanCount(budget),
            HumanCount(whole)
        )
    }
}

/// A compression in one line.
fn told(compression: &Value) -> String {
    let at = |pointer: &str| HumanCount(count_at(compression, pointer).unwrap_or_default());
    let green = Style::new().fg_color(Some(AnsiColor::Green.into()));
    let seconds = figure_at(compression, "/timings/total_ms").unwrap_or_default() / 1_000.0;
    format!(
        "{green}compressed{green:#}  {} → {} tokens in {seconds:.1} s: messages {} to {} are version {}; {} asked of it, {} not answered\n",
        at("/context_tokens_before"),
        at("/context_tokens_after"),
        at("/from_seq"),
        at("/through_seq"),
        at("/version"),
        counted(count_at(compression, "/probes_asked").unwrap_or_default(), "question"),
        at("/probes_failed"),
    )
}

/// Whether each result of a tool stands behind its call, and each call before its result, but for those at the end.
fn are_paired(messages: &[Value]) -> bool {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for message in messages {
        match text_at(message, "/role") {
            Some("tool") => {
                if !text_at(message, "/tool_call_id").is_some_and(|id| open.remove(id)) {
                    return false;
                }
            }
            _ if !open.is_empty() => return false,
            _ => {
                let calls = message.get("tool_calls").and_then(Value::as_array);
                open.extend(calls.into_iter().flatten().filter_map(|call| text_at(call, "/id")));
            }
        }
    }
    true
}

/// What the calls cost, beside the plain ways.
#[expect(clippy::cast_precision_loss, reason = "shares for a person")]
fn summary(calls: &[Call], is_valid: bool) -> String {
    let bold = Style::new().bold();
    let mut sent = Tokens::default();
    for call in calls {
        let (cached, all) = (signed(call.cached), signed(call.tokens));
        sent += Tokens { new: all - cached, cached, ..Tokens::default() };
    }
    let valid = if is_valid { "every one of them valid" } else { "NOT all of them valid" };
    let mut text = format!(
        "\n{bold}{} were sent, {valid}.{bold:#} Their cost, a token that the provider has cached at a tenth:\n\n",
        counted(count(calls.len()), "context")
    );
    // In tokens that are sent: a million of them cost a million.
    let priced = |tokens: Tokens| tokens.micros(Prices { input: 1.0, cached: 0.1, output: None }) as f64;
    let own = priced(sent).max(1.0);
    let mut line = |name: &str, tokens: Tokens| {
        let _ = writeln!(
            text,
            "  {name:<68} {:>9} tokens sent, cost {:>8} ({:.2} times)",
            HumanCount(u64::try_from(tokens.total()).unwrap_or_default()).to_string(),
            HumanFloatCount(priced(tokens).round()).to_string(),
            priced(tokens) / own
        );
    };
    line("anchord", sent);
    for way in WAYS {
        line(way.does(), simulate(calls.iter().map(|call| call.size), way));
    }
    text
}

/// What can be looked at next.
fn next(session: &str, url: &str, is_own: bool) -> String {
    let bold = Style::new().bold();
    let serve = if is_own {
        "  anchord serve                    # the session is stored in its database\n"
    } else {
        ""
    };
    format!(
        "\n{bold}Look at it:{bold:#}\n{serve}  anchord context {session}\n  anchord summary {session}\n  \
         anchord ledger {session}\n  anchord recall {session} 'account 1200'\n  {}/console\n",
        url.trim_end_matches('/')
    )
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}
