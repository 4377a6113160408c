//! API, workers and database are killed in random order under load, and what clients were promised is held against what
//! is stored (`history`). `just kills` does it 200 times, the tests 20 times; with `ANCHORD_TEST_CELLS` there are two servers with a
//! cell and a tenant each.

mod history;
#[path = "../../benches/load/random.rs"]
#[expect(dead_code, reason = "the benches use the words")]
mod random;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use anchord_postgres::{Config, DATABASE, Durability, Embedded, SUPERUSER};
use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};

use self::history::{Batch, Guard, Stored, check, doubled, without};
use self::random::Random;
use crate::concurrency::stored;
use crate::support::service::{Client, Service, anchord, data_folder, pid};
use crate::support::{cells, change, in_schema, number, path, validity};

const OPERATOR: &str = "operator-token-of-the-kills-journey";
const TENANTS: usize = 2;
const WORKERS: usize = 2;
/// The cells of the tenants when there are two.
const CELLS: [&str; TENANTS] = ["home", "second"];
/// A key that encrypts the address of the second server.
const SECRETS: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
/// The session that clients of a tenant share; a client that expects positions has one of its own.
const SHARED: &str = "shared";
const FORMATS: [&str; 3] = ["openai-chat", "anthropic", "openai-responses"];
/// A bound that names a standstill: the clients are acknowledged nothing after a kill.
const STANDSTILL: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(5);

/// What is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Victim {
    Api,
    Worker,
    /// One process of the database, after which the server starts over by itself.
    Backend,
    Database,
}

const VICTIMS: [Victim; 4] = [Victim::Api, Victim::Worker, Victim::Backend, Victim::Database];

/// The processes.
struct Processes<'a> {
    folder: &'a Path,
    /// The servers, that of the home cell first.
    databases: Vec<Option<Embedded>>,
    api: Option<Service>,
    workers: Vec<Service>,
}

impl<'a> Processes<'a> {
    async fn start(folder: &'a Path) -> Self {
        let servers = cells().min(CELLS.len());
        let databases = (0..servers).map(|server| Some(start_database(&folder.join(server.to_string()))));
        let mut processes = Self { folder, databases: databases.collect(), api: None, workers: Vec::new() };
        let urls: Vec<String> = (0..servers).map(|server| processes.database(server).url()).collect();
        for (cell, url) in CELLS.iter().zip(&urls).skip(1) {
            let words =
                ["cells", "--database-url", &urls[0], "--secrets-key", SECRETS, "add", cell, "--url", url];
            let added = anchord(&words).output().expect("the program");
            assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
            let mut owner = PgConnection::connect(&urls[0]).await.expect("a connection");
            change(&mut owner, "update cells set created_at = now() - interval '1 day'").await;
        }
        // The first one migrates.
        processes.api = Some(start_api(&urls[0]));
        processes.workers = (0..WORKERS).map(|_| start_worker(&urls[0])).collect();
        processes
    }

    fn database(&self, server: usize) -> &Embedded {
        self.databases[server].as_ref().expect("a server")
    }

    fn url(&self) -> String {
        self.database(0).url()
    }

    /// Kills one, and starts what does not come back by itself.
    fn kill(&mut self, victim: Victim, random: &mut Random) {
        match victim {
            Victim::Api => {
                self.api = None;
                self.api = Some(supervised(|| start_api(&self.url())));
            }
            Victim::Worker => {
                self.workers.remove(random.below(WORKERS));
                self.workers.push(supervised(|| start_worker(&self.url())));
            }
            Victim::Backend => {
                let all = children(self.database(random.below(self.databases.len())).pid());
                // One that ended meanwhile is as good as killed.
                let _ = all.get(random.below(all.len())).map(|chosen| kill(pid(*chosen), Signal::SIGKILL));
            }
            Victim::Database => {
                let server = random.below(self.databases.len());
                let database = self.databases[server].take().expect("a server");
                let url = database.url();
                kill_database(database);
                let database = start_database(&self.folder.join(server.to_string()));
                assert_eq!(database.url(), url, "the services find it again");
                self.databases[server] = Some(database);
            }
        }
    }
}

/// The processes that a process has started. Where there is no /proc it finds none: then the
/// server's children end by themselves when they miss it.
pub fn children(parent: u32) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let started_by_it = |process: &u32| {
        let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
        // The name, in brackets, may hold anything; state and parent follow it.
        let parent_of_it = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        parent_of_it == Some(parent)
    };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(started_by_it).collect()
}

