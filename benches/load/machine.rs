//! What a run stands on.

use std::fs;
use std::process::Command;

use serde_json::json;
use sqlx::Row as _;

use crate::report::{self, Report};
use crate::servers::Servers;

/// Tells processors and versions.
pub async fn tell(servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let found = servers.look("show server_version").await?;
    let postgres: String = found.first().map(|row| row.try_get(0)).transpose()?.unwrap_or_default();
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    // The first word of one and the second of the other are the number; the rest names builds and days.
    let postgres = postgres.split(' ').next().unwrap_or_default();
    let rustc = rustc.split(' ').nth(1).unwrap_or_default();
    let kind = kind().unwrap_or_default();
    report::section(&format!("{processors} processors {kind}; Postgres {postgres}, rustc {rustc}"));
    report::line(
        "others = share of all processors that neither the bench, nor the service, nor Postgres used",
    );
    report.add(
        "machine",
        json!({ "processors": processors, "kind": kind, "postgres": postgres, "rustc": rustc }),
    );
    Ok(())
}

/// What the processors call themselves.
fn kind() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
