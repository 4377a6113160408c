//! The ceiling: the same work as one SQL statement each, driven by `pgbench`.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};

use crate::random::Random;
use crate::servers::{Servers, execute};
use crate::texts::message;

/// Sessions, as many as the service gets.
pub const SESSIONS: usize = 1_000;

/// The least that holds conversations: no row-level security, no counts. Bodies are `jsonb`.
const SCHEMA: &str = "
create table conversation (
  name text primary key,
  head bigint not null,
  touched timestamptz not null default now()
) with (fillfactor = 70);
create table utterance (
  conversation text not null references conversation (name),
  place bigint not null,
  body jsonb not null,
  created timestamptz not null default now(),
  primary key (conversation, place)
);
insert into conversation (name, head) select 'c' || n, 40 from generate_series(0, 999) n;
-- Place by place, so that a conversation's rows lie as far apart as real traffic leaves them.
insert into utterance (conversation, place, body)
select 'c' || n, p, json_build_object('role', 'user', 'content', left(repeat(md5(n || ' ' || p) || ' and so on ', 30), 1024))
from generate_series(1, 40) p, generate_series(0, 999) n;
";

/// Two messages appended as one statement.
const APPEND: &str = r"\set n random(0, 999)
with c as (update conversation set head = head + 2, touched = now() where name = 'c' || :n returning head) insert into utterance (conversation, place, body) select 'c' || :n, c.head - 2 + m.place, m.body from c, (values (1, :first::jsonb), (2, :second::jsonb)) as m (place, body);
";

/// A conversation and its last twenty messages read as one statement.
const READ: &str = r"\set n random(0, 999)
select c.head, u.place, u.body from conversation c left join lateral (select place, body from utterance where conversation = c.name order by place desc limit 20) u on true where c.name = 'c' || :n;
";

/// The two scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Append,
    Read,
}

/// Makes the ceiling's database anew and fills it.
pub async fn prepare(servers: &Servers) -> anyhow::Result<()> {
    servers.make_ceiling().await?;
    execute(&servers.ceiling_url(), SCHEMA).await?;
    execute(&servers.ceiling_url(), "vacuum analyze conversation").await?;
    execute(&servers.ceiling_url(), "vacuum analyze utterance").await?;
    fs::write(servers.folder().join("append.sql"), APPEND)?;
    fs::write(servers.folder().join("read.sql"), READ)?;
    Ok(())
}

/// Runs a script and returns how many statements were done, and how many a second.
pub fn run(
    servers: &Servers,
    script: Script,
    connections: usize,
    time: Duration,
) -> anyhow::Result<(f64, f64)> {
    let file = servers.folder().join(match script {
        Script::Append => "append.sql",
        Script::Read => "read.sql",
    });
    let mut random = Random::new(7);
    let mut command = Command::new(&servers.pgbench);
    // Prepared statements on kept connections, as the service has them.
    command.args(["--no-vacuum", "--protocol=prepared", "--jobs=2"]);
    command.arg(format!("--client={connections}")).arg(format!("--time={}", time.as_secs().max(1)));
    for (place, name) in ["first", "second"].into_iter().enumerate() {
        command.arg("-D").arg(format!("{name}={}", message(place, &mut random)));
    }
    let output = command.arg("-f").arg(file).arg(servers.ceiling_url()).output().context("pgbench")?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "pgbench failed: {}", String::from_utf8_lossy(&output.stderr));
    let figure = |name: &str| {
        said.lines().find_map(|line| line.strip_prefix(name)?.split([' ', '/']).next()?.parse().ok())
    };
    let done = figure("number of transactions actually processed: ");
    done.zip(figure("tps = ")).with_context(|| format!("pgbench told no rate: {said}"))
}