/// Kills a server with all of its processes.
pub fn kill_database(database: Embedded) {
    let server = database.pid();
    let all = children(server);
    // Stopped first: none of them sees another one die.
    for signal in [Signal::SIGSTOP, Signal::SIGKILL] {
        for process in [server].iter().chain(&all) {
            let _ = kill(pid(*process), signal);
        }
    }
    drop(database);
}

/// Starts a server of a folder, as durable as one of users.
pub fn start_database(folder: &Path) -> Embedded {
    let config = Config {
        data_dir: folder.to_owned(),
        programs: None,
        path: path(),
        max_connections: 100,
        durability: Durability::Full,
    };
    Embedded::start_blocking(&config).expect("a server")
}

/// Starts a service as a supervisor does: one that ends because the database is not ready is started again.
fn supervised(start: impl Fn() -> Service) -> Service {
    let begun = Instant::now();
    loop {
        match catch_unwind(AssertUnwindSafe(&start)) {
            Ok(service) => return service,
            Err(panicked) if begun.elapsed() > STANDSTILL => resume_unwind(panicked),
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

fn start_api(url: &str) -> Service {
    // The pool of a process is small here, because three of them share a server.
    let more = ["--roles", "api", "--admin-token", OPERATOR, "--rate-limit", "0", "--log", "error"];
    Service::on(url, &[&more[..], &["--secrets-key", SECRETS]].concat())
}

fn start_worker(url: &str) -> Service {
    Service::start(&["worker", "--database-url", url, "--secrets-key", SECRETS])
}

/// What the clients share.
#[derive(Debug)]
struct Run {
    api: RwLock<Client>,
    keys: Vec<String>,
    is_over: AtomicBool,
    acknowledged: AtomicUsize,
    /// The newest acknowledged position of the shared session of each tenant.
    heads: Vec<AtomicI64>,
    contexts: AtomicUsize,
    batches: Mutex<Vec<Batch>>,
    /// The documents of versions as they were first read.
    versions: Mutex<BTreeMap<(usize, i64), String>>,
    problems: Mutex<Vec<String>>,
}

impl Run {
    fn client(&self, tenant: usize) -> Client {
        self.api.read().expect("nobody fails with it").with_key(&self.keys[tenant])
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn problem(&self, text: String) {
        self.problems.lock().expect("nobody fails with it").push(text);
    }
}

/// A client that appends batches, and repeats each until it is acknowledged.
fn append(run: &Run, tenant: usize, guard: Guard, client: &str) {
    let session = if guard == Guard::ExpectedNextSeq { client } else { SHARED };
    let path = format!("/v1/sessions/{session}/messages");
    let mut next_seq = 1;
    for turn in 0.. {
        let texts = [0, 1].map(|part| {
            let text =
                format!("{client} {turn} {part}: {}", "went on with the work in src/main.rs ".repeat(8));
            json!({"role": if part == 0 { "user" } else { "assistant" }, "content": text}).to_string()
        });
        let expected = match guard {
            Guard::ExpectedNextSeq => format!(r#","expected_next_seq":{next_seq}"#),
            Guard::Nothing | Guard::IdempotencyKey => String::new(),
        };
        let body = format!(r#"{{"messages":[{}]{expected}}}"#, texts.join(","));
        let key = format!("{client}-{turn}");
        let headers = [("idempotency-key", key.as_str())];
        let headers = if guard == Guard::IdempotencyKey { headers.as_slice() } else { &[] };
        let session = format!("{tenant}/{session}");
        let mut batch =
            Batch { client: client.to_owned(), session, texts, guard, first_seq: None, unknown: 0 };
        while !run.is_over() && batch.first_seq.is_none() {
            match run.client(tenant).call("POST", &path, headers, &body) {
                Ok(reply) if reply.status == 201 => batch.first_seq = reply.json()["first_seq"].as_i64(),
                // An attempt before this one was stored, and its answer did not arrive.
                Ok(reply) if reply.status == 409 && guard == Guard::ExpectedNextSeq && batch.unknown > 0 => {
                    batch.first_seq = Some(next_seq);
                }
                // One in flight was of a process that was killed.
                Ok(reply) if reply.status == 409 && guard == Guard::IdempotencyKey => {}
                Ok(reply) if reply.status >= 500 => batch.unknown += 1,
                Ok(reply) => return run.problem(format!("an append got {}: {}", reply.status, reply.text)),
                // It was not sent.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
                Err(_) => batch.unknown += 1,
            }
            if batch.first_seq.is_none() {
                thread::sleep(PAUSE);
            }
        }
        if let Some(first) = batch.first_seq {
            next_seq = first + 2;
            run.acknowledged.fetch_add(1, Ordering::Relaxed);
            if session_is_shared(guard) {
                run.heads[tenant].fetch_max(first + 1, Ordering::Relaxed);
            }
        }
        run.batches.lock().expect("nobody fails with it").push(batch);
        if run.is_over() {
            return;
        }
    }
}

fn session_is_shared(guard: Guard) -> bool {
    guard != Guard::ExpectedNextSeq
}

/// A client that reads contexts and versions, and asks for compressions.
fn read(run: &Run, tenant: usize) {
    for turn in 0.. {
        if run.is_over() {
            return;
        }
        let client = run.client(tenant);
        let least = run.heads[tenant].load(Ordering::Relaxed);
        let format = FORMATS[turn % FORMATS.len()];
        let path = format!("/v1/sessions/{SHARED}/context?format={format}");
        if let Ok(reply) = client.call("GET", &path, &[], "") {
            match reply.status {
                200 => inspect(run, (tenant, least), &reply.json()),
                // Nothing is acknowledged yet.
                404 if least == 0 => {}
                500.. => {}
                other => run.problem(format!("a context got {other}: {}", reply.text)),
            }
        }
        if let Ok(reply) = client.call("GET", &format!("/v1/sessions/{SHARED}/summary"), &[], "")
            && reply.status == 200
        {
            remember(run, tenant, reply.json());
        }
        if turn % 8 == 0 {
            let compress = format!("/v1/sessions/{SHARED}/compressions");
            if let Ok(reply) = client.call("POST", &compress, &[], r#"{"target": 0.5}"#)
                && !matches!(reply.status, 200 | 202 | 404 | 409 | 500..)
            {
                run.problem(format!("a compression got {}: {}", reply.status, reply.text));
            }
        }
        thread::sleep(PAUSE);
    }
}

/// Checks a context: a provider takes it, and it has what was acknowledged before it was read.
fn inspect(run: &Run, (tenant, least): (usize, i64), context: &Value) {
    run.contexts.fetch_add(1, Ordering::Relaxed);
    for problem in validity::problems(context) {
        run.problem(format!("a context of tenant {tenant}: {problem}"));
    }
    let head = context["head_seq"].as_i64().unwrap_or_default();
    if head < least {
        run.problem(format!("a context of tenant {tenant} ends at {head}, after {least} was acknowledged"));
    }
}

/// A version's document never changes.
fn remember(run: &Run, tenant: usize, mut document: Value) {
    let version = document["version"].as_i64().expect("a version");
    // Which one is current is not part of the document.
    document.as_object_mut().expect("an object").remove("current");
    let text = document.to_string();
    let mut versions = run.versions.lock().expect("nobody fails with it");
    if *versions.entry((tenant, version)).or_insert_with(|| text.clone()) != text {
        run.problem(format!("version {version} of tenant {tenant} has changed"));
    }
}

/// How many kills: more by `just kills`.
#[expect(clippy::disallowed_methods, reason = "a recipe makes the test longer")]
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Waits until so many more batches are acknowledged.
fn wait_for(run: &Run, more: usize, what: &str) {
    let (begun, from) = (Instant::now(), run.acknowledged.load(Ordering::Relaxed));
    while run.acknowledged.load(Ordering::Relaxed) < from + more {
        let problems = run.problems.lock().expect("nobody fails with it");
        assert!(problems.is_empty(), "{what}: {problems:#?}");
        drop(problems);
        assert!(begun.elapsed() < STANDSTILL, "{what}: nothing was acknowledged for {STANDSTILL:?}");
        thread::sleep(PAUSE);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_promise_is_broken_when_api_workers_and_database_are_killed_in_any_order() {
    let (kills, seed) = (setting("ANCHORD_KILLS", 12), setting("ANCHORD_KILLS_SEED", 1));
    let folder = data_folder();
    let mut processes = Processes::start(folder.path()).await;
    let run = prepare(processes.api.as_ref().expect("an API"));
    let mut random = Random::new(seed);
    let mut killed: BTreeMap<Victim, usize> = BTreeMap::new();
    let mut longest = Duration::ZERO;
    let begun = Instant::now();
    thread::scope(|scope| {
        let run = &run;
        for tenant in 0..TENANTS {
            for guard in [Guard::Nothing, Guard::IdempotencyKey, Guard::ExpectedNextSeq] {
                let name = format!("client-{tenant}-{guard:?}");
                scope.spawn(move || append(run, tenant, guard, &name));
            }
            scope.spawn(move || read(run, tenant));
        }
        // Clients that nobody ends would wait for ever after a failure.
        let ending = Ending(run);
        wait_for(run, 20, "at the start");
        for kill in 1..=kills {
            let victim = VICTIMS[random.below(VICTIMS.len())];
            let at = Instant::now();
            processes.kill(victim, &mut random);
            *killed.entry(victim).or_default() += 1;
            *run.api.write().expect("nobody fails with it") =
                processes.api.as_ref().expect("an API").client();
            wait_for(run, 1, &format!("after kill {kill} ({victim:?}, seed {seed})"));
            longest = longest.max(at.elapsed());
            wait_for(run, random.below(30), &format!("before kill {}", kill + 1));
        }
        drop(ending);
    });
    let elapsed = begun.elapsed();
    let Run { batches, problems, versions, contexts, keys, .. } = run;
    assert_eq!(problems.into_inner().expect("nobody fails with it"), [""; 0]);
    let batches = batches.into_inner().expect("nobody fails with it");
    let api = processes.api.as_ref().expect("an API").client();
    let clients: Vec<Client> = keys.iter().map(|key| api.with_key(key)).collect();
    let stored = everything(&clients, &batches);
    let verdict = check(&batches, &stored);
    assert_eq!(verdict.problems, [""; 0]);
    assert_finds_what_is_planted(&batches, &stored);
    for server in 0..processes.databases.len() {
        settle(&mut connect(&processes, server).await).await;
    }
    let versions = versions.into_inner().expect("nobody fails with it");
    let published =
        clients.iter().enumerate().map(|tenant| consistent_versions(tenant, &versions)).sum::<usize>();
    let done = "select count(*) from compressions where kind = 'compress' and status = 'succeeded'";
    for server in 0..processes.databases.len() {
        let mut look = connect(&processes, server).await;
        assert_eq!(number(&mut look, done).await, number(&mut look, "select count(*) from summaries").await);
    }
    let count =
        |guard| batches.iter().filter(|batch| batch.guard == guard && batch.first_seq.is_some()).count();
    println!(
        "{kills} kills with seed {seed} in {} s: {killed:?}\n\
         acknowledged batches: {} with a key, {} with an expected position, {} with neither\n\
         attempts with an unknown outcome: {}; of those without a guard, {} were stored more than once\n\
         stored and never acknowledged: {}; lost: 0; doubled in spite of a guard: 0; gaps: 0; out of order: 0\n\
         contexts read: {}, all valid; versions published: {published}, all consistent\n\
         longest time from a kill to the next acknowledgement, with the new start: {} ms",
        elapsed.as_secs(),
        count(Guard::IdempotencyKey),
        count(Guard::ExpectedNextSeq),
        count(Guard::Nothing),
        batches.iter().map(|batch| batch.unknown).sum::<usize>(),
        verdict.repeated,
        verdict.unacknowledged,
        contexts.into_inner(),
        longest.as_millis(),
    );
}

/// Ends the clients, whatever becomes of the test.
struct Ending<'a>(&'a Run);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// Makes the tenants; their sessions are small, so that they are compressed often.
fn prepare(api: &Service) -> Run {
    let operator = api.client().with_key(OPERATOR);
    let post = |path: &str, body: Value| {
        let reply = operator.call("POST", path, &[], &body.to_string()).expect("a reply");
        assert_eq!(reply.status, 201, "{}", reply.text);
        reply.json()
    };
    let key = |tenant: usize| {
        let cell = (cells() > 1).then_some(CELLS[tenant]);
        let tenant = post("/v1/admin/tenants", json!({"name": format!("tenant-{tenant}"), "cell": cell}));
        let path = format!("/v1/admin/tenants/{}/keys", tenant["id"].as_str().expect("an id"));
        let made = post(&path, json!({"scopes": ["read", "write", "admin"]}));
        let key = made["key"].as_str().expect("a key").to_owned();
        let settings =
            operator.with_key(&key).call("PUT", "/v1/settings", &[], r#"{"context_window": 8000}"#);
        assert_eq!(settings.expect("a reply").status, 200);
        key
    };
    Run {
        api: RwLock::new(api.client()),
        keys: (0..TENANTS).map(key).collect(),
        is_over: AtomicBool::new(false),
        acknowledged: AtomicUsize::new(0),
        heads: (0..TENANTS).map(|_| AtomicI64::new(0)).collect(),
        contexts: AtomicUsize::new(0),
        batches: Mutex::default(),
        versions: Mutex::default(),
        problems: Mutex::default(),
    }
}

/// All messages of the sessions that batches went to.
fn everything(clients: &[Client], batches: &[Batch]) -> Stored {
    let mut all = Stored::new();
    for batch in batches {
        if !all.contains_key(&batch.session) {
            let (tenant, session) = batch.session.split_once('/').expect("a tenant");
            let tenant: usize = tenant.parse().expect("a number");
            all.insert(batch.session.clone(), stored(&clients[tenant], session));
        }
    }
    all
}

/// The check finds a message that is lost and one that is doubled.
fn assert_finds_what_is_planted(batches: &[Batch], stored: &Stored) {
    let finds = |stored: &Stored, what: &str| {
        let problems = check(batches, stored).problems;
        assert!(problems.iter().any(|problem| problem.contains(what)), "not found: {what} in {problems:#?}");
    };
    for guard in [Guard::Nothing, Guard::IdempotencyKey, Guard::ExpectedNextSeq] {
        let sent_once =
            |batch: &&Batch| batch.guard == guard && batch.first_seq.is_some() && batch.unknown == 0;
        let batch = batches.iter().rfind(sent_once).expect("a batch that was acknowledged at once");
        finds(&without(stored, batch), "is lost: it is at []");
        finds(&doubled(stored, batch), "is stored 2 times and may be 1 times");
    }
}

async fn connect(processes: &Processes<'_>, server: usize) -> PgConnection {
    let mut url = processes.database(server).url_of(SUPERUSER, DATABASE);
    if server > 0 {
        url = in_schema(&url, CELLS[server]);
    }
    PgConnection::connect(&url).await.expect("a connection")
}

/// Waits until no job is queued or running: a killed worker's are taken over at once, and a job whose claim was committed while
/// its answer was lost with the database, when its lease of thirty seconds ends.
async fn settle(look: &mut PgConnection) {
    const LEASE_AND_WORK: Duration = Duration::from_secs(50);
    let live = "select count(*) from compressions where status in ('queued', 'running')";
    let begun = Instant::now();
    while number(look, live).await > 0 {
        assert!(begun.elapsed() < LEASE_AND_WORK, "the end of every job did not come about");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Checks a tenant's versions: they follow each other, cover more and more, are counted, and are what they were when they
/// were first read. Gives how many there are.
fn consistent_versions((tenant, client): (usize, &Client), read: &BTreeMap<(usize, i64), String>) -> usize {
    let session = client.get(&format!("/v1/sessions/{SHARED}")).json();
    let history = client.get(&format!("/v1/sessions/{SHARED}/summaries?limit=1000"));
    assert_eq!(history.status, 200, "{}", history.text);
    let mut versions = history.json()["items"].as_array().expect("items").clone();
    versions.reverse();
    let mut covered = 0;
    for (number, version) in (1..).zip(&versions) {
        assert_eq!(version["version"], number, "{version}");
        assert_eq!(version["parent_version"].as_i64().unwrap_or_default(), number - 1, "{version}");
        let anchor = version["through_seq"].as_i64().expect("a position");
        assert!(anchor >= covered, "version {number} covers less than the one before: {version}");
        covered = anchor;
        let is_last = versions.len() == usize::try_from(number).expect("a small number");
        assert_eq!(version["current"], is_last, "{version}");
        let mut document = client.get(&format!("/v1/sessions/{SHARED}/summaries/{number}")).json();
        document.as_object_mut().expect("an object").remove("current");
        if let Some(before) = read.get(&(tenant, number)) {
            assert_eq!(*before, document.to_string(), "version {number} has changed");
        }
    }
    assert!(covered <= session["head_seq"].as_i64().expect("a position"));
    assert_eq!(session["anchor_seq"], covered);
    assert_eq!(session["compression_count"], versions.len());
    for format in FORMATS {
        let context = client.get(&format!("/v1/sessions/{SHARED}/context?format={format}")).json();
        assert_eq!(validity::problems(&context), [""; 0]);
    }
    versions.len()
}
