//! The ceiling: the same work as one SQL statement each, driven by `pgbench`.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};

use crate::measured::Measured;
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
  anchor bigint not null,
  touched timestamptz not null default now()
) with (fillfactor = 70);
create table utterance (
  conversation text not null references conversation (name),
  place bigint not null,
  body jsonb not null,
  created timestamptz not null default now(),
  primary key (conversation, place)
);
create table digest (conversation text primary key references conversation (name), body text not null);
insert into conversation (name, head, anchor) select 'c' || n, 40, 20 from generate_series(0, 999) n;
-- Place by place, so that a conversation's rows lie as far apart as real traffic leaves them.
insert into utterance (conversation, place, body)
select 'c' || n, p, json_build_object('role', 'user', 'content', left(repeat(md5(n || ' ' || p) || ' and so on ', 30), 1024))
from generate_series(1, 40) p, generate_series(0, 999) n;
";

/// Two messages appended as one statement.
const APPEND: &str = r"\set n random(0, 999)
with c as (update conversation set head = head + 2, touched = now() where name = 'c' || :n returning head) insert into utterance (conversation, place, body) select 'c' || :n, c.head - 2 + m.place, m.body from c, (values (1, :first::jsonb), (2, :second::jsonb)) as m (place, body);
";

/// A conversation, its summary and the messages after it, read as one statement.
const READ: &str = r"\set n random(0, 999)
select c.head as place, d.body from conversation c join digest d on d.conversation = c.name where c.name = 'c' || :n union all select u.place, u.body::text from utterance u where u.conversation = 'c' || :n and u.place > (select anchor from conversation where name = 'c' || :n);
";

/// One message appended and then the same read, a statement each.
const PAIR: &str = r"\set n random(0, 999)
with c as (update conversation set head = head + 1, touched = now() where name = 'c' || :n returning head) insert into utterance (conversation, place, body) select 'c' || :n, c.head, :first::jsonb from c;
select c.head as place, d.body from conversation c join digest d on d.conversation = c.name where c.name = 'c' || :n union all select u.place, u.body::text from utterance u where u.conversation = 'c' || :n and u.place > (select anchor from conversation where name = 'c' || :n);
";

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Append,
    Read,
    Pair,
}

impl Script {
    fn file(self) -> &'static str {
        match self {
            Self::Append => "append.sql",
            Self::Read => "read.sql",
            Self::Pair => "pair.sql",
        }
    }
}

/// Makes the ceiling's database anew and fills it, with a summary of so many bytes for each conversation.
pub async fn prepare(servers: &Servers, summary: usize) -> anyhow::Result<()> {
    servers.make_ceiling().await?;
    let url = servers.ceiling_url();
    execute(&url, SCHEMA).await?;
    // Like the service's summaries, no two alike; what repeats would be compressed by the server.
    let fill = format!(
        "insert into digest select c.name, left((select string_agg(md5(c.name || n), ' ') from \
         generate_series(0, {summary} / 32) n), {summary}) from conversation c"
    );
    execute(&url, &fill).await?;
    for table in ["conversation", "utterance", "digest"] {
        execute(&url, &format!("vacuum analyze {table}")).await?;
    }
    for (script, text) in [(Script::Append, APPEND), (Script::Read, READ), (Script::Pair, PAIR)] {
        fs::write(servers.folder().join(script.file()), text)?;
    }
    Ok(())
}

/// Moves every summary on, so that twenty messages are left after it.
pub async fn shorten_tails(servers: &Servers) -> anyhow::Result<()> {
    let url = servers.ceiling_url();
    execute(&url, "update conversation set anchor = head - 20").await?;
    execute(&url, "vacuum analyze conversation").await
}

/// Runs a script and returns what was done.
pub fn run(
    servers: &Servers,
    script: Script,
    (connections, time): (usize, Duration),
) -> anyhow::Result<Measured> {
    let mut random = Random::new(7);
    let mut command = Command::new(&servers.pgbench);
    // Prepared statements on kept connections, as the service has them.
    command.args(["--no-vacuum", "--protocol=prepared", "--jobs=2"]);
    command.arg(format!("--client={connections}")).arg(format!("--time={}", time.as_secs().max(1)));
    for (place, name) in ["first", "second"].into_iter().enumerate() {
        command.arg("-D").arg(format!("{name}={}", message(place, &mut random)));
    }
    command.arg("-f").arg(servers.folder().join(script.file())).arg(servers.ceiling_url());
    let output = command.output().context("pgbench")?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "pgbench failed: {}", String::from_utf8_lossy(&output.stderr));
    let figure = |name: &str| {
        said.lines().find_map(|line| line.strip_prefix(name)?.split([' ', '/']).next()?.parse().ok())
    };
    let done = figure("number of transactions actually processed: ");
    let (replies, rate) =
        done.zip(figure("tps = ")).with_context(|| format!("pgbench told no rate: {said}"))?;
    Ok(Measured::told(replies, rate))
}
