//! What the service takes when it does nothing, and how soon it is there.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Flags;
use crate::client::{Connection, request};
use crate::processor::memory;
use crate::random::Random;
use crate::report::{self, Report, spread};
use crate::service::Service;
use crate::texts::batch;

/// Starts on the same folder for each round of other measurements.
const STARTS: usize = 3;
/// Sessions of 100 messages in the folder.
const SESSIONS: usize = 50;
/// How long it is left alone before its memory is read.
const QUIET: Duration = Duration::from_secs(2);

/// Starts the service with a database of its own, again and again on one folder.
pub async fn measure(flags: &Flags, report: &mut Report) -> anyhow::Result<()> {
    report::section("footprint: the service with a database of its own, alone");
    let home = tempfile::Builder::new().prefix("anchord-footprint-").tempdir()?;
    // The server's user must be able to pass through, when the bench runs as root.
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o711))?;
    let first = start(flags, home.path()).await?;
    report::line(&format!("first start, which makes the database: {:.0} ms", first.took));
    fill(&first.service).await?;
    first.service.stop()?;
    let (mut starts, mut idle, mut idle_with_both) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..flags.rounds * STARTS {
        let started = start(flags, home.path()).await?;
        starts.push(started.took);
        if idle.len() < flags.rounds {
            tokio::time::sleep(QUIET).await;
            idle.push(memory(started.service.pid()).0);
            load_other(&started.service).await?;
            tokio::time::sleep(QUIET).await;
            idle_with_both.push(memory(started.service.pid()).0);
        }
        started.service.stop()?;
    }
    let bytes = fs::metadata(&flags.binary)?.len();
    #[expect(clippy::cast_precision_loss, reason = "a program's bytes are far below 2^52")]
    let told = json!({
        "binary_mb": report::rounded(bytes as f64 / 1e6),
        "first_start_ms": first.took.round(),
        "cold_start_ms": spread(starts),
        "idle_mb": spread(idle),
        "idle_with_both_mb": spread(idle_with_both),
    });
    report::line(&format!(
        "{}; binary {:.1} MB",
        report::brief(&told, &["cold_start_ms", "idle_mb", "idle_with_both_mb"]),
        told.get("binary_mb").and_then(serde_json::Value::as_f64).unwrap_or(f64::NAN)
    ));
    report.add("footprint", told);
    Ok(())
}

/// A service that has answered its first request, and the milliseconds until then.
struct Started {
    service: Service,
    took: f64,
}

/// Starts it and appends a message, which also means that a vocabulary is loaded.
async fn start(flags: &Flags, home: &Path) -> anyhow::Result<Started> {
    let begun = Instant::now();
    let service = Service::start(&flags.binary, &flags.serve, None, home)?;
    let mut connection = Connection::open(service.address).await?;
    let body = batch(1, &mut Random::new(41));
    connection.done(&request("POST", format_args!("/v1/sessions/first/messages"), &body)).await?;
    Ok(Started { took: begun.elapsed().as_secs_f64() * 1000.0, service })
}

/// Appends to a session that counts with the vocabulary of older models.
async fn load_other(service: &Service) -> anyhow::Result<()> {
    let mut connection = Connection::open(service.address).await?;
    let settings = r#"{"tokenizer": "cl100k_base"}"#;
    connection.done(&request("PUT", format_args!("/v1/sessions/second"), settings)).await?;
    let body = batch(1, &mut Random::new(42));
    connection.done(&request("POST", format_args!("/v1/sessions/second/messages"), &body)).await?;
    Ok(())
}

async fn fill(service: &Service) -> anyhow::Result<()> {
    let mut connection = Connection::open(service.address).await?;
    let mut random = Random::new(43);
    for session in 0..SESSIONS {
        let body = batch(100, &mut random);
        let path = format_args!("/v1/sessions/old-{session}/messages");
        connection.done(&request("POST", path, &body)).await?;
    }
    Ok(())
}
