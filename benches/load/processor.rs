//! How much of the machine others used while we measured.

use std::collections::{HashMap, HashSet};
use std::fs;

use crate::servers::Servers;

/// The kernel's ticks in a second, as it tells them to programs on every common system.
const TICKS: f64 = 100.0;

/// Processor time so far, in the kernel's ticks.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    service: u32,
    postgres: u32,
    all: u64,
    busy: u64,
    ours: u64,
    of_service: u64,
    of_postgres: u64,
}

/// Who used the processors for how long.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// The share of all processors that was neither idle nor ours.
    pub others: f64,
    /// Seconds of this process and its descendants.
    pub ours: f64,
    /// Seconds of the service.
    pub service: f64,
    /// Seconds of the Postgres server.
    pub postgres: f64,
}

impl Processor {
    /// Reads the clocks; all zero where there is no `/proc`.
    pub fn of(servers: &Servers) -> Self {
        Self::read(servers.service_pid(), servers.postgres_pid())
    }

    fn read(service: u32, postgres: u32) -> Self {
        let (all, busy) = machine().unwrap_or_default();
        let processes = processes();
        let [ours, of_service, of_postgres] =
            [std::process::id(), service, postgres].map(|root| tree(&processes, root));
        Self { service, postgres, all, busy, ours, of_service, of_postgres }
    }

    /// What was used since.
    pub fn used(self) -> Used {
        let now = Self::read(self.service, self.postgres);
        let since = |pick: fn(&Self) -> u64| pick(&now).saturating_sub(pick(&self));
        let [all, busy, ours] = [since(|p| p.all), since(|p| p.busy), since(|p| p.ours)];
        Used {
            others: ratio(busy.saturating_sub(ours), all),
            ours: seconds(ours),
            service: seconds(since(|p| p.of_service)),
            postgres: seconds(since(|p| p.of_postgres)),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "ticks of a run are far below 2^52")]
fn seconds(ticks: u64) -> f64 {
    ticks as f64 / TICKS
}

#[expect(clippy::cast_precision_loss, reason = "ticks of a run are far below 2^52")]
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { f64::NAN } else { part as f64 / whole as f64 }
}

/// All time of all processors, and what of it was not idle.
fn machine() -> Option<(u64, u64)> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    // user nice system idle iowait irq softirq steal; what follows is part of user.
    let ticks: Vec<u64> =
        text.lines().next()?.split_whitespace().skip(1).take(8).flat_map(str::parse).collect();
    let all: u64 = ticks.iter().sum();
    let idle: u64 = ticks.iter().skip(3).take(2).sum();
    Some((all, all - idle))
}

/// Every process: its parent and its ticks.
type Processes = HashMap<u32, (u32, u64)>;

fn processes() -> Processes {
    let mut processes = Processes::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(read) = fs::read_to_string(entry.path().join("stat")).ok().as_deref().and_then(process) {
            processes.insert(pid, read);
        }
    }
    processes
}

/// The ticks of a process and its descendants, with those that ended: a process passes its time on to
/// the one that waits for it.
fn tree(processes: &Processes, root: u32) -> u64 {
    let mut members = HashSet::from([root]);
    loop {
        let before = members.len();
        for (pid, (parent, _)) in processes {
            if members.contains(parent) {
                members.insert(*pid);
            }
        }
        if members.len() == before {
            return members.iter().filter_map(|pid| processes.get(pid)).map(|(_, ticks)| ticks).sum();
        }
    }
}

/// The parent of a process, and its time with that of the children it waited for.
fn process(stat: &str) -> Option<(u32, u64)> {
    // The name, in parentheses, may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let parent = fields.get(1)?.parse().ok()?;
    let ticks = fields.get(11..15)?.iter().flat_map(|field| field.parse::<u64>()).sum();
    Some((parent, ticks))
}

/// A process's resident memory in MB: now, and the most that it ever was.
#[expect(clippy::cast_precision_loss, reason = "kilobytes of memory are far below 2^52")]
pub fn memory(pid: u32) -> (f64, f64) {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let find = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        let kilobytes: u64 =
            line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or_default();
        kilobytes as f64 / 1024.0
    };
    (find("VmRSS:"), find("VmHWM:"))
}
