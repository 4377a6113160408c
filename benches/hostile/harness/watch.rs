//! The service's process, seen from outside: its memory, its processor time and its database connections.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sqlx::{Connection as _, PgConnection, Row as _};

const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// How long processor time is counted, and half of the kernel's ticks in that time.
const BETWEEN_TICKS: Duration = Duration::from_millis(200);
const TICKS_OF_HALF: u64 = 10;
/// So often in turn, because others may keep the process from running for a moment.
const CALM: u32 = 4;

/// Looks at a process, and at its resident memory until it is dropped.
#[derive(Debug)]
pub struct Process {
    pid: u32,
    most: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Process {
    pub fn of(pid: u32) -> Self {
        let (most, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (greatest, end) = (Arc::clone(&most), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                greatest.fetch_max(resident(pid), Ordering::Relaxed);
                std::thread::sleep(BETWEEN_LOOKS);
            }
        });
        Self { pid, most, is_over, thread: Some(thread) }
    }

    /// Megabytes of resident memory now.
    pub fn now(&self) -> u64 {
        resident(self.pid)
    }

    /// Waits until it uses less than half a processor: what was begun for somebody who has hung up is over. Gives up after
    /// a time.
    pub async fn rest(&self, most: Duration) {
        let (begun, mut before, mut calm) = (Instant::now(), ticks(self.pid), 0);
        while begun.elapsed() < most && calm < CALM {
            tokio::time::sleep(BETWEEN_TICKS).await;
            let now = ticks(self.pid);
            calm = if now.saturating_sub(before) < TICKS_OF_HALF { calm + 1 } else { 0 };
            before = now;
        }
    }

    /// The most megabytes since the call before.
    pub fn most(&self) -> u64 {
        self.most.swap(0, Ordering::Relaxed).max(self.now())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Megabytes of resident memory; zero where there is no `/proc`.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1024
}

/// Processor time so far; zero where there is no `/proc`.
fn ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything.
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
    fields.split_whitespace().skip(11).take(2).flat_map(str::parse::<u64>).sum()
}

/// Connections of a database that do something or have a transaction open, but for the one that asks.
pub async fn busy_connections(url: &str) -> anyhow::Result<i64> {
    let mut connection = PgConnection::connect(url).await?;
    let count = "select count(*) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
          and state <> 'idle'";
    let row = sqlx::raw_sql(count).fetch_one(&mut connection).await?;
    connection.close().await?;
    row.try_get(0).context("a count")
}
