//! The sessions that loads write to and read.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use sqlx::Row as _;
use tokio::task::JoinSet;

use crate::ceiling::SESSIONS;
use crate::client::{Connection, request};
use crate::closed::Turn;
use crate::random::Random;
use crate::servers::Servers;
use crate::texts::batch;

/// Bodies to choose from, so that no two appends in a row are the same.
const BODIES: usize = 64;
/// How much the sessions that are appended to differ in length before the load.
const LENGTHS: usize = 40;
/// Messages that a summary covers, and messages after it, of the sessions that are read.
const TAIL: usize = 20;
/// Connections that prepare.
const SENDERS: usize = 16;
/// How long all summaries may take.
const REST: Duration = Duration::from_mins(3);

/// Any of the sessions.
pub fn any(random: &mut Random) -> usize {
    random.below(SESSIONS)
}

/// Appends of so many messages of 1 KB.
#[derive(Clone, Debug)]
pub struct Appends(Rc<[String]>);

impl Appends {
    /// Makes the bodies.
    pub fn new(messages: usize) -> Self {
        let mut random = Random::new(31);
        Self((0..BODIES).map(|_| batch(messages, &mut random)).collect())
    }

    /// Adds an append to any of the sessions so named, and returns which.
    pub fn add(&self, name: &str, random: &mut Random, turn: &mut Turn) -> usize {
        let session = any(random);
        let body = self.0.get(random.below(BODIES)).map_or("", String::as_str);
        turn.add("POST", format_args!("/v1/sessions/{name}-{session}/messages"), body);
        session
    }
}

/// Sends requests over a few connections; each must succeed. One that follows another by many comes after it.
pub async fn send_all(
    servers: &Servers,
    requests: impl Iterator<Item = Vec<u8>> + 'static,
) -> anyhow::Result<()> {
    let requests = Rc::new(RefCell::new(requests));
    let mut senders = JoinSet::new();
    for _ in 0..SENDERS {
        let (mut connection, requests) = (Connection::open(servers.address).await?, Rc::clone(&requests));
        senders.spawn_local(async move {
            loop {
                let next = requests.borrow_mut().next();
                let Some(request) = next else { return anyhow::Ok(()) };
                connection.done(&request).await?;
            }
        });
    }
    while let Some(ended) = senders.join_next().await {
        ended??;
    }
    Ok(())
}

/// Makes the sessions so named, which have some messages each.
pub async fn to_append(name: &str, servers: &Servers) -> anyhow::Result<()> {
    let name: Rc<str> = name.into();
    let mut random = Random::new(11);
    let warm = move |session| {
        // None becomes due for a summary or for the recall index during the load, unless a small window
        // is asked for: what appends cost beside compressions is measured apart.
        let body = batch(10 + session % LENGTHS, &mut random);
        request("POST", format_args!("/v1/sessions/{name}-{session}/messages"), &body)
    };
    send_all(servers, (0..SESSIONS).map(warm)).await
}

/// What a context of the sessions `read-…` is made of, on average.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Bytes of the texts of summary and digest.
    pub summary: f64,
    /// Messages after it.
    pub tail: f64,
}

impl Shape {
    /// Their bytes, whole.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a text's bytes")]
    pub fn summary_bytes(&self) -> usize {
        self.summary as usize
    }
}

/// Makes the sessions `read-…`: a summary of twenty messages, and twenty after it.
pub async fn to_read(servers: &Servers) -> anyhow::Result<Shape> {
    // Summaries come when they are asked for, not in the middle of a measurement.
    let put = |session| request("PUT", format_args!("/v1/sessions/read-{session}"), r#"{"auto":false}"#);
    send_all(servers, (0..SESSIONS).map(put)).await?;
    let mut random = Random::new(13);
    let mut append = move |session, messages| {
        let body = batch(messages, &mut random);
        request("POST", format_args!("/v1/sessions/read-{session}/messages"), &body)
    };
    let covered = (0..SESSIONS).map(|session| (session, TAIL));
    // Two by two, so that a session's rows lie as far apart as real traffic leaves them.
    let tails = (0..TAIL / 2).flat_map(|_| (0..SESSIONS).map(|session| (session, 2)));
    send_all(servers, covered.chain(tails).map(move |(session, messages)| append(session, messages))).await?;
    shorten_tails(servers).await?;
    servers.look("vacuum analyze").await?;
    let found = servers
        .look(
            "select count(*)::int4, avg(octet_length(v.rendering) + coalesce(octet_length(v.digest), 0))::float8, avg(s.head_seq - s.anchor_seq)::float8
             from sessions s join summaries v on v.tenant_id = s.tenant_id and v.session_id = s.id and v.version = s.version
             where s.name like 'read-%'",
        )
        .await?;
    let found = found.first().context("a row of counts")?;
    let summarised: i32 = found.try_get(0)?;
    ensure!(usize::try_from(summarised) == Ok(SESSIONS), "only {summarised} sessions have a summary");
    Ok(Shape { summary: found.try_get(1)?, tail: found.try_get(2)? })
}

/// Has every session `read-…` summarised up to its last twenty messages.
pub async fn shorten_tails(servers: &Servers) -> anyhow::Result<()> {
    let longer = servers
        .look(&format!(
            "select name, head_seq - {TAIL} from sessions where name like 'read-%' and head_seq > anchor_seq + {TAIL}"
        ))
        .await?;
    let read = |row: &sqlx::postgres::PgRow| Ok((row.try_get(0)?, row.try_get(1)?));
    let longer = longer.iter().map(read).collect::<Result<Vec<(String, i64)>, sqlx::Error>>()?;
    let ask = |(name, through): (String, i64)| {
        let keep = format!(r#"{{"preserve_recent":{TAIL},"through_seq":{through}}}"#);
        request("POST", format_args!("/v1/sessions/{name}/compressions"), &keep)
    };
    send_all(servers, longer.into_iter().map(ask)).await?;
    servers.rest(REST).await
}
