//! The console: who is signed in and what that opens, changes that pages of others cannot make, and the list of contexts
//! that were served.

mod browser;
mod looks;

use axum::http::header;
use serde_json::{Value, json};

use crate::support::app::{Answer, App, OPERATOR, OURS, THEIRS, app};
use crate::support::service::{Client, KEY, Service};
use crate::support::talks::{called, turns};
use anchord_messages::id::TenantId;
use anchord_runtime::clock::Clock;
use anchord_store::signins::Credential;

/// The headers of a page of ours.
const OWN: [(&str, &str); 2] =
    [("sec-fetch-site", "same-origin"), ("content-type", "application/x-www-form-urlencoded")];

/// An API with the console and a session `s` with a version, a pin, a constraint and calls.
pub(super) async fn console() -> App {
    let mut app = app().await;
    app.put_console();
    let settings = json!({"context_window": 8_000, "reserved_output_tokens": 500, "task_id": "ship"});
    app.call("PUT", "/v1/sessions/s", settings.to_string()).await.with(201);
    append(&app, "s", first_messages()).await;
    app.compress("s", "").await;
    append(&app, "s", turns(6, |i| format!("later words {i} about the release of the parser"))).await;
    app.compress("s", "").await;
    append(&app, "s", turns(2, |i| format!("the newest words {i}"))).await;
    app
}

/// Messages with a constraint, a port, a file, and enough beside them.
fn first_messages() -> Vec<Value> {
    let mut all = vec![
        json!({"role": "system", "content": "You are a careful engineer."}),
        json!({"role": "user", "content": "Fix the parser. You must never delete the migrations folder. The service listens on port 5433."}),
    ];
    all.extend(called("c1", "read_file", &json!({"path": "src/parser.rs"}), &"fn parse() {}\n".repeat(120)));
    all.extend(called(
        "c2",
        "write_file",
        &json!({"path": "src/parser.rs", "content": "fn parse() {}"}),
        "written",
    ));
    all.extend(turns(14, |i| sentences(&format!("step {i}"), 14)));
    all
}

/// So many sentences that are like no other.
fn sentences(about: &str, count: usize) -> String {
    let one = |n| format!("In {about} part {n} the parser reads token {} too late. ", n * 7 + about.len());
    (0..count).map(one).collect::<Vec<_>>().concat()
}

pub(super) async fn append(app: &App, session: &str, messages: Vec<Value>) {
    let path = format!("/v1/sessions/{session}/messages?return=context");
    app.call("POST", &path, json!({"messages": messages}).to_string()).await.good();
    app.store.flush_served().await.expect("a database that answers");
}

/// Plays sessions of the corpus, as agents would.
pub(super) async fn played(app: &App) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/sessions");
    for (session, file) in [
        ("family-trip", "chat-family-trip"),
        ("calendar-fix", "coding-calendar-fix"),
        ("ledger-api", "coding-ledger-api"),
    ] {
        let text = std::fs::read_to_string(folder.join(format!("{file}.json"))).expect("a session");
        let read: Value = serde_json::from_str(&text).expect("JSON");
        let messages = read["messages"].as_array().or(read.as_array()).expect("messages").clone();
        let settings = json!({"context_window": 9_000, "reserved_output_tokens": 1_000, "task_id": session});
        app.call("PUT", &format!("/v1/sessions/{session}"), settings.to_string()).await.good();
        for batch in messages.chunks(3) {
            append(app, session, batch.to_vec()).await;
            app.work().await;
        }
    }
}

/// Signs in, and gives the cookie as a browser sends it.
pub(super) async fn signed_in(app: &App, key: &str, role: &str) -> String {
    let form = format!("key={key}&as={role}&next=/console/sessions");
    let reply = app.call_with("POST", "/console/sign-in", form, &OWN).await.with(303);
    let cookie = reply.headers[header::SET_COOKIE].to_str().expect("a text");
    cookie.split(';').next().expect("a cookie").to_owned()
}

pub(super) async fn page(app: &App, cookie: &str, path: &str) -> Answer {
    app.call_with("GET", path, "", &[("cookie", cookie)]).await
}

async fn change(app: &App, cookie: &str, path: &str, form: &str) -> Answer {
    let mut headers = OWN.to_vec();
    headers.push(("cookie", cookie));
    app.call_with("POST", path, form.to_owned(), &headers).await
}

/// A key of the first tenant with these scopes: its id and itself.
pub(super) async fn key(app: &App, scopes: &[&str]) -> (String, String) {
    let made =
        app.call("POST", "/v1/keys", json!({"scopes": scopes, "name": "looker"}).to_string()).await.with(201);
    let text = |name: &str| made.json()[name].as_str().expect("a text").to_owned();
    (text("id"), text("key"))
}

