//! Cells on two servers, with services in processes of their own: one server is stopped hard, tenants are moved between them,
//! and workers serve one cell.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anchord_postgres::{DATABASE, Embedded, SUPERUSER};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};

use crate::faults::texts;
use crate::kills::{kill_database, start_database};
use crate::support::app::{COMPRESS, OPERATOR};
use crate::support::service::{Client, Reply, Service, anchord, data_folder};
use crate::support::{self, TestDatabase, number};

/// A key that encrypts the address of the second server.
const SECRETS: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
/// The second server lets everybody in who can open its socket; the address has a password all the same.
const PASSWORD: &str = "hunter2-of-the-second-server";
const PAUSE: Duration = Duration::from_millis(10);
/// A bound that names a standstill.
const STANDSTILL: Duration = Duration::from_mins(1);

/// The server of the tests with the home cell, and one with the cell `second`.
struct Servers {
    database: TestDatabase,
    folder: tempfile::TempDir,
    second: Option<Embedded>,
}

impl Servers {
    async fn start() -> Self {
        let database = support::database().await;
        let folder = data_folder();
        let second = Some(start_database(folder.path()));
        let servers = Self { database, folder, second };
        let url = servers.second_url();
        let unsealed = servers.run(&["add", "second"], &[("ANCHORD_CELL_URL", &url)]);
        assert!(unsealed.contains("ANCHORD_SECRETS_KEY") && !unsealed.contains(PASSWORD), "{unsealed}");
        let both = [("ANCHORD_CELL_URL", url.as_str()), ("ANCHORD_SECRETS_KEY", SECRETS)];
        let added = servers.run(&["add", "second"], &both);
        assert!(!added.contains(PASSWORD), "{added}");
        let mut owner = PgConnection::connect(&servers.database.home).await.expect("a connection");
        let clear = format!(
            "select count(*) from cells where length(url) > {} and position(convert_to('{PASSWORD}', 'UTF8') in url) = 0",
            url.len()
        );
        assert_eq!(number(&mut owner, &clear).await, 1);
        support::change(&mut owner, "update cells set created_at = now() - interval '1 day'").await;
        servers
    }

    fn second_url(&self) -> String {
        self.second.as_ref().expect("a server").url().replacen('@', &format!(":{PASSWORD}@"), 1)
    }

    /// What a command about cells prints.
    fn run(&self, words: &[&str], variables: &[(&str, &str)]) -> String {
        let words = [&["cells", "--database-url", &self.database.home], words].concat();
        let done = anchord(&words).envs(variables.iter().copied()).output().expect("the program");
        String::from_utf8_lossy(&done.stdout).into_owned() + String::from_utf8_lossy(&done.stderr).as_ref()
    }

    fn cells(&self, words: &[&str]) -> String {
        self.run(words, &[("ANCHORD_SECRETS_KEY", SECRETS)])
    }

    fn serve(&self, more: &[&str]) -> Service {
        let small = ["--admin-token", OPERATOR, "--rate-limit", "0", "--pool-size", "6"];
        Service::on(&self.database.home, &[&small[..], more].concat())
    }

    fn work(&self, cell: &str) -> Service {
        let words = ["worker", "--database-url", &self.database.home, "--secrets-key", SECRETS];
        Service::start(&[&words[..], &["--cells", cell]].concat())
    }

    fn stop_second(&mut self) {
        kill_database(self.second.take().expect("a server"));
    }

    fn start_second(&mut self) {
        self.second = Some(start_database(self.folder.path()));
    }

    /// How many workers are present in the home cell and in the second one.
    async fn workers(&self) -> [i64; 2] {
        let second = self.second.as_ref().expect("a server").url_of(SUPERUSER, DATABASE);
        let mut present = [0; 2];
        for (url, present) in [&self.database.home, &second].into_iter().zip(&mut present) {
            let mut look = PgConnection::connect(url).await.expect("a connection");
            let held = "select count(distinct l.objid) from pg_locks l
                        where l.locktype = 'advisory' and l.classid = 1633772132 and l.granted
                          and l.database = (select oid from pg_database where datname = current_database())";
            *present = number(&mut look, held).await;
        }
        present
    }
}

/// Makes a tenant in a cell, and gives its id and its key.
fn tenant(service: &Service, name: &str, cell: &str) -> (String, String) {
    let operator = service.client().with_key(OPERATOR);
    let made = post(&operator, "/v1/admin/tenants", &json!({"name": name, "cell": cell})).json();
    assert_eq!(made["cell"], cell, "{made}");
    let id = made["id"].as_str().expect("an id").to_owned();
    let scopes = json!({"scopes": ["read", "write", "admin"]});
    let key = post(&operator, &format!("/v1/admin/tenants/{id}/keys"), &scopes).json();
    let key = key["key"].as_str().expect("a key").to_owned();
    (id, key)
}

