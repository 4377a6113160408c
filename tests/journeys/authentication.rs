//! Who may come in: guessing is slowed by address, what cannot be a key costs the database nothing, the operator's
//! door has an address of its own, and replies carry the headers that browsers go by.

use nix::sys::signal::Signal;

use crate::support;
use crate::support::app::app;
use crate::support::service::{Client, KEY, Service};

/// Asks with wrong keys until one is refused without a look, at most so often.
fn guess(client: &Client, path: &str, most: usize) -> (Vec<u16>, String) {
    let mut statuses = Vec::new();
    for n in 0..most {
        let wrong = client.with_key(&format!("a-wrong-key-of-nobody-{n:012}"));
        let reply = wrong.call("GET", path, &[], "").expect("a reply");
        statuses.push(reply.status);
        if reply.status == 429 {
            return (statuses, reply.text);
        }
    }
    (statuses, String::new())
}

#[tokio::test]
async fn guessing_is_slowed_by_address_and_disturbs_nobody_whose_key_is_good() {
    let database = support::database().await;
    let token = "test-token-of-the-operator-000000";
    let service = Service::on(&database.url, &["--roles", "api", "--admin-token", token]);
    let client = service.client();
    let made = client.call("POST", "/v1/keys", &[], r#"{"scopes": ["read"]}"#).expect("a reply").json();
    let (statuses, problem) = guess(&client, "/v1/sessions", 200);
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
    assert!(statuses.len() > 10, "a few mistakes are nobody's attack");
    assert!(problem.contains("/problems/too-many-failures"), "{problem}");
    let right = client.with_key(token).call("GET", "/metrics", &[], "").expect("a reply");
    assert_eq!(right.status, 429, "the token could have been guessed");
    let new = client.with_key(made["key"].as_str().expect("a key")).get("/v1/sessions");
    assert_eq!(new.status, 200, "a generated key cannot be guessed, so it is looked up");
    for _ in 0..20 {
        assert_eq!(client.get("/v1/sessions").status, 200, "a key that was good before is good");
    }
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test]
async fn behind_a_trusted_proxy_the_address_is_the_clients() {
    let database = support::database().await;
    let service = Service::on(&database.url, &["--roles", "api", "--trusted-proxies", "127.0.0.0/8"]);
    let client = service.client();
    let ask = |from: &str, n: usize| {
        let wrong = client.with_key(&format!("a-wrong-key-of-nobody-{n:012}"));
        wrong.call("GET", "/v1/sessions", &[("x-forwarded-for", from)], "").expect("a reply").status
    };
    // What the client itself writes stands before what the proxy adds.
    let refused = (0..200).find(|n| ask(&format!("192.0.2.{n}, 2001:db8:1:2::{n:x}"), *n) == 429);
    assert!(refused.is_some(), "one network of IPv6 is one address");
    assert_eq!(ask("2001:db8:1:3::1", 1_000), 401, "another network is another");
    assert_eq!(client.get("/v1/sessions").status, 200);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test]
async fn what_cannot_be_a_key_and_readiness_cost_the_database_nothing() {
    let app = app().await;
    let made = app.call("POST", "/v1/keys", r#"{"scopes": ["read"]}"#).await.json();
    let key = made["key"].as_str().unwrap().to_owned();
    assert!(key.starts_with("anchord_") && key.len() == 57, "secret scanners find it by its form: {key}");
    assert_eq!(app.call("GET", "/readyz", "").await.status, 200);
    app.store.close().await;
    assert_eq!(app.call("GET", "/readyz", "").await.status, 200, "it was asked a moment ago");
    let ask = async |token: &str| app.call_as(token, "GET", "/v1/sessions", "").await.status.as_u16();
    let (front, last) = key.split_at(key.len() - 1);
    let mistyped = format!("{front}{}", if last == "0" { "1" } else { "0" });
    assert_eq!(ask(&mistyped).await, 401, "its checksum is wrong");
    assert_eq!(ask("too-short-for-a-key").await, 401);
    assert_eq!(ask(&"x".repeat(40)).await, 503, "it may be a key that an operator chose");
    app.call_with("GET", "/v1/sessions", "", &[("authorization", "")]).await.with(401);
}

#[tokio::test]
async fn the_operators_api_has_an_address_of_its_own_when_it_is_given_one() {
    let database = support::database().await;
    let token = "test-token-of-the-operator-000000";
    let words = ["--roles", "api", "--admin-token", token, "--admin-listen", "127.0.0.1:0"];
    let service = Service::on(&database.url, &words);
    let (public, admin) = (service.client(), service.admin());
    let status = |client: &Client, key: &str, path: &str| client.with_key(key).get(path).status;
    for path in ["/v1/admin/tenants", "/metrics"] {
        assert_eq!((status(&public, token, path), status(&admin, token, path)), (404, 200), "{path}");
        assert_eq!(status(&admin, KEY, path), 401, "{path}");
    }
    assert_eq!((status(&public, KEY, "/v1/sessions"), status(&admin, KEY, "/v1/sessions")), (200, 404));
    assert_eq!((status(&public, KEY, "/readyz"), status(&admin, KEY, "/readyz")), (200, 200));
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test]
async fn a_terminal_that_closes_ends_the_service_in_order() {
    let database = support::database().await;
    let service = Service::on(&database.url, &["--roles", "api"]);
    assert_eq!(service.end(Signal::SIGHUP), Some(0));
}

#[tokio::test]
async fn replies_carry_the_headers_that_browsers_go_by() {
    let app = app().await;
    let has = |reply: &crate::support::app::Answer, name: &str, value: &str| {
        let found =
            reply.headers.get(name).and_then(|found| found.to_str().ok()).unwrap_or_default().to_owned();
        assert!(found.contains(value), "{name}: {found:?} lacks {value:?}");
    };
    for path in ["/v1/sessions", "/v1/sessions/none", "/nowhere", "/v1/usage"] {
        let reply = app.call("GET", path, "").await;
        has(&reply, "x-content-type-options", "nosniff");
        has(&reply, "cache-control", "no-store");
    }
    let page = app.open("/docs/", &[]).await;
    assert_eq!(page.status(), 200);
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'"),
        ("content-security-policy", "frame-ancestors 'none'"),
        ("referrer-policy", "no-referrer"),
    ] {
        let found = page.headers()[name].to_str().unwrap();
        assert!(found.contains(value), "{name}: {found:?} lacks {value:?}");
    }
}