/// The pages of a session, and those beside it.
pub(super) async fn pages(app: &App) -> Vec<String> {
    let of = |rest: &str| format!("/console/sessions/s{rest}");
    // An agent's last call may be a moment old.
    app.store.flush_served().await.expect("a database that answers");
    let served = app.call("GET", "/v1/sessions/s/served-contexts", "").await.json();
    let id = served["items"][0]["id"].as_str().expect("a call");
    let rest = [
        "", "/messages", "/messages/2", "/record", "/dropped", "/next", "/dropped?to=1&seq=2", "/memory",
        "/search?q=parser", "/quality", "/cost",
    ];
    let mut all: Vec<String> = rest.into_iter().map(of).collect();
    all.push(of(&format!("/calls/{id}")));
    all.extend(
        ["/console/sessions", "/console/recall", "/console/cost", "/console/operate", "/console/try"]
            .map(str::to_owned),
    );
    all
}

#[tokio::test]
async fn a_sign_in_is_a_random_id_that_a_script_cannot_read_and_another_site_cannot_send() {
    let app = console().await;
    let form = format!("key={OURS}&as=key&next=//evil.example");
    let reply = app.call_with("POST", "/console/sign-in", form.clone(), &OWN).await.with(303);
    assert_eq!(reply.headers["location"], "/console", "it leads to pages of ours alone");
    let cookie = reply.headers[header::SET_COOKIE].to_str().expect("a text");
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/console", "; Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure") && !cookie.contains(OURS), "{cookie}");
    let mut behind_tls = OWN.to_vec();
    behind_tls.push(("x-forwarded-proto", "https"));
    let reply = app.call_with("POST", "/console/sign-in", form, &behind_tls).await.with(303);
    assert!(reply.headers[header::SET_COOKIE].to_str().expect("a text").ends_with("; Secure"));

    let wrong = app.call_with("POST", "/console/sign-in", "key=wrong&as=key", &OWN).await.with(401);
    assert!(wrong.text.contains("unknown, expired or revoked"), "{}", wrong.text);
    assert!(!wrong.headers.contains_key(header::SET_COOKIE));
    app.call_with("POST", "/console/sign-in", format!("key={OURS}&as=operator"), &OWN).await.with(401);
    let reply = page(&app, "anchord_console=invented", "/console/sessions").await.with(303);
    assert_eq!(reply.headers["location"], "/console/sign-in?next=%2Fconsole%2Fsessions&ended=1");
    let policy = reply.headers["content-security-policy"].to_str().expect("a text").to_owned();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
}

#[tokio::test]
async fn a_read_key_sees_every_page_and_changes_nothing() {
    let app = console().await;
    let (_, key) = key(&app, &["read"]).await;
    let cookie = signed_in(&app, &key, "key").await;
    for path in pages(&app).await {
        let shown = page(&app, &cookie, &path).await.with(200);
        assert!(shown.text.contains("reads only"), "{path}");
        for what in ["/change\"", "Roll back to", ">Pin<", "Undo this", "/console/try/keep", "Revoke"] {
            assert!(!shown.text.contains(what), "{path} offers {what}");
        }
    }
    for form in [
        "do=pin&text=x", "do=roll-back&id=1", "do=drop-constraint&id=x", "do=close-request&id=x",
        "do=compress", "do=remove-note&id=n1",
    ] {
        change(&app, &cookie, "/console/sessions/s/change", form).await.with(403);
    }
    change(&app, &cookie, "/console/operate", "do=revoke-key&id=x").await.with(403);
    let pins = app.call("GET", "/v1/sessions/s/pins", "").await.json();
    assert_eq!(pins["pins"], json!([]));
}

#[tokio::test]
async fn a_change_that_another_sites_page_sends_is_refused() {
    let app = console().await;
    let cookie = signed_in(&app, OURS, "key").await;
    let path = "/console/sessions/s/change";
    for other in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
    ] {
        let headers = [("cookie", cookie.as_str()), ("host", "anchord.example"), other];
        app.call_with("POST", path, "do=pin&text=evil", &headers).await.with(403);
        app.call_with("POST", "/console/sign-out", "", &headers).await.with(403);
        app.call_with("POST", "/console/sign-in", format!("key={OURS}&as=key"), &headers).await.with(403);
    }
    change(&app, &cookie, path, "do=pin&sure=yes&text=ours&back=/console/sessions/s/memory").await.with(303);
    let pins = app.call("GET", "/v1/sessions/s/pins", "").await.json();
    assert_eq!(pins["pins"][0]["text"], "ours");
}