fn post(client: &Client, path: &str, body: &Value) -> Reply {
    let reply = client.call("POST", path, &[], &body.to_string()).expect("a reply");
    assert!((200..300).contains(&reply.status), "{path}: {} {}", reply.status, reply.text);
    reply
}

fn eventually(what: &str, mut look: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !look() {
        assert!(begun.elapsed() < STANDSTILL, "{what} did not come about");
        thread::sleep(PAUSE);
    }
}

/// The appends of a tenant's clients.
#[derive(Default)]
struct Appends {
    acknowledged: AtomicUsize,
    /// How many were told to try again later.
    refused: AtomicUsize,
}

impl Appends {
    /// Appends one message after another, each until it is acknowledged; gives them all.
    fn go_on(&self, client: &Client, session: &str, is_over: &AtomicBool) -> Vec<String> {
        let path = format!("/v1/sessions/{session}/messages");
        let mut acknowledged = Vec::new();
        for n in 0.. {
            if is_over.load(Ordering::Relaxed) {
                break;
            }
            let (key, text) = (format!("{session}-{n}"), format!("{session} has {}", super::long(n)));
            let body = json!({"messages": [{"role": "user", "content": text}]}).to_string();
            loop {
                let key = [("idempotency-key", key.as_str())];
                let reply = client.call("POST", &path, &key, &body).expect("a reply");
                match reply.status {
                    201 => break,
                    503 if reply.header("retry-after").is_some() => {}
                    // Its commit was on the way.
                    500 if reply.text.contains("outcome-unknown") => {}
                    other => panic!("{session}: {other} {}", reply.text),
                }
                self.refused.fetch_add(1, Ordering::Relaxed);
                thread::sleep(PAUSE);
            }
            self.acknowledged.fetch_add(1, Ordering::Relaxed);
            acknowledged.push(text);
            thread::sleep(PAUSE);
        }
        acknowledged
    }

    fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    /// Waits for more that are acknowledged.
    fn wait(&self) {
        let before = self.acknowledged.load(Ordering::Relaxed);
        eventually("more appends", || self.acknowledged.load(Ordering::Relaxed) > before + 10);
    }
}

/// Compresses a session that is appended to.
fn compress(client: &Client) {
    let count = || client.get("/v1/sessions/w0").json()["compression_count"].as_i64();
    let mut before = None;
    eventually("a session", || {
        before = count();
        before.is_some()
    });
    eventually("a compression", || {
        // Waits for its end, so that none is under way when its server is stopped.
        let wait = [("prefer", "wait=20")];
        let asked = client.call("POST", "/v1/sessions/w0/compressions", &wait, COMPRESS).expect("a reply");
        assert!([200, 202, 409, 503].contains(&asked.status), "{} {}", asked.status, asked.text);
        count() > before
    });
}

