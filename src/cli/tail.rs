//! `anchord tail`: follows the events of a session.
//!
//! A stream of events ends now and then: after a quarter of an hour, when the service restarts, when a connection breaks. The
//! command goes on after the last event that it has seen, so that none is missed and none is shown twice.

use std::pin::pin;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use anyhow::{Context as _, bail};
use futures::StreamExt as _;
use indicatif::HumanCount;
use sse_stream::{Sse, SseStream};

use super::output::{count_at, counted, figure_at, text_at};
use super::prelude::*;
use super::remote::Reply;

/// The wait before the first reconnection, unless the service names another.
const FIRST_WAIT: Duration = Duration::from_secs(2);
/// The longest wait between two tries, unless a refusal names a longer one.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Arguments of `tail`.
#[derive(Args, Debug)]
#[command(after_help = "\
The command runs until it is interrupted. It reconnects when the connection is lost, and misses no event meanwhile.
The service keeps events for a week.

Examples:
  anchord tail planner
  anchord tail planner --after 0
  anchord tail planner --json | jq 'select(.type == \"summary.published\")'
  anchord tail planner --count 1")]
pub(super) struct TailCommand {
    /// Session ID
    #[arg(value_parser = SessionName::parse)]
    session: SessionName,
    /// Start after this event; 0 for the oldest that is kept [default: only new events]
    #[arg(long, value_name = "EVENT_ID")]
    after: Option<u64>,
    /// Stop after this many events
    #[arg(long, value_name = "COUNT", value_parser = whole::<u64>(1..))]
    count: Option<u64>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: TenantAccess,
}

/// The command's state between connections.
#[derive(Debug)]
struct Follower {
    remote: Remote,
    session: SessionName,
    json: bool,
    /// The last event that was seen.
    last: Option<String>,
    /// Events to show until the end.
    left: u64,
    /// The wait before the next connection, as the stream names it, and at most [`MAX_WAIT`].
    wait: Duration,
}

/// The reason why a connection ended.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    /// As many events were shown as asked for.
    Done,
    /// The stream ended or broke after it had been open.
    Lost,
}

impl TailCommand {
    pub(super) async fn run(self) -> Result<()> {
        let mut follower = Follower {
            remote: Remote::of_tenant(&self.access)?,
            session: self.session,
            json: self.output.json,
            last: self.after.map(|after| after.to_string()),
            left: self.count.unwrap_or(u64::MAX),
            wait: FIRST_WAIT,
        };
        let first = follower.connect().await?;
        let mut response = match first {
            Ok(response) => response,
            Err(refused) => return Err(follower.remote.refusal(&refused)),
        };
        loop {
            if follower.show(response).await? == Ended::Done {
                return Ok(());
            }
            response = follower.reconnect().await?;
        }
    }
}

impl Follower {
    async fn connect(&self) -> Result<Result<reqwest::Response, Reply>> {
        let path = ["v1", "sessions", self.session.as_str(), "events"];
        self.remote.follow(&path, self.last.as_deref()).await
    }

    /// Tries until the service is there again, with longer and longer waits. A refusal that is not temporary ends the command.
    async fn reconnect(&self) -> Result<reqwest::Response> {
        let mut wait = self.wait;
        let mut has_reported = false;
        loop {
            tokio::time::sleep(wait).await;
            let why = match self.connect().await {
                Ok(Ok(response)) => {
                    if has_reported {
                        output::note("anchord: connected again");
                    }
                    return Ok(response);
                }
                Ok(Err(refused)) if !is_temporary(&refused) => {
                    return Err(self.remote.refusal(&refused)).context("the events end here");
                }
                Ok(Err(refused)) => {
                    wait = next_wait(wait, refused.retry_after());
                    refused.message()
                }
                Err(error) => {
                    wait = next_wait(wait, None);
                    error.to_string()
                }
            };
            if !has_reported {
                output::note(&format!(
                    "anchord: the connection was lost; trying again until it is back ({why})"
                ));
                has_reported = true;
            }
        }
    }

    /// Shows the events of a connection until it ends.
    async fn show(&mut self, response: reqwest::Response) -> Result<Ended> {
        let mut events = pin!(SseStream::new(reqwest::Body::from(response)));
        while let Some(event) = events.next().await {
            let event = match event {
                Ok(event) => event,
                Err(sse_stream::Error::Body(error)) => {
                    tracing::debug!(%error, "tail.broken");
                    return Ok(Ended::Lost);
                }
                Err(error) => bail!("the service sent something that is no stream of events: {error}"),
            };
            if let Some(wait) = event.retry {
                self.wait = Duration::from_millis(wait).min(MAX_WAIT);
            }
            if event.data.is_some() {
                self.print(&event)?;
                self.left -= 1;
            }
            if event.id.is_some() {
                self.last = event.id;
            }
            if self.left == 0 {
                return Ok(Ended::Done);
            }
        }
        Ok(Ended::Lost)
    }

    fn print(&self, event: &Sse) -> Result<()> {
        let fields = event_json(event);
        if self.json {
            return output::print_json_line(&fields);
        }
        let kind = text_at(&fields, "/type").unwrap_or("message");
        let at = ["/created_at", "/timestamp"].iter().find_map(|place| text_at(&fields, place));
        let data = fields.get("data").unwrap_or(&Value::Null);
        if output::is_terminal() {
            let colour = colour(kind);
            let at = at.and_then(output::read_time).map(output::second).unwrap_or_default();
            let kind = output::one_line(kind);
            let words = output::one_line(&describe(&kind, data));
            return output::print(&format!("{at}  {colour}{kind:<21}{colour:#}  {words}\n"));
        }
        let id = event.id.as_deref().unwrap_or_default();
        output::print(&format!(
            "{}\t{}\t{}\t{data}\n",
            output::one_line(id),
            output::one_line(at.unwrap_or_default()),
            output::one_line(kind)
        ))
    }
}

