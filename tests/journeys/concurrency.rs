//! Clients of two services that change one session at once.

use serde_json::json;

use crate::support::service::{Client, Service};
use crate::support::{database, number};

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
    call(&clients[0], "PUT", "/v1/sessions/s", settings);
    let messages: Vec<String> = (0..10).flat_map(|n| turn(&format!("s{n}"))).collect();
    let body = format!(r#"{{"messages":[{}]}}"#, messages.join(","));
    call(&clients[0], "POST", "/v1/sessions/s/messages", &body);
    let wait = [("prefer", "wait=20")];
    let made = clients[0].call("POST", "/v1/sessions/s/compressions", &wait, r#"{"through_seq": 16}"#);
    let made = made.expect("a reply");
    assert_eq!(made.json()["status"], "succeeded", "{}", made.text);
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| {
            for n in 0..80 {
                let body = format!(r#"{{"messages":[{}]}}"#, turn(&format!("beside{n}")).join(","));
                // Appends with a key are committed by another statement.
                let key = format!("append-{n}");
                let key = [("idempotency-key", key.as_str())];
                let key = if n % 2 == 0 { key.as_slice() } else { &[] };
                let reply = clients[0].call("POST", "/v1/sessions/s/messages", key, &body).expect("a reply");
                assert_eq!(reply.status, 201, "{}", reply.text);
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