#[tokio::test]
async fn what_was_done_is_told_in_words_of_ours_alone_and_money_has_a_total() {
    let app = console().await;
    let cookie = signed_in(&app, OURS, "key").await;
    let form = "do=pin&sure=yes&text=ours&back=/console/sessions/s/memory?done=unpin.0";
    let to = change(&app, &cookie, "/console/sessions/s/change", form).await.with(303);
    assert_eq!(to.headers["location"], "/console/sessions/s/memory?done=pin.1");
    let told = page(&app, &cookie, "/console/sessions/s/memory?done=pin.1").await.with(200).text;
    assert!(
        told.contains("Pinned: every context has it")
            && told.contains("its text is 1 token.")
            && told.contains("/console/sessions/s/next"),
        "{told}"
    );
    assert!(
        told.contains(r#"name="back" value="/console/sessions/s/memory""#),
        "a form returns without it: {told}"
    );
    let told = page(&app, &cookie, "/console/sessions/s/memory?done=You+are+hacked.1").await.with(200).text;
    assert!(!told.contains("hacked"), "{told}");
    let to =
        change(&app, &cookie, "/console/sessions/s/change", "do=pin&sure=yes&text=x&back=/console/../v1")
            .await;
    assert_eq!(to.headers["location"], "/console?done=pin.1");

    let told = page(&app, &cookie, "/console/cost?input=3&cached=0,3").await.with(200).text;
    let asked = page(&app, &cookie, "/console/recall?q=parser").await.with(200).text;
    assert!(asked.contains("Name a task or a user"), "{asked}");
    let asked = page(&app, &cookie, "/console/recall?q=parser&task=ship").await.with(200).text;
    assert!(asked.contains("message 2") && asked.contains("1 sessions searched"), "{asked}");

    let total = told.split_once("These calls").expect("a total").1;
    let total = total.split_once("</tr>").expect("a row").0;
    assert!(total.contains("3 calls") && total.contains(">0.0"), "{total}");
    assert!(told.contains("% less than whole sessions each time"), "{told}");
    // What was typed stays while one goes about, with the sign of a currency or without; a word is refused.
    let first = page(&app, &cookie, "/console/cost?input=$3&cached=&output=15").await.with(200);
    let kept =
        first.headers[header::SET_COOKIE].to_str().expect("a text").split(';').next().expect("a cookie");
    let both = format!("{cookie}; {kept}");
    let told = page(&app, &both, "/console/cost").await.with(200).text;
    assert!(told.contains(r#"name="input" value="$3""#) && told.contains("Money"), "{told}");
    let wrong = page(&app, &both, "/console/cost?input=three").await.with(200);
    assert!(
        wrong.text.contains("No price: input.") && !wrong.headers.contains_key(header::SET_COOKIE),
        "{}",
        wrong.text
    );
}

#[tokio::test]
async fn another_tenants_session_is_not_there() {
    let app = console().await;
    let cookie = signed_in(&app, THEIRS, "key").await;
    for path in pages(&app).await.iter().filter(|path| path.starts_with("/console/sessions/")) {
        let shown = page(&app, &cookie, path).await.with(404);
        assert!(!shown.text.contains("parser"), "{path}");
    }
    change(&app, &cookie, "/console/sessions/s/change", "do=pin&text=x").await.with(404);
    let listed = page(&app, &cookie, "/console/sessions").await.with(200);
    assert!(listed.text.contains("No session is like this"), "{}", listed.text);
}

#[tokio::test]
async fn a_revoked_key_signs_out_at_the_next_request() {
    let app = console().await;
    let (id, key) = key(&app, &["read"]).await;
    let cookie = signed_in(&app, &key, "key").await;
    page(&app, &cookie, "/console/sessions").await.with(200);
    app.call("DELETE", &format!("/v1/keys/{id}"), "").await.with(204);
    let out = page(&app, &cookie, "/console/sessions").await.with(303);
    assert!(out.headers[header::SET_COOKIE].to_str().expect("a text").contains("Max-Age=0"));
    let part = [("cookie", cookie.as_str()), ("hx-request", "true")];
    let part = app.call_with("GET", "/console/sessions", "", &part).await.with(204);
    assert!(part.headers["hx-redirect"].to_str().expect("a text").starts_with("/console/sign-in"));
}

#[tokio::test]
async fn a_sign_in_ends_when_it_is_signed_out_or_expires_and_is_removed() {
    let app = console().await;
    let cookie = signed_in(&app, OURS, "key").await;
    change(&app, &cookie, "/console/sign-out", "").await.with(303);
    page(&app, &cookie, "/console/sessions").await.with(303);
    let past = Clock::system().now() - chrono::TimeDelta::minutes(1);
    let of = Credential::Key(app.tenant, anchord_store::keys::digest_key(OURS));
    app.store.sign_in([7; 32], of, past).await.expect("a sign-in");
    assert_eq!(app.store.find_signin([7; 32]).await.expect("a look"), None);
    assert_eq!(app.store.forget_old_signins().await.expect("a sweep"), 1);
    let later = past + chrono::TimeDelta::hours(1);
    app.store.sign_in([8; 32], of, later).await.expect("a sign-in");
    assert_eq!(app.store.find_signin([8; 32]).await.expect("a look"), Some(of));
    assert_eq!(app.store.forget_old_signins().await.expect("a sweep"), 0);
}

#[tokio::test]
async fn the_operator_sees_tenants_and_figures_and_never_a_message() {
    let app = console().await;
    let cookie = signed_in(&app, OPERATOR, "operator").await;
    let shown = page(&app, &cookie, "/console/operator").await.with(200);
    assert!(shown.text.contains("ours") && shown.text.contains("theirs"), "{}", shown.text);
    let tenant = TenantId(app.tenant.0);
    let shown = page(&app, &cookie, &format!("/console/operator/tenants/{tenant}")).await.with(200);
    assert!(shown.text.contains("effective window"), "{}", shown.text);
    for path in pages(&app).await {
        page(&app, &cookie, &path).await.with(403);
    }
    change(&app, &cookie, "/console/sessions/s/change", "do=pin&text=x").await.with(403);
    let of_tenant = signed_in(&app, OURS, "key").await;
    page(&app, &of_tenant, "/console/operator").await.with(403);
    page(&app, &of_tenant, &format!("/console/operator/tenants/{tenant}")).await.with(403);
}

#[tokio::test]
async fn the_current_key_is_told_with_its_scopes() {
    let app = console().await;
    let (id, key) = key(&app, &["read"]).await;
    let told = app.call_as(&key, "GET", "/v1/keys/current", "").await.with(200).json();
    assert_eq!(
        (&told["id"], &told["scopes"], &told["name"]),
        (&json!(id), &json!(["read"]), &json!("looker"))
    );
    assert!(!told.to_string().contains(&key), "{told}");
}

#[tokio::test]
async fn each_context_that_is_served_can_be_built_again_as_it_was() {
    let app = console().await;
    app.call("GET", "/v1/sessions/s/context?format=anthropic&cache_control=5m&recap=true", "")
        .await
        .with(200);
    app.call("GET", "/v1/sessions/s/context?max_input_tokens=4000", "").await.with(200);
    app.store.flush_served().await.expect("a database that answers");
    let served = app.call("GET", "/v1/sessions/s/served-contexts?limit=100", "").await.with(200).json();
    let served = served["items"].as_array().expect("a list").clone();
    assert_eq!(served.len(), 5, "{served:?}");
    let versions: Vec<&Value> = served.iter().map(|one| &one["version"]).collect();
    assert_eq!(
        versions,
        [2, 2, 2, 1, 0].map(|n| if n == 0 { json!(null) } else { json!(n) }).iter().collect::<Vec<_>>()
    );
    for one in &served {
        let of = &one["tokens"];
        let parts = ["system", "summary", "digest", "notes", "messages", "tool_outputs"];
        let sum: i64 = parts.iter().map(|part| of[part].as_i64().expect("a number")).sum();
        assert_eq!(of["total"], sum, "{one}");
        let text = |name: &str| one[name].as_str().map_or_else(|| one[name].to_string(), str::to_owned);
        let mut query = format!(
            "through_seq={}&max_input_tokens={}&format={}&recap={}",
            text("head_seq"),
            text("max_input_tokens"),
            text("format"),
            text("recap")
        );
        query = format!("{query}&version={}", one["version"].as_i64().unwrap_or_default());
        if one["cache_control"].is_string() {
            query = format!("{query}&cache_control={}", text("cache_control"));
        }
        let built = app.call("GET", &format!("/v1/sessions/s/context?{query}"), "").await.with(200);
        assert_eq!(sha256(&built.text), text("sha256"), "{one}");
    }
    // An earlier state is no call, nor is what somebody looks at.
    let cookie = signed_in(&app, OURS, "key").await;
    for path in pages(&app).await {
        page(&app, &cookie, &path).await.with(200);
    }
    app.store.flush_served().await.expect("a database that answers");
    let again = app.call("GET", "/v1/sessions/s/served-contexts?limit=100", "").await.json();
    assert_eq!(again["items"].as_array().map(Vec::len), Some(5));
}

/// The digest of what a context sends, of the texts as they are.
fn sha256(context: &str) -> String {
    use sha2::Digest as _;
    #[derive(serde::Deserialize)]
    struct Sent<'a> {
        #[serde(borrow)]
        system: Option<&'a serde_json::value::RawValue>,
        #[serde(borrow)]
        messages: Vec<&'a serde_json::value::RawValue>,
    }
    let sent: Sent<'_> = serde_json::from_str(context).expect("a context");
    let mut hash = sha2::Sha256::new();
    for text in sent.system.into_iter().chain(sent.messages) {
        hash.update(text.get().as_bytes());
        hash.update(b"\n");
    }
    anchord_messages::shape::hex(&hash.finalize(), 32)
}

#[tokio::test]
async fn notes_of_contexts_are_bounded_and_go_with_their_session() {
    let app = console().await;
    let cookie = signed_in(&app, OURS, "key").await;
    let served = || async { app.call("GET", "/v1/sessions/s/served-contexts?limit=1", "").await.json() };
    let id = served().await["items"][0]["id"].as_str().expect("an id").to_owned();
    for _ in 0..2_300 {
        app.call("GET", "/v1/sessions/s/context?max_input_tokens=4000", "").await.with(200);
    }
    app.store.flush_served().await.expect("a database that answers");
    let mut count = 0;
    let mut cursor = String::new();
    loop {
        let page =
            app.call("GET", &format!("/v1/sessions/s/served-contexts?limit=1000{cursor}"), "").await.json();
        count += page["items"].as_array().map_or(0, Vec::len);
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert!((2_000..2_300).contains(&count), "{count}");
    page(&app, &cookie, &format!("/console/sessions/s/calls/{id}")).await.with(404);
    app.call("DELETE", "/v1/sessions/s", "").await.with(204);
    app.call("GET", "/v1/sessions/s/context", "").await.with(404);
    app.call("GET", "/v1/sessions/s/served-contexts", "").await.with(404);
}

#[tokio::test]
async fn sessions_are_found_by_a_part_of_their_id() {
    let app = console().await;
    for name in ["build-41", "build-42", "other"] {
        app.call("PUT", &format!("/v1/sessions/{name}"), r#"{"metadata": {"team": "a"}}"#).await.with(201);
    }
    for query in ["named=uild-4", "named=uild-4&metadata=team:a"] {
        let found = app.call("GET", &format!("/v1/sessions?{query}"), "").await.with(200).json();
        let names: Vec<&Value> =
            found["items"].as_array().expect("a list").iter().map(|one| &one["session_id"]).collect();
        assert_eq!(names, ["build-42", "build-41"], "{query}");
    }
    app.call("GET", "/v1/sessions?named=", "").await.refused_at(422, "/named");
}

#[tokio::test]
async fn the_console_can_be_turned_off_and_the_operators_pages_are_where_the_operators_api_is() {
    let database = crate::support::database().await;
    let off = Service::on(&database.url, &["--roles", "api", "--console", "off"]);
    assert_eq!(off.client().get("/console").status, 404);
    assert_eq!(off.client().get("/console/sign-in").status, 404);
    let token = "operator-token-of-the-test-of-the-console";
    let words = ["--roles", "api", "--admin-token", token, "--admin-listen", "127.0.0.1:0"];
    let apart = Service::on(&database.url, &words);
    let sign_in = |client: &Client, key: &str, role: &str| {
        let form = format!("key={key}&as={role}");
        client
            .call("POST", "/console/sign-in", &[("sec-fetch-site", "same-origin")], &form)
            .expect("a reply")
            .status
    };
    assert_eq!(sign_in(&apart.admin(), token, "operator"), 303);
    assert_eq!(sign_in(&apart.client(), KEY, "key"), 303);
    assert_eq!(apart.client().get("/console").status, 303, "nobody is signed in");
}

#[tokio::test]
async fn a_key_has_so_many_signins_and_the_oldest_end() {
    let app = app().await;
    let credential = Credential::Key(app.tenant, [7; 32]);
    let end = |at: u8| Clock::system().now() + chrono::TimeDelta::hours(i64::from(at) + 1);
    for at in 0..60_u8 {
        app.store.sign_in([at; 32], credential, end(at)).await.expect("a sign-in");
    }
    let found = async |at: u8| app.store.find_signin([at; 32]).await.expect("a look").is_some();
    assert_eq!(
        (found(0).await, found(9).await, found(10).await, found(59).await),
        (false, false, true, true)
    );
}