/// That a key's cell cannot be reached, and its holder is to try again.
fn assert_away(client: &Client) {
    let reply = client.get("/v1/sessions");
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_is_missed_by_its_own_tenants_alone_and_they_move_away_under_appends() {
    let mut servers = Servers::start().await;
    let service = servers.serve(&["--secrets-key", SECRETS]);
    let (near_id, near) = tenant(&service, "near", "home");
    let (far_id, far) = tenant(&service, "far", "second");
    let of = |service: &Service| [&near, &far].map(|key| service.client().with_key(key));
    let [near, far] = of(&service);
    let operator = service.client().with_key(OPERATOR);
    let (of_near, of_far, is_over) = (Appends::default(), Appends::default(), AtomicBool::new(false));
    let (acknowledged, late) = thread::scope(|scope| {
        let is_over = &is_over;
        // Writers that nobody ends would go on for ever after a failure.
        let ending = Ending(is_over);
        let mut writers = Vec::new();
        for (client, appends) in [(&near, &of_near), (&far, &of_far)] {
            for session in ["w0", "w1"] {
                writers.push(scope.spawn(move || appends.go_on(client, session, is_over)));
            }
        }
        for (client, appends) in [(&near, &of_near), (&far, &of_far)] {
            appends.wait();
            compress(client);
        }
        assert_eq!((of_near.refused(), of_far.refused()), (0, 0));

        servers.stop_second();
        thread::scope(|asking| {
            // Each waits for a connection for some seconds.
            asking.spawn(|| assert_away(&far));
            asking.spawn(|| assert_away(&service.client().with_key("a-key-that-is-none-in-the-others-000")));
            asking.spawn(|| assert_eq!(operator.get("/v1/admin/tenants").status, 503));
            asking.spawn(|| compress(&near));
            asking.spawn(|| of_near.wait());
        });
        assert_eq!(operator.get(&format!("/v1/admin/tenants/{near_id}")).json()["cell"], "home");
        assert_eq!(service.client().get("/readyz").status, 200);
        let listed = servers.cells(&["list"]);
        assert!(
            listed.contains("home") && listed.contains("second") && !listed.contains(PASSWORD),
            "{listed}"
        );
        // One that starts now serves whom it can.
        let late = servers.serve(&["--secrets-key", SECRETS]);
        let [near_late, far_late] = of(&late);
        assert_eq!(near_late.get("/v1/sessions/w0").status, 200);
        assert_away(&far_late);
        of_near.wait();
        eventually("a refusal", || of_far.refused() > 0);
        assert_eq!(of_near.refused(), 0);

        servers.start_second();
        of_far.wait();
        compress(&far);
        eventually("the cell in the process that started without it", || {
            far_late.get("/v1/sessions/w0").status == 200
        });

        // An address of the same server, and one where the tables are not.
        let changed =
            servers.cells(&["change", "second", "--url", &servers.second_url().replace(PASSWORD, "another")]);
        assert!(changed.contains("changed"), "{changed}");
        let refused = servers.cells(&["change", "second", "--url", &servers.database.home]);
        assert!(refused.contains("not there"), "{refused}");

        let moved = servers.cells(&["move", "far", "home"]);
        assert!(moved.contains("moved to home"), "{moved}");
        of_far.wait();
        assert_eq!(of_near.refused(), 0);
        let moved = servers.cells(&["move", "near", "second"]);
        assert!(moved.contains("moved to second"), "{moved}");
        for (client, appends, id, cell) in
            [(&near, &of_near, &near_id, "second"), (&far, &of_far, &far_id, "home")]
        {
            appends.wait();
            compress(client);
            assert_eq!(operator.get(&format!("/v1/admin/tenants/{id}")).json()["cell"], cell);
        }
        drop(ending);
        let acknowledged: Vec<_> =
            writers.into_iter().map(|writer| writer.join().expect("a writer")).collect();
        (acknowledged, late)
    });
    for reader in [&service, &late] {
        let [near, far] = of(reader);
        let sessions = [(&near, "w0"), (&near, "w1"), (&far, "w0"), (&far, "w1")];
        for ((client, session), acknowledged) in sessions.into_iter().zip(&acknowledged) {
            assert_eq!(texts(client, session), *acknowledged, "{session}");
        }
    }
    for ended in [service, late] {
        let log = ended.end_with_log();
        assert!(!log.contains(PASSWORD), "{log}");
    }
}

/// Ends the writers, whatever becomes of the test.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_serves_the_cells_that_it_is_told_and_a_process_without_the_key_refuses_nobody() {
    let servers = Servers::start().await;
    let api = servers.serve(&["--secrets-key", SECRETS, "--roles", "api"]);
    let mut jobs = Vec::new();
    for (name, cell) in [("near", "home"), ("far", "second")] {
        let (_, key) = tenant(&api, name, cell);
        let client = api.client().with_key(&key);
        for n in 0..12 {
            let said = json!({"messages": [{"role": "user", "content": super::long(n)}]});
            post(&client, "/v1/sessions/s/messages", &said);
        }
        let asked: Value = serde_json::from_str(COMPRESS).expect("a request");
        let asked = post(&client, "/v1/sessions/s/compressions", &asked);
        jobs.push((client, asked.header("location").expect("a path").to_owned()));
    }
    let status = |job: usize| {
        let (client, path): &(Client, String) = &jobs[job];
        client.get(path).json()["status"].as_str().expect("a status").to_owned()
    };
    let _far = servers.work("second");
    eventually("the end of the second cell's job", || status(1) == "succeeded");
    assert_eq!((status(0).as_str(), servers.workers().await), ("queued", [0, 1]));
    let _near = servers.work("home");
    eventually("the end of the home cell's job", || status(0) == "succeeded");
    assert_eq!(servers.workers().await, [1, 1]);

    // It cannot read where the second cell is, and knows that there is one.
    let blind = servers.serve(&["--roles", "api"]);
    let [near, far] = [0, 1].map(|job| blind.client().with_key(jobs[job].0.key()));
    assert_eq!(near.get("/v1/sessions/s").status, 200);
    assert_away(&far);
    let log = blind.end_with_log();
    assert!(log.contains("cell.not_reached"), "{log}");
}
