//! What must not go upstream: keys and items of ours.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;

/// A body with an item of ours that has no room is refused, and one without passes.
pub(super) async fn an_item_for_which_there_is_no_room_is_refused(
    app: &App,
    provider: &Provider,
    body: &str,
) {
    // One whose length nobody knows takes the room of the largest, and never ends.
    let mut holding = TcpStream::connect(app.listen().await).await.expect("a connection");
    let head = format!(
        "POST {ITEMS} HTTP/1.1\r\nhost: localhost\r\nx-anchord-key: {OURS}\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{{\r\n"
    );
    holding.write_all(head.as_bytes()).await.expect("a beginning");
    let headers = [("x-anchord-key", OURS), ("authorization", PROVIDERS), ("thread-id", "busy")];
    let ask = async |body: &str| app.call_with("POST", ITEMS, body.to_owned(), &headers).await;
    let mut refused = ask(body).await;
    for _ in 0..2_000 {
        if refused.status == 503 {
            break;
        }
        refused = ask(body).await;
    }
    assert_eq!(
        (refused.status.as_u16(), refused.headers["x-anchord-problem"].to_str().ok()),
        (503, Some("sealed-item"))
    );
    assert!(refused.json()["error"]["message"].as_str().is_some_and(|said| said.contains("try again")));
    let plain = body.replace("anchord:", "another:");
    let passed = ask(&plain).await.with(200);
    assert_eq!(passed.headers["x-anchord-not-kept"], "busy");
    let got = provider.got();
    assert_eq!(got.last().expect("a request").body, plain);
    assert!(!got.iter().any(|got| String::from_utf8_lossy(&got.body).contains("\"anchord:")));
    holding.shutdown().await.expect("an end");
}

#[tokio::test]
async fn a_key_of_ours_in_any_header_or_in_the_query_is_refused() {
    let (app, provider) = gateway(Answers::Model).await;
    let made = app.call("POST", "/v1/keys", r#"{"scopes": ["gateway"]}"#).await.with(201).json();
    let key = made["key"].as_str().expect("a key").to_owned();
    let (quoted, cookie, encoded) =
        (format!("\"{key}\""), format!("a=1; key={key}"), key.replace('_', "%5f"));
    let body = json!({"messages": [user("a")]}).to_string();
    let odd = [("api-key", &key), ("api-key", &quoted), ("cookie", &cookie), ("x-goog-api-key", &encoded)];
    for (name, value) in odd {
        let refused = send(&app, &key, CHAT, &body, &[(name, value.as_str())]).await.with(400);
        assert_eq!(refused.headers["x-anchord-problem"], "misplaced-key", "{name}: {value}");
        assert!(refused.text.contains(name) && !refused.text.contains(&key));
    }
    // Also one that its operator chose, by what it is.
    send(&app, OURS, CHAT, &body, &[("api-key", OURS)]).await.with(400);
    let query = format!("{CHAT}?key={encoded}");
    send(&app, OURS, &query, &body, &[]).await.with(400);
    assert!(provider.got().is_empty(), "nothing went upstream");
    send(&app, &key, CHAT, &body, &[("user-agent", "anchord_client/1.0")]).await.with(200);
}

/// The answer of a gateway to a request, byte for byte, when its provider answers what it is told to.
async fn raw(answer: &'static str, request: &str) -> String {
    let provider = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", provider.local_addr().expect("an address"));
    let mut app = app().await;
    app.put_gateway(config(&base));
    TaskTracker::new().spawn(async move {
        let (mut connection, _) = provider.accept().await.expect("a connection");
        let mut request = [0; 4096];
        assert!(connection.read(&mut request).await.expect("a request") > 0);
        connection.write_all(answer.as_bytes()).await.expect("an answer");
        connection.shutdown().await.expect("an end");
    });
    let mut agent = TcpStream::connect(app.listen().await).await.expect("a connection");
    agent.write_all(request.as_bytes()).await.expect("a request");
    let mut got = String::new();
    agent.read_to_string(&mut got).await.expect("text");
    got
}

#[tokio::test]
async fn trailers_pass_and_another_protocol_is_refused() {
    let request = |more: &str| {
        format!(
            "GET /gateway/openai/v1/models HTTP/1.1\r\nhost: a\r\nx-anchord-key: {OURS}\r\nconnection: close\r\n{more}\r\n"
        )
    };
    let with_trailer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n5\r\nhello\r\n0\r\nx-sum: 7\r\n\r\n";
    let got = raw(with_trailer, &request("te: trailers\r\n")).await;
    assert!(got.contains("5\r\nhello\r\n0\r\nx-sum: 7\r\n"), "{got}");
    let switching = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
    let got = raw(switching, &request("")).await;
    assert!(got.starts_with("HTTP/1.1 502 ") && got.contains("another protocol"), "{got}");
    let got = raw("", &request("upgrade: websocket\r\n")).await;
    assert!(got.starts_with("HTTP/1.1 426 "), "{got}");
}

#[tokio::test]
async fn an_answer_is_no_page_on_the_address_of_the_console() {
    let request = |more: &str| {
        format!(
            "GET /gateway/key/{OURS}/openai/v1/x.html HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncookie: anchord_console=c\r\n{more}\r\n"
        )
    };
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nset-cookie: anchord_console=d; Path=/console\r\n\
                service-worker-allowed: /\r\ncontent-length: 5\r\n\r\nhello";
    let got = raw(page, &request("")).await.to_ascii_lowercase();
    assert!(got.starts_with("http/1.1 200 ") && got.ends_with("hello"), "{got}");
    assert!(got.contains("content-security-policy: sandbox;") && got.contains("nosniff"), "{got}");
    assert!(!got.contains("set-cookie") && !got.contains("service-worker-allowed"), "{got}");
    for opened in ["sec-fetch-mode: navigate", "sec-fetch-dest: script", "service-worker: script"] {
        let got = raw(page, &request(&format!("{opened}\r\n"))).await;
        assert!(got.starts_with("HTTP/1.1 403 ") && got.contains("no-page"), "{opened}: {got}");
    }
    let got = raw(page, &request("sec-fetch-mode: cors\r\n")).await;
    assert!(got.starts_with("HTTP/1.1 200 "), "what Node.js sends: {got}");
}

#[tokio::test]
async fn a_page_is_refused_by_its_accept_alone_and_what_programs_send_is_not() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    let request = |accept: &str| {
        format!(
            "GET /gateway/openai/v1/models HTTP/1.1\r\nhost: a\r\nx-anchord-key: {OURS}\r\nconnection: close\r\n{accept}\r\n"
        )
    };
    for accept in [
        "",
        "accept: */*\r\n",
        "accept: application/json\r\n",
        "accept: text/event-stream\r\n",
        "accept: application/json, text/plain, */*\r\n",
        "accept: gzip, deflate, */*;q=0.5\r\n",
    ] {
        let got = raw(answer, &request(accept)).await;
        assert!(got.starts_with("HTTP/1.1 200 ") && got.ends_with("{}"), "{accept}: {got}");
    }
    for accept in [
        // What the three families of browsers send.
        "accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n",
        "accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n",
        "accept: */*\r\naccept: Text/HTML;q=0.9\r\n",
    ] {
        let got = raw(answer, &request(accept)).await;
        assert!(got.starts_with("HTTP/1.1 403 ") && got.contains("no-page"), "{accept}: {got}");
    }
}
