//! How much of the machine others used while we measured.

use std::collections::{HashMap, HashSet};
use std::fs;

/// Processor time so far, in the kernel's ticks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Processor {
    all: u64,
    busy: u64,
    ours: u64,
}

impl Processor {
    /// Reads the clocks; all zero where there is no `/proc`.
    pub fn now() -> Self {
        let (all, busy) = machine().unwrap_or_default();
        Self { all, busy, ours: tree() }
    }

    /// The share of all processors that was neither idle nor used by this process and its descendants.
    pub fn others_since(self) -> f64 {
        let now = Self::now();
        let all = now.all.saturating_sub(self.all);
        let busy = now.busy.saturating_sub(self.busy);
        let ours = now.ours.saturating_sub(self.ours);
        ratio(busy.saturating_sub(ours), all)
    }
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

/// The time of this process and its descendants, with those that ended: a process passes its time on
/// to the one that waits for it.
fn tree() -> u64 {
    let Ok(folder) = fs::read_dir("/proc") else { return 0 };
    let mut processes: HashMap<u32, (u32, u64)> = HashMap::new();
    for entry in folder.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(read) = fs::read_to_string(entry.path().join("stat")).ok().as_deref().and_then(process) {
            processes.insert(pid, read);
        }
    }
    let mut members = HashSet::from([std::process::id()]);
    loop {
        let before = members.len();
        members.extend(
            processes
                .iter()
                .filter(|(_, (parent, _))| members.contains(parent))
                .map(|(pid, _)| *pid)
                .collect::<Vec<_>>(),
        );
        if members.len() == before {
            break;
        }
    }
    members.iter().filter_map(|pid| processes.get(pid)).map(|(_, ticks)| ticks).sum()
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
