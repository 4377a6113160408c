//! The bench of recall: how often evidence is among the first ten hits, by words alone and with an embeddings server.
//!
//! What lives here: a Postgres and the service's release binary, the sessions of a folder with questions whose evidence is known,
//! and each question asked of its session in both modes. A session where the search by words and meaning finds less than the one
//! by words is a failure.
//! Must not know: how the service ranks; it is a client, and looks into the database only to see whether every message has its
//! vectors.

#[path = "../load/client.rs"]
mod client;
#[path = "../load/servers.rs"]
#[expect(dead_code, reason = "the load bench uses the rest")]
mod servers;
#[path = "../load/service.rs"]
mod service;
mod sessions;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use serde::Deserialize;
use serde_json::json;
use sqlx::Row as _;

use crate::client::{Connection, request};
use crate::servers::Servers;
use crate::sessions::{Question, Session};

/// The hits among which evidence counts.
const HITS: usize = 10;
/// The messages of one append.
const BATCH: usize = 200;
/// How long the making of vectors may stand still.
const STANDSTILL: Duration = Duration::from_mins(10);

/// Compares recall by words with recall by words and meaning, session by session
#[derive(Debug, Parser)]
struct Flags {
    /// Sessions as JSON files: `messages`, and `gold` with `qa` or `probes`, each a `question` with `evidence_msgs`
    folder: PathBuf,
    /// The embeddings server, up to the part before /embeddings
    embeddings_url: String,
    /// The model that it is asked for
    #[arg(default_value = "all-minilm")]
    model: String,
    /// The service's binary
    #[arg(long, default_value = env!("CARGO_BIN_EXE_anchord"))]
    binary: PathBuf,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// What was found of a session's evidence.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    questions: usize,
    by_words: usize,
    hybrid: usize,
}

/// A reply to a question.
#[derive(Deserialize)]
struct Recalled {
    items: Vec<Hit>,
    mode: String,
    degraded: Option<String>,
}

#[derive(Deserialize)]
struct Hit {
    seq: usize,
}

#[expect(clippy::print_stdout, reason = "a bench prints")]
fn say(line: &str) {
    println!("{line}");
}

/// The session's name in the service: any file name will do.
fn path(at: usize) -> String {
    format!("/v1/sessions/recall-{at}")
}

async fn store(connection: &mut Connection, at: usize, session: &Session) -> anyhow::Result<()> {
    // Summaries change nothing that is searched, and take time.
    connection.done(&request("PUT", format_args!("{}", path(at)), r#"{"auto":false}"#)).await?;
    let format = match &session.format {
        Some(format) => format!("\"format\":{},", json!(format)),
        None => String::new(),
    };
    for batch in session.messages.chunks(BATCH) {
        let body = format!("{{{format}\"messages\":[{}]}}", batch.join(","));
        connection.done(&request("POST", format_args!("{}/messages", path(at)), &body)).await?;
    }
    Ok(())
}

/// Waits until every message has its vectors.
async fn await_vectors(servers: &Servers, stored: i64) -> anyhow::Result<()> {
    const DONE: &str =
        "select coalesce(sum(through_seq), 0)::bigint, bool_and(due_at is null) from recall_embeddings";
    let mut last = (0, Instant::now());
    loop {
        let rows = servers.look(DONE).await?;
        let (through, is_idle): (i64, Option<bool>) = match rows.first() {
            Some(row) => (row.try_get(0)?, row.try_get(1)?),
            None => (0, None),
        };
        if through >= stored && is_idle == Some(true) {
            return Ok(());
        }
        if through > last.0 {
            last = (through, Instant::now());
        }
        anyhow::ensure!(
            last.1.elapsed() < STANDSTILL,
            "{through} of {stored} messages have vectors, and no more since {} minutes",
            STANDSTILL.as_secs() / 60
        );
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Whether evidence is among the first hits.
async fn is_found(
    connection: &mut Connection,
    at: usize,
    question: &Question,
    mode: &str,
) -> anyhow::Result<bool> {
    let query: String = form_urlencoded::byte_serialize(question.text.as_bytes()).collect();
    let ask = request("GET", format_args!("{}/recall?limit={HITS}&mode={mode}&q={query}", path(at)), "");
    let found: Recalled = serde_json::from_value(connection.json(&ask).await?)?;
    let why = found.degraded.unwrap_or_default();
    anyhow::ensure!(found.mode == mode, "{} was answered by words alone: {why}", question.text);
    Ok(found.items.iter().any(|hit| question.is_answered_by(hit.seq)))
}

fn row(name: &str, found: Found) -> String {
    format!("| {name} | {} | {} | {} |", found.questions, found.by_words, found.hybrid)
}

async fn measure(flags: &Flags) -> anyhow::Result<bool> {
    let sessions = sessions::read(&flags.folder)?;
    let told = format!("--embeddings-url {} --embeddings-model {}", flags.embeddings_url, flags.model);
    let servers = Servers::start(&flags.binary, &told)?;
    let mut connection = Connection::open(servers.address).await?;
    let mut stored = 0;
    for (at, session) in sessions.iter().enumerate() {
        store(&mut connection, at, session).await?;
        stored += i64::try_from(session.messages.len())?;
    }
    await_vectors(&servers, stored).await?;
    // The service has closed the one that rested meanwhile.
    let mut connection = Connection::open(servers.address).await?;
    say(&format!("| session | questions | by words | hybrid |\n|{}", "---|".repeat(4)));
    let (mut all, mut below, mut lost) = (Found::default(), Vec::new(), Vec::new());
    for (at, session) in sessions.iter().enumerate() {
        let mut of_session = Found { questions: session.questions.len(), ..Found::default() };
        for question in &session.questions {
            let by_words = is_found(&mut connection, at, question, "lexical").await?;
            let hybrid = is_found(&mut connection, at, question, "hybrid").await?;
            of_session.by_words += usize::from(by_words);
            of_session.hybrid += usize::from(hybrid);
            if by_words && !hybrid {
                lost.push(format!("found by words alone, {}: {}", session.name, question.text));
            }
        }
        say(&row(&session.name, of_session));
        if of_session.hybrid < of_session.by_words {
            below.push(session.name.as_str());
        }
        all.questions += of_session.questions;
        all.by_words += of_session.by_words;
        all.hybrid += of_session.hybrid;
    }
    say(&row("all", all));
    servers.stop()?;
    for line in &lost {
        say(line);
    }
    say(&if below.is_empty() {
        "hybrid is below words in no session".to_owned()
    } else {
        format!("hybrid is below words in {}", below.join(", "))
    });
    Ok(below.is_empty())
}

fn main() -> anyhow::Result<ExitCode> {
    let flags = Flags::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let is_kept = runtime.block_on(measure(&flags))?;
    Ok(if is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
