//! Whether appends and contexts wait while another client sends messages of 4 MiB.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use serde_json::json;

use crate::Flags;
use crate::beside::{self, Rates, Round, State, TURNS};
use crate::client::{Connection, request};
use crate::random::Random;
use crate::report::{self, Report, spread};
use crate::servers::Servers;
use crate::sessions;
use crate::texts;

/// Bytes of the text: with its frame just below the largest message that the service takes.
const BYTES: usize = 4 * 1024 * 1024 - 1024;
/// How often they come: one a second, and each as soon as the last is answered.
const PACES: [(&str, Duration); 2] = [("large_paced", Duration::from_secs(1)), ("large", Duration::ZERO)];

/// Keeps the fixed rates up: alone, beside what only computes, and beside the large messages.
pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section("large: appends and contexts while a client sends messages of 4 MiB");
    sessions::to_read(servers).await?;
    let time = Duration::from_secs(flags.seconds);
    let rates = Rates::moderate(flags, servers).await?;
    let mut connection = Connection::open(servers.address).await?;
    // Compressions are measured apart.
    connection.done(&request("PUT", format_args!("/v1/sessions/large"), r#"{"auto":false}"#)).await?;
    for (name, pause) in PACES {
        let (mut rounds, mut sent) = (Vec::new(), Vec::new());
        for number in 0..flags.rounds {
            let mut round = Round::begin(&format!("{name}-{number}"), servers).await?;
            for state in TURNS {
                servers.settle().await?;
                let sender = (state == State::Busy).then(|| Sender::start(servers.address, pause));
                round.turn(state, rates, servers, time).await?;
                if let Some(sender) = sender {
                    sent.push(sender.stop()?);
                }
            }
            rounds.push(round.end(servers).await?);
        }
        let told = json!({ "rates": rates.told(), "messages_per_s": spread(sent) });
        report::line(&format!("{name}: {}", report::brief(&told, &["messages_per_s"])));
        report.add(&format!("{name}_work"), told);
        report.add(name, beside::told(&rounds));
    }
    report.memory(servers, "large");
    Ok(())
}

/// The client of the large messages, on a thread of its own: writing them takes time that the other
/// clients' times must not show.
struct Sender {
    ends: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<anyhow::Result<f64>>,
}

impl Sender {
    fn start(address: SocketAddr, pause: Duration) -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&ends);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(send(address, pause, &told))
        });
        Self { ends, thread }
    }

    /// Stops it, and returns how many messages it sent a second.
    fn stop(self) -> anyhow::Result<f64> {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow!("the client of large messages broke"))?
    }
}

async fn send(address: SocketAddr, pause: Duration, ends: &AtomicBool) -> anyhow::Result<f64> {
    let mut random = Random::new(37);
    let mut text = String::with_capacity(BYTES + texts::BYTES);
    while text.len() < BYTES {
        text.push_str(&texts::text(&mut random));
    }
    text.truncate(BYTES);
    let body = format!(r#"{{"messages":[{{"role":"user","content":"{text}"}}]}}"#);
    let mut bytes = request("POST", format_args!("/v1/sessions/large/messages"), &body);
    let head = bytes.len() - BYTES;
    let mut connection = Connection::open(address).await?;
    let (started, mut sent) = (Instant::now(), 0.0);
    while !ends.load(Ordering::Relaxed) {
        let begun = Instant::now();
        // New words in every kilobyte, or counts that are remembered would make it cheap.
        for part in bytes.get_mut(head..).unwrap_or_default().chunks_mut(texts::BYTES) {
            let word = format!("{:08x}", random.below(1 << 31));
            if let Some(place) = part.get_mut(100..108) {
                place.copy_from_slice(word.as_bytes());
            }
        }
        connection.done(&bytes).await?;
        sent += 1.0;
        tokio::time::sleep(pause.saturating_sub(begun.elapsed())).await;
    }
    Ok(sent / started.elapsed().as_secs_f64())
}