/// The event as JSON, with its id.
fn event_json(event: &Sse) -> Value {
    let data = event.data.as_deref().unwrap_or_default();
    let mut json = serde_json::from_str(data).unwrap_or_else(|_| json!({"data": data}));
    if let Some(fields) = json.as_object_mut() {
        let id = event.id.as_deref().map(|id| id.parse::<u64>().map_or_else(|_| json!(id), |id| json!(id)));
        if let Some(id) = id.filter(|_| !fields.contains_key("id")) {
            fields.shift_insert(0, "id".to_owned(), id);
        }
        if let Some(kind) = event.event.as_deref().filter(|_| !fields.contains_key("type")) {
            fields.insert("type".to_owned(), kind.into());
        }
    }
    json
}

fn colour(kind: &str) -> Style {
    let plain = Style::new();
    match kind {
        "compression.failed" => plain.fg_color(Some(AnsiColor::Red.into())),
        "compression.succeeded" | "summary.published" => plain.fg_color(Some(AnsiColor::Green.into())),
        "trigger.warned" => plain.fg_color(Some(AnsiColor::Yellow.into())),
        _ => plain,
    }
}

/// Describes an event in words; an unknown one as JSON.
fn describe(kind: &str, data: &Value) -> String {
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    let count = |name: &str| data.get(name).and_then(Value::as_u64);
    let words = match kind {
        "compression.started" => count("from_seq").zip(count("through_seq")).map(|(from, through)| {
            let trigger = text("trigger").map(|trigger| format!(" ({trigger})")).unwrap_or_default();
            format!("messages {from} to {through}{trigger}")
        }),
        "compression.succeeded" => {
            count("tokens_before").zip(count("tokens_after")).map(|(before, after)| {
                let score = figure_at(data, "/probe_score")
                    .map(|score| format!(", probe score {}", output::score(score)));
                format!("{} → {}{}", HumanCount(before), counted(after, "token"), score.unwrap_or_default())
            })
        }
        "compression.failed" | "compression.skipped" => {
            let detail = text_at(data, "/error/detail").or_else(|| text("reason"));
            text("status").map(|status| {
                detail.map_or_else(|| status.to_owned(), |detail| format!("{status}: {detail}"))
            })
        }
        "summary.published" => count_at(data, "/version").map(|version| format!("version {version}")),
        _ => None,
    };
    words.unwrap_or_else(|| if data.is_null() { String::new() } else { data.to_string() })
}

/// The wait after a failed try: as long as the refusal asks for, or twice the last one. It is never shorter than the first.
fn next_wait(last: Duration, asked: Option<Duration>) -> Duration {
    asked.unwrap_or_else(|| last.saturating_mul(2).min(MAX_WAIT)).max(FIRST_WAIT)
}

/// Whether a refusal passes by itself: the service is busy, starts or ends.
fn is_temporary(refused: &Reply) -> bool {
    refused.status.as_u16() == 429 || refused.status.is_server_error()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_the_service_names_is_neither_doubled_nor_cut() {
        let seconds = Duration::from_secs;
        for (last, asked, expected) in [
            (2, Some(10), 10),
            (2, Some(60), 60),
            // Not at once, whatever the service says.
            (8, Some(0), 2),
            (2, None, 4),
            (20, None, 30),
            (60, None, 30),
        ] {
            assert_eq!(next_wait(seconds(last), asked.map(seconds)), seconds(expected), "{last} {asked:?}");
        }
    }

    #[test]
    fn an_event_is_described_in_words() {
        for (kind, data, expected) in [
            (
                "compression.started",
                json!({"from_seq": 1, "through_seq": 40, "trigger": "utilization"}),
                "messages 1 to 40 (utilization)",
            ),
            (
                "compression.succeeded",
                json!({"tokens_before": 12_000, "tokens_after": 1, "probe_score": 0.888_888}),
                "12,000 → 1 token, probe score 0.889",
            ),
            ("compression.skipped", json!({"status": "skipped", "error": null}), "skipped"),
            (
                "compression.failed",
                json!({"status": "rejected", "error": {"detail": "a critical probe fails"}}),
                "rejected: a critical probe fails",
            ),
            ("summary.published", json!({"version": 3}), "version 3"),
            ("something.new", json!({"a": 1}), r#"{"a":1}"#),
        ] {
            assert_eq!(describe(kind, &data), expected, "{kind}");
        }
    }

    #[test]
    fn an_event_keeps_its_own_fields_and_gets_its_id() {
        let event = |data: &str| Sse::default().id("7").event("summary.published").data(data);
        let read = event_json(&event(
            r#"{"type":"summary.published","created_at":"2026-01-01T00:00:00Z","data":{"version":1}}"#,
        ));
        assert_eq!((&read["id"], &read["data"]["version"]), (&json!(7), &json!(1)));
        assert_eq!(
            event_json(&event(r#"{"id":"evt_7","data":{}}"#)),
            json!({"id": "evt_7", "data": {}, "type": "summary.published"})
        );
        assert_eq!(event_json(&event("no JSON"))["data"], "no JSON");
    }
}
