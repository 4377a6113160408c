//! Many clients of two services at once, with compressions running beside their appends.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::service::{Client, Service};
use crate::support::{database, number, until};

const CLIENTS: usize = 8;
const APPENDS: usize = 8;
/// Versions that must have been published between appends before the test looks at them.
const VERSIONS: usize = 3;
/// The most rounds without a new version. Where processors are few, the next span would grow with each compression that takes
/// long, and the next one take longer.
const ROUNDS_A_VERSION: usize = 6;
/// Far more rounds than compressions ever need.
const MOST_ROUNDS: usize = 120;

/// Compressions beside which a message was stored, and that published a version.
const BESIDE: &str =
    "select count(*) from compressions c where c.kind = 'compress' and c.status = 'succeeded'
    and exists (select from messages m where m.tenant_id = c.tenant_id and m.session_id = c.session_id
                and m.created_at between c.started_at and c.finished_at)";
const LIVE: &str = "select count(*) from compressions where status in ('queued', 'running')";

/// Two messages of a turn, told apart by who sent them.
fn turn(name: &str) -> [String; 2] {
    let asked =
        format!("Look at src/part_{name}.rs, please. {}", "It has to stay as small as it is. ".repeat(12));
    let said =
        format!("I looked at src/part_{name}.rs. {}", "There was nothing that had to change. ".repeat(12));
    // Spaces and an unknown field, which a service that writes messages anew would lose.
    [
        format!(r#"{{ "role":"user",  "content":{}}}"#, json!(asked)),
        format!(r#"{{"content":{} , "role":"assistant","x":"{name}"}}"#, json!(said)),
    ]
}

/// Sends one round of appends, all at once, and returns each message with the position it was given.
fn round(clients: &[Client], round: usize) -> Vec<(i64, String)> {
    std::thread::scope(|scope| {
        let sends = |client: usize| (0..APPENDS).map(move |append| (client, append));
        let senders: Vec<_> = (0..CLIENTS)
            .flat_map(sends)
            .map(|(client, append)| {
                let to = &clients[client % clients.len()];
                scope.spawn(move || {
                    let turn = turn(&format!("{round}_{client}_{append}"));
                    let body = format!(r#"{{"messages":[{}]}}"#, turn.join(","));
                    let reply = to.call("POST", "/v1/sessions/s/messages", &[], &body).expect("a reply");
                    assert_eq!(reply.status, 201, "{}", reply.text);
                    let first = reply.json()["first_seq"].as_i64().expect("a position");
                    (first..).zip(turn).collect::<Vec<_>>()
                })
            })
            .collect();
        senders.into_iter().flat_map(|sender| sender.join().expect("a sender")).collect()
    })
}

/// Every message as it is stored, by position.
pub fn stored(client: &Client, session: &str) -> Vec<(i64, String)> {
    #[derive(serde::Deserialize)]
    struct Page {
        items: Vec<Item>,
        next_cursor: Option<String>,
    }
    #[derive(serde::Deserialize)]
    struct Item {
        seq: i64,
        message: Box<serde_json::value::RawValue>,
    }
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = client.get(&format!("/v1/sessions/{session}/messages?limit=1000{cursor}"));
        assert_eq!(page.status, 200, "{}", page.text);
        let page: Page = serde_json::from_str(&page.text).expect("a page");
        all.extend(page.items.into_iter().map(|item| (item.seq, item.message.get().to_owned())));
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

/// The history, oldest first.
fn history(client: &Client) -> Vec<Value> {
    let page = client.get("/v1/sessions/s/summaries?limit=1000");
    assert_eq!(page.status, 200, "{}", page.text);
    let mut versions = page.json()["items"].as_array().expect("items").clone();
    versions.reverse();
    versions
}

/// Reads the versions that were not read before.
fn remember(client: &Client, seen: &mut BTreeMap<i64, String>) {
    for entry in history(client) {
        let version = entry["version"].as_i64().expect("a number");
        seen.entry(version).or_insert_with(|| read_version(client, version));
    }
}

/// A version's document with what is known about its making, apart from whether it is current.
fn read_version(client: &Client, version: i64) -> String {
    let reply = client.get(&format!("/v1/sessions/s/summaries/{version}"));
    assert_eq!(reply.status, 200, "{}", reply.text);
    let mut document = reply.json();
    document.as_object_mut().expect("an object").remove("current");
    document.to_string()
}

#[tokio::test]
async fn appends_of_many_clients_beside_compressions_leave_no_gap_and_overwrite_no_version() {
    let database = database().await;
    let services = [Service::on(&database.url, &[]), Service::on(&database.url, &[])];
    let clients = services.each_ref().map(Service::client);
    let put = clients[0].call("PUT", "/v1/sessions/s", &[], r#"{"context_window": 4000}"#).expect("a reply");
    assert_eq!(put.status, 201, "{}", put.text);
    let mut look = database.connect().await;
    let (mut sent, mut seen) = (BTreeMap::new(), BTreeMap::new());
    let (mut rounds, mut without) = (0, 0);
    while seen.len() < VERSIONS || number(&mut look, BESIDE).await < 2 {
        assert!(rounds < MOST_ROUNDS, "compressions do not run beside appends: {} versions", seen.len());
        for (seq, message) in round(&clients, rounds) {
            assert_eq!(sent.insert(seq, message), None, "two messages were given position {seq}");
        }
        rounds += 1;
        without += 1;
        let known = seen.len();
        remember(&clients[1], &mut seen);
        if without == ROUNDS_A_VERSION && seen.len() == known {
            until("another version", async || {
                remember(&clients[1], &mut seen);
                (seen.len() > known).then_some(())
            })
            .await;
        }
        if seen.len() > known {
            without = 0;
        }
    }
    until("the end of the compressions", async || (number(&mut look, LIVE).await == 0).then_some(())).await;

    let stored = stored(&clients[0], "s");
    assert_eq!(stored.len(), rounds * CLIENTS * APPENDS * 2);
    assert!(stored.iter().zip(1..).all(|((seq, _), place)| *seq == place), "there is a gap");
    assert!(stored.into_iter().eq(sent), "a message is not where its append said, or not as it was sent");

    let versions = history(&clients[0]);
    let session = clients[0].get("/v1/sessions/s").json();
    assert_eq!(session["compression_count"], versions.len(), "{session}");
    let mut parent = Value::Null;
    let mut from = 1;
    for (entry, number) in versions.iter().zip(1..) {
        assert_eq!((&entry["version"], &entry["parent_version"]), (&json!(number), &parent), "{entry}");
        assert_eq!(entry["from_seq"], from, "a span was left out or covered twice: {entry}");
        assert_eq!(entry["current"], number == versions.len(), "{entry}");
        from = entry["through_seq"].as_i64().expect("a position") + 1;
        parent = json!(number);
    }
    for (version, first_read) in seen {
        assert_eq!(read_version(&clients[1], version), first_read, "version {version} has changed");
    }
    let ended = "select count(*) from compressions where kind = 'compress' and status = 'succeeded'";
    assert_eq!(
        usize::try_from(number(&mut look, ended).await),
        Ok(versions.len()),
        "a version per compression"
    );
    for service in services {
        assert_eq!(service.end(nix::sys::signal::Signal::SIGTERM), Some(0));
    }
}

/// What a session's row counts, when it is changed in every way while it is appended to, is what it would be had one come
/// after the other.
#[tokio::test]
async fn changes_of_a_session_that_is_appended_to_lose_nothing() {
    let database = database().await;
    let services = [Service::on(&database.url, &[]), Service::on(&database.url, &[])];
    let clients = services.each_ref().map(Service::client);
    let settings = r#"{"auto": false, "mask": "off"}"#;
    let call = |client: &Client, method: &str, path: &str, body: &str| {
        let reply = client.call(method, path, &[], body).expect("a reply");
        assert!((200..300).contains(&reply.status), "{method} {path}: {} {}", reply.status, reply.text);
        reply.json()
    };
    for name in ["s"] {
        call(&clients[0], "PUT", &format!("/v1/sessions/{name}"), settings);
        let messages: Vec<String> = (0..10).flat_map(|n| turn(&format!("{name}{n}"))).collect();
        let body = format!(r#"{{"messages":[{}]}}"#, messages.join(","));
        call(&clients[0], "POST", &format!("/v1/sessions/{name}/messages"), &body);
        let path = format!("/v1/sessions/{name}/compressions");
        let wait = [("prefer", "wait=20")];
        let reply = clients[0].call("POST", &path, &wait, r#"{"through_seq": 16}"#).expect("a reply");
        assert_eq!(reply.json()["status"], "succeeded", "{}", reply.text);
    }
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| {
            for n in 0..80 {
                let body = format!(r#"{{"messages":[{}]}}"#, turn(&format!("beside{n}")).join(","));
                call(&clients[0], "POST", "/v1/sessions/s/messages", &body);
            }
        });
        let mut n = 0;
        while !appending.is_finished() || n < 10 {
            n += 1;
            call(
                &clients[1],
                "PUT",
                "/v1/sessions/s/pins",
                &json!({"pins": [format!("pin {n}")]}).to_string(),
            );
            call(&clients[1], "PUT", "/v1/sessions/s", &json!({"preserve_recent": 2 + n % 3}).to_string());
            if n == 6 {
                call(&clients[1], "POST", "/v1/sessions/s/summaries/1/rollback", "{}");
            }
        }
        let last = json!({"pins": ["the last"]}).to_string();
        call(&clients[1], "PUT", "/v1/sessions/s/pins", &last);
    });
    let session = call(&clients[0], "GET", "/v1/sessions/s", "");
    let usage = &session["usage"];
    let tokens = "select (sum(m.tokens))::bigint from messages m join sessions s on s.tenant_id = m.tenant_id and s.id = m.session_id
                  where s.name = 's' and m.seq > s.anchor_seq";
    let mut look = database.connect().await;
    assert_eq!(usage["components"]["history"], number(&mut look, tokens).await, "{usage}");
    let anchor = session["anchor_seq"].as_i64().expect("an anchor");
    assert_eq!(usage["uncompressed_messages"], 180 - anchor, "{usage}");
    assert_eq!(call(&clients[0], "GET", "/v1/sessions/s/pins", "")["pins"][0]["text"], "the last");
    let context = call(&clients[0], "GET", "/v1/sessions/s/context", "");
    assert_eq!(context["summary_version"], 2, "a version and a rollback");
    assert_eq!(context["head_seq"], 180);
}
