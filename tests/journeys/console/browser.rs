//! The console in a real browser.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::Connection as _;
use tokio::sync::{Mutex, MutexGuard};

use super::{append, console, key};
use crate::support::app::{App, OURS};
use crate::support::browser::Browser;
use crate::support::talks::{called, turns};
use crate::support::until;
use thirtyfour::prelude::*;

/// One browser at a time: several would take the processors from each other and from the tests beside them.
static ONE: Mutex<()> = Mutex::const_new(());

/// A browser that looks at a service.
pub(super) struct Looking {
    pub(super) app: App,
    pub(super) browser: Browser,
    _one: MutexGuard<'static, ()>,
}

pub(super) async fn looking() -> Looking {
    let app = console().await;
    let address = app.listen().await;
    let one = ONE.lock().await;
    let browser = Browser::start(&format!("http://{address}")).await;
    Looking { app, browser, _one: one }
}

impl Looking {
    /// That nothing of the pages was refused or failed, and nothing was asked of anybody else.
    pub(super) async fn is_clean(&self) {
        // A refused sign-in and a page that is not there are told as well.
        let told = self.browser.told().await;
        let faults: Vec<_> =
            told.iter().filter(|text| !text.contains("the server responded with a status of 40")).collect();
        assert!(faults.is_empty(), "{faults:?}");
        for url in self.browser.requested().await {
            let is_ours = url.starts_with(&self.browser.base);
            assert!(is_ours || ["data:", "about:", "chrome"].iter().any(|own| url.starts_with(own)), "{url}");
        }
    }
}

#[tokio::test]
async fn people_sign_in_look_for_a_session_and_sign_out() {
    let looking = looking().await;
    let browser = &looking.browser;
    browser.open("/console").await;
    assert_eq!(browser.at().await, "/console/sign-in?next=%2Fconsole");
    browser.fill("#key", "not-a-key").await;
    browser.press("Sign in").await;
    browser.sees("unknown, expired or revoked").await;
    browser.fill("#key", OURS).await;
    browser.press("Sign in").await;
    browser.sees("Sessions").await;
    browser.comes("location.pathname == '/console/sessions'").await;
    looking.app.call("PUT", "/v1/sessions/other", "{}").await.with(201);
    // The list changes by itself.
    browser.sees("other").await;
    browser.fill("input[name=q]", "oth").await;
    browser.press("Search").await;
    browser
        .comes("location.search.startsWith('?q=oth') && document.querySelectorAll('tbody tr').length == 1")
        .await;
    // The library keeps the address of the page, and nothing else is where a script can read it.
    let kept = browser
        .script("return [document.cookie, Object.keys(localStorage), Object.keys(sessionStorage)]")
        .await;
    assert_eq!(kept, json!(["", [], ["htmx-current-path-for-history"]]));
    browser.press("Sign out").await;
    browser.sees("API key, or the operator's token").await;
    browser.open("/console/sessions").await;
    browser.comes("location.pathname == '/console/sign-in'").await;
    looking.is_clean().await;
}

#[tokio::test]
async fn a_read_key_has_no_buttons_and_is_out_when_it_is_revoked() {
    let looking = looking().await;
    let browser = &looking.browser;
    let (id, key) = key(&looking.app, &["read"]).await;
    browser.sign_in(&key).await;
    browser.open("/console/sessions/s").await;
    browser.sees("reads only").await;
    assert_eq!(browser.count("main form[method=post]").await, 0);
    looking.app.call("DELETE", &format!("/v1/keys/{id}"), "").await.with(204);
    // The part that is live notices by itself.
    browser.sees("You were signed out").await;
    looking.is_clean().await;
}

#[tokio::test]
async fn a_session_shows_its_calls_and_what_each_sent() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    browser.sign_in(OURS).await;
    browser.open("/console/sessions/s").await;
    assert_eq!(browser.count("svg.chart a.call").await, 3);
    assert_eq!(browser.count("svg.chart .mark").await, 2, "two versions begin");
    // A compression that ends while one looks.
    append(app, "s", turns(10, |i| super::sentences(&format!("release {i}"), 10))).await;
    app.call("POST", "/v1/sessions/s/compressions", r#"{"target": 0.3}"#).await.with(202);
    browser.sees("queued").await;
    app.work().await;
    browser.comes("document.querySelector('#version').textContent == '3'").await;
    browser.sees("nothing is compressing").await;

    browser.follow("What the agent saw last").await;
    browser.sees("This is exactly what was served then.").await;
    browser.sees("Beside the call before").await;
    browser.follow("anthropic").await;
    browser.sees("Shown in another format").await;
    // A pin and a note of today are nothing that was sent.
    let note = json!({"arguments": {"text": "The gate is amber."}});
    app.call("POST", "/v1/sessions/s/tools/note", note.to_string()).await.good();
    let pin = json!({"text": "Answer in Latin."});
    app.call("POST", "/v1/sessions/s/pins", pin.to_string()).await.good();
    browser.follow("openai-chat").await;
    browser.sees("This is exactly what was served then.").await;
    let told = browser.text().await;
    assert!(!told.contains("Answer in Latin") && !told.contains("The gate is amber"), "{told}");
    // What was dropped since cannot be built again: it says where that differs.
    app.call("GET", "/v1/sessions/s/context", "").await.with(200);
    app.store.flush_served().await.expect("a database that answers");
    let served = app.call("GET", "/v1/sessions/s/served-contexts?limit=1", "").await.json();
    let call = format!("/console/sessions/s/calls/{}", served["items"][0]["id"].as_str().expect("a call"));
    browser.open(&call).await;
    browser.sees("This is exactly what was served then.").await;
    let constraints = app.call("GET", "/v1/sessions/s/ledger?kind=constraint", "").await.json();
    let constraint =
        constraints["items"].as_array().expect("a list").iter().find(|one| one["source"] == "user");
    let id = constraint.expect("a constraint")["id"].as_str().expect("an id").to_owned();
    app.call("DELETE", &format!("/v1/sessions/s/constraints/{id}"), "").await.with(204);
    browser.open(&call).await;
    browser.sees("This differs from what was served then").await;
    browser.sees("As it can be built again").await;
    browser
        .comes("/Record: [0-9,]+ tokens then, [0-9,]+ as it is built now/.test(document.body.innerText)")
        .await;
    let told = browser.text().await;
    assert!(!told.contains("System and pins:") && !told.contains("As it was sent"), "{told}");
    // From a message to the record, and back.
    browser.open("/console/sessions/s/messages/2").await;
    browser.sees("Where it lives on").await;
    browser.sees("The service listens on port 5433").await;
    browser.open("/console/sessions/s/record").await;
    browser.follow("Message 2").await;
    browser.comes("location.pathname == '/console/sessions/s/messages/2'").await;
    looking.is_clean().await;
}

#[tokio::test]
async fn what_was_dropped_is_found_pinned_and_rolled_back() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    browser.sign_in(OURS).await;
    browser.open("/console/sessions/s/dropped").await;
    browser.sees("Between versions 1 and 2").await;
    browser.fill("form.filters input[name=q]", "in step 4 part").await;
    browser.press("Show").await;
    browser
        .comes("document.querySelectorAll('ul.lost li').length > 0 && location.search.includes('q=in')")
        .await;
    browser.sees("In step 4 part").await;
    let rows = "[...document.querySelectorAll('ul.lost li')]";
    browser.comes(&format!("{rows}.every(row => /went with version [12]/.test(row.innerText))")).await;
    let before = browser.count("ul.lost li").await;
    browser.find("ul.lost li form button").await.click().await.expect("a button");
    browser.sees("Pin this text?").await;
    browser.press("Pin it").await;
    browser.comes(&format!("document.querySelectorAll('ul.lost li').length == {}", before - 1)).await;
    browser.comes("/^Pinned: every context has it .* its text is [0-9]+ tokens/.test(document.querySelector('main [role=status]').innerText)").await;
    let pins = app.call("GET", "/v1/sessions/s/pins", "").await.json();
    assert!(pins["pins"][0]["text"].as_str().is_some_and(|text| text.contains("In step 4 part")), "{pins}");

    browser.open("/console/sessions/s/memory").await;
    browser.sees("never delete the migrations folder").await;
    browser.find("button[aria-label^='Drop: ']").await.click().await.expect("a button");
    browser.sees("Drop this constraint?").await;
    browser.follow("Leave it as it is").await;
    browser.find("button[aria-label^='Drop: ']").await.click().await.expect("a button");
    browser.sees("no later version takes it up").await;
    browser.press("Drop it").await;
    browser.sees("Dropped: contexts show the constraint no longer").await;
    browser.comes("document.querySelectorAll('button[aria-label^=\"Drop: \"]').length == 0").await;
    let context = app.call("GET", "/v1/sessions/s/context", "").await;
    let constraints = app.call("GET", "/v1/sessions/s/ledger?kind=constraint", "").await.json();
    let left =
        constraints["items"].as_array().expect("a list").iter().filter(|one| one["source"] == "user").count();
    assert_eq!(left, 0, "{constraints} {}", context.text);

    let note = json!({"arguments": {"text": "the gate is green"}});
    app.call("POST", "/v1/sessions/s/tools/note", note.to_string()).await.good();
    browser.open("/console/sessions/s/memory").await;
    browser.fill("#note-n1", "the gate is red").await;
    browser.press("Save n1").await;
    until("the note", async || {
        let notes = app.call("GET", "/v1/sessions/s/notes", "").await.json();
        (notes["notes"][0]["text"] == "the gate is red").then_some(())
    })
    .await;

    browser.open("/console/sessions/s/record?version=1").await;
    browser.press("Roll back to version 1").await;
    browser.sees("Roll back to version 1?").await;
    browser.sees("are in the window again, each whole").await;
    let versions = app.call("GET", "/v1/sessions/s/summaries", "").await.json();
    assert_eq!(versions["items"][0]["version"], 2, "nothing is done yet");
    browser.press("Roll back").await;
    browser.sees("Rolled back: what that version had is current again, as version 3").await;
    browser.sees("Version 3").await;
    let versions = app.call("GET", "/v1/sessions/s/summaries", "").await.json();
    assert_eq!(
        (&versions["items"][0]["version"], &versions["items"][0]["strategy"]),
        (&json!(3), &json!("rollback"))
    );
    looking.is_clean().await;
}

#[tokio::test]
async fn a_request_is_closed_when_somebody_is_sure() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    let settings = json!({"context_window": 8_000, "reserved_output_tokens": 500, "auto": false});
    app.call("PUT", "/v1/sessions/c", settings.to_string()).await.with(201);
    let mut talk = vec![json!({"role": "user", "content": "Port stage 1 of the parser to the new tables."})];
    for i in 0..14 {
        let done = super::sentences(&format!("part {i}"), 14);
        talk.extend([
            json!({"role": "assistant", "content": done}),
            json!({"role": "user", "content": "go on"}),
        ]);
    }
    append(app, "c", talk).await;
    let asked = json!({"target": 0.3, "preserve_recent": 2}).to_string();
    app.call("POST", "/v1/sessions/c/compressions", asked).await.with(202);
    app.work().await;
    let state = async || {
        let requests = app.call("GET", "/v1/sessions/c/ledger?kind=request", "").await.json();
        requests["items"][0]["state"].as_str().map(str::to_owned)
    };
    browser.sign_in(OURS).await;
    browser.open("/console/sessions/c/memory").await;
    browser.find("button[aria-label^='Close: Port stage 1']").await.click().await.expect("a button");
    browser.sees("Close this request?").await;
    assert_eq!(state().await.as_deref(), Some("open"), "nothing is done yet");
    browser.press("Close it").await;
    browser.sees("Closed: contexts show the request as dropped").await;
    assert_eq!(browser.count("button[aria-label^='Close: ']").await, 0);
    assert_eq!(state().await.as_deref(), Some("dropped"));
    looking.is_clean().await;
}

#[tokio::test]
async fn a_dropped_transcript_is_shown_without_being_stored_and_then_kept() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    browser.sign_in(OURS).await;
    browser.open("/console/try").await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("talk.json");
    let talk = turns(40, |i| {
        format!("Step {i} of the migration: {}", "we move one table after the other. ".repeat(20))
    });
    std::fs::write(&file, json!(talk).to_string()).expect("a file");
    browser.find("#file").await.send_keys(file.to_str().expect("a path")).await.expect("a file input");
    browser.fill("#target", "2500").await;
    browser.press("Show record and context").await;
    browser.sees("40 messages of messages").await;
    browser.sees("Context").await;
    let sessions = app.call("GET", "/v1/sessions", "").await.json();
    assert_eq!(sessions["items"].as_array().map(Vec::len), Some(1), "nothing is stored");
    browser.fill("input[name=session]", "kept-talk").await;
    browser.press("Keep as a session").await;
    browser.sees("40 messages are kept as").await;
    browser.follow("kept-talk").await;
    browser.sees("Overview").await;
    let kept = app.call("GET", "/v1/sessions/kept-talk", "").await.with(200).json();
    assert_eq!(kept["head_seq"], 40);
    browser.open("/console/try").await;
    browser.script("document.querySelector('details').open = true").await;
    browser.fill("#text", "this is no transcript").await;
    browser.press("Show record and context").await;
    browser.find("#result [role=alert]").await;
    looking.is_clean().await;
}

/// What a session may hold that would like to be more than text.
fn hostile() -> Vec<serde_json::Value> {
    let texts = [
        "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">".to_owned(),
        "[click](javascript:document.title='owned') javascript:alert(1) <a href=\"javascript:alert(1)\">x</a>".to_owned(),
        "abc \u{202E}gpj.exe\u{2066} \u{200F}rtl \u{0}\u{1b}[31m".to_owned(),
        "<svg onload=alert(1)> <style>body{display:none}</style> {{7*7}} {% raw %} hx-get=\"https://evil.example\"".to_owned(),
        "x".repeat(4_000_000),
        "</pre></li></ol></main><h1>Not ours</h1>".to_owned(),
    ];
    let role = |i: usize| if i.is_multiple_of(2) { "user" } else { "assistant" };
    texts.iter().enumerate().map(|(i, text)| json!({"role": role(i), "content": text})).collect()
}

#[tokio::test]
async fn hostile_content_is_text_and_nothing_else() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    app.call(
        "PUT",
        "/v1/sessions/h",
        r#"{"context_window": 2000000, "user": "<b>u</b>", "task_id": "<i>t</i>"}"#,
    )
    .await
    .with(201);
    for message in hostile() {
        app.call(
            "POST",
            "/v1/sessions/h/messages?return=context",
            json!({"messages": [message]}).to_string(),
        )
        .await
        .good();
    }
    app.store.flush_served().await.expect("a database that answers");
    let note = json!({"arguments": {"text": "see \u{202E}gpj.exe\u{2066}"}});
    app.call("POST", "/v1/sessions/h/tools/note", note.to_string()).await.good();
    app.call(
        "POST",
        "/v1/sessions/h/pins",
        json!({"text": "<script>document.title='owned'</script>"}).to_string(),
    )
    .await
    .good();
    // The same in a summary.
    let small = r#"{"context_window": 8000, "reserved_output_tokens": 500}"#;
    app.call("PUT", "/v1/sessions/folded", small).await.with(201);
    let is_short =
        |message: &serde_json::Value| message["content"].as_str().is_some_and(|text| text.len() < 1_000);
    let hostile = ["<script>alert(1)</script>", "javascript:alert(1)"];
    let more = turns(14, |i| {
        let rest = super::sentences(&format!("case {i}"), 14);
        format!("{} You must never trust <b>{i}</b>. {rest}", hostile[i % 2])
    });
    append(app, "folded", self::hostile().into_iter().filter(is_short).chain(more).collect()).await;
    app.compress("folded", "").await;
    let served = app.call("GET", "/v1/sessions/h/served-contexts", "").await.json();
    let call = served["items"][0]["id"].as_str().expect("a call").to_owned();
    browser.sign_in(OURS).await;
    let mut paths: Vec<String> = [
        "", "/messages?from=1", "/record", "/dropped", "/memory", "/search?q=%3Cscript%3E",
        "/search?q=%E2%80%AEgpj.exe", "/dropped?q=%E2%80%AEgpj.exe", "/quality", "/cost",
    ]
    .iter()
    .map(|rest| format!("/console/sessions/h{rest}"))
    .collect();
    let folded = ["", "/record", "/dropped", "/memory", "/quality"];
    paths.extend(folded.map(|rest| format!("/console/sessions/folded{rest}")));
    paths.extend((1..=6).map(|seq| format!("/console/sessions/h/messages/{seq}")));
    paths.extend([
        format!("/console/sessions/h/calls/{call}"),
        "/console/sessions?q=%3Cscript%3Ealert(1)%3C/script%3E".to_owned(),
        "/console/sessions?q=%E2%80%AEgpj&task=%E2%80%AEx".to_owned(),
        "/console/cost?input=%E2%80%AE3".to_owned(),
        "/console/recall?q=%E2%80%AEgpj.exe".to_owned(),
    ]);
    for path in paths {
        browser.open(&path).await;
        let title = browser.script("return document.title").await;
        assert!(title.as_str().is_some_and(|title| title.ends_with("– anchord")), "{path}: {title}");
        for what in [
            "main script", "main img", "main style", "a[href^='javascript']",
            "[onerror], [onload], [onclick]", "[style]",
        ] {
            assert_eq!(browser.count(what).await, 0, "{path} has {what}");
        }
        assert_eq!(browser.count("h1").await, 1, "{path}");
        assert_eq!(browser.count("body > main").await, 1, "{path}");
        let wide = browser.script("return document.documentElement.scrollWidth <= innerWidth").await;
        assert_eq!(wide, true, "{path} is wider than the window");
        let steers =
            browser.script("return /[\\u202A-\\u202E\\u2066-\\u2069]/.test(document.body.innerHTML)").await;
        assert_eq!(steers, false, "{path} has an override");
        let fields = "return [...document.querySelectorAll('input,textarea')].every(one => !/[\\u202A-\\u202E\\u2066-\\u2069]/.test(one.value))";
        assert_eq!(browser.script(fields).await, true, "{path} has an override in a field");
        let bytes = browser.script("return document.documentElement.outerHTML.length").await;
        assert!(bytes.as_i64().is_some_and(|bytes| bytes < 2_000_000), "{path}: {bytes}");
    }
    looking.is_clean().await;
}

#[tokio::test]
async fn what_is_named_in_a_field_is_what_is_kept() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    let text = "name \u{202E}gpj.exe ‹U+0041›";
    let note = json!({"arguments": {"text": text}});
    app.call("POST", "/v1/sessions/s/tools/note", note.to_string()).await.good();
    browser.sign_in(OURS).await;
    browser.open("/console/sessions/s/memory").await;
    let shown = browser.script("return document.querySelector('#note-n1').value").await;
    assert_eq!(shown, "name ‹U+202E›gpj.exe ‹U+0041›");
    browser.find("#note-n1").await.send_keys(" and more").await.expect("a field");
    browser.press("Save n1").await;
    browser.sees("Saved: contexts have the note").await;
    let notes = app.call("GET", "/v1/sessions/s/notes", "").await.json();
    assert_eq!(notes["notes"][0]["text"], format!("{text} and more"));
    looking.is_clean().await;
}

#[tokio::test]
async fn one_search_says_where_a_thing_is_now_and_what_dropped_it() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    browser.sign_in(OURS).await;
    let settings = json!({"context_window": 8_000, "reserved_output_tokens": 500, "auto": false});
    app.call("PUT", "/v1/sessions/port", settings.to_string()).await.with(201);
    let mut first = vec![
        json!({"role": "system", "content": "You are a careful engineer."}),
        // What a session begins with is not forgotten.
        json!({"role": "user", "content": "Fix the parser."}),
        json!({"role": "assistant", "content": "The parser is fixed, and its tests pass."}),
        json!({"role": "user", "content": "Write the service's page. It listens on port 5433."}),
    ];
    first.extend(turns(14, |i| super::sentences(&format!("step {i}"), 14)));
    append(app, "port", first).await;
    let compress = async || {
        let asked = json!({"target": 0.3, "preserve_recent": 2}).to_string();
        app.call("POST", "/v1/sessions/port/compressions", asked).await.with(202);
        app.work().await;
    };
    compress().await;
    browser.open("/console/sessions/port").await;
    browser.fill("#find", "port").await;
    browser.press("Search").await;
    let row = "[...document.querySelectorAll('ul.found li')].find(row => row.innerText.includes('5433'))";
    browser.comes(&format!("{row} && /in the context now\\s+.*(record|digest)/.test({row}.innerText)")).await;
    browser
        .comes(
            "[...document.querySelectorAll('ol.hits li')].some(row => row.innerText.includes('message 4'))",
        )
        .await;
    // It is forgotten: the next version has room for little, and nobody speaks of it any more.
    let small = json!({"max_summary_tokens": 200, "fill": 0.05});
    app.call("PATCH", "/v1/sessions/port", small.to_string()).await.good();
    append(app, "port", turns(12, |i| super::sentences(&format!("release {i}"), 10))).await;
    compress().await;
    browser.open("/console/sessions/port").await;
    browser.fill("#find", "why did my agent forget the port?").await;
    browser.press("Search").await;
    let went = "/dropped\\s+last served with version 1, went with version 2/";
    browser.comes(&format!("{row} && {went}.test({row}.innerText)")).await;
    browser.comes(&format!("{went}.test(document.querySelector('ol.hits li').innerText)")).await;
    // What is left out of the text of the record is marked there, too.
    browser.open("/console/sessions/port/record").await;
    browser.comes("[...document.querySelectorAll('.entries li')].some(row => row.innerText.includes('not sent now'))").await;
    browser.open("/console/sessions/port/search?q=port").await;
    // The link to the version says why: the compression, the window, the messages.
    browser.find("ul.found li .where a").await.click().await.expect("a link");
    browser.sees("made version 2 at").await;
    browser.sees("because somebody asked for it. It took messages").await;
    browser.sees("Message 4, a message of").await;
    browser.sees("is stored as it was, and can be pinned").await;
    // The first version, from the same link of something that it dropped.
    browser.open("/console/sessions/port/dropped?to=1&seq=3").await;
    browser.sees("Version 1 is the first").await;
    browser.sees("Compression 1 made version 1 at").await;
    browser.comes("!document.body.innerText.includes('There is one version')").await;
    browser.open("/console/sessions/port/search?q=port").await;
    let pin = browser.find("ul.found li form button").await;
    pin.click().await.expect("a button");
    browser.press("Pin it").await;
    browser.sees("Pinned: every context has it").await;
    browser.comes(&format!("{row} && /in the context now\\s+pins/.test({row}.innerText)")).await;
    browser.comes("/in the context now\\s+pins/.test(document.querySelector('ol.hits li').innerText)").await;
    let context = app.call("GET", "/v1/sessions/port/context", "").await;
    assert!(context.text.contains("5433"), "{}", context.text);
    looking.is_clean().await;
}

/// Begins a session with these messages, and has it compressed until they are left out.
async fn left_out(app: &App, session: &str, mut first: Vec<Value>) {
    let path = format!("/v1/sessions/{session}");
    let settings = json!({"context_window": 8_000, "reserved_output_tokens": 500, "auto": false});
    app.call("PUT", &path, settings.to_string()).await.with(201);
    first.extend(turns(14, |i| super::sentences(&format!("step {i}"), 14)));
    append(app, session, first).await;
    let small = json!({"max_summary_tokens": 200, "fill": 0.05});
    app.call("PATCH", &path, small.to_string()).await.good();
    let asked = json!({"target": 0.1, "preserve_recent": 2}).to_string();
    app.call("POST", &format!("{path}/compressions"), asked).await.with(202);
    app.work().await;
}

#[tokio::test]
async fn what_a_pin_brought_back_is_called_dropped_nowhere() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    // As a terminal colours it.
    let text = "\u{1b}[33mrelay seven answers late\u{1b}[0m and its queue is never emptied by anybody";
    let mut first = vec![json!({"role": "user", "content": "Watch the line."})];
    first.extend(called("c1", "bash", &json!({"command": "watch-line"}), text));
    left_out(app, "relay", first).await;
    browser.sign_in(OURS).await;
    let hit =
        "[...document.querySelectorAll('ol.hits li')].find(row => row.innerText.includes('relay seven'))";
    let search = async |says: &str| {
        browser.open("/console/sessions/relay/search?q=relay+seven").await;
        browser.comes(&format!("{hit} && {says}.test({hit}.innerText)")).await;
    };
    let pin = async |shortened: Option<&str>| {
        browser.script(&format!("{hit}.querySelector('form button').click()")).await;
        browser.sees("Pin this text?").await;
        if let Some(text) = shortened {
            browser.fill("#pin", text).await;
        }
        browser.press("Pin it").await;
        browser.sees("Pinned: every context has it").await;
    };
    search("/dropped/").await;
    pin(Some("relay seven answers late")).await;
    search("/in part in the context now\\s+“relay seven answers late”, in: pins; the rest:/").await;
    browser.sees("in part").await;
    pin(None).await;
    search("/in the context now\\s+pins/").await;
    browser.comes(&format!("!/dropped|in part/.test({hit}.innerText)")).await;
    looking.is_clean().await;
}

#[tokio::test]
async fn one_figure_says_on_every_page_how_full_a_session_is_and_each_message_how_it_is_there() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    let settings = json!({"context_window": 8_000, "reserved_output_tokens": 500, "auto": false});
    app.call("PUT", "/v1/sessions/full", settings.to_string()).await.with(201);
    // Whole messages leave, so that the window is never quite full.
    let large = turns(12, |i| super::sentences(&format!("stage {i}"), 60));
    let path = "/v1/sessions/full/messages";
    app.call("POST", path, json!({"messages": large}).to_string()).await.good();
    browser.sign_in(OURS).await;
    let figure = async || {
        let context = app.call("GET", "/v1/sessions/full/context", "").await.json();
        let (tokens, window) = (&context["tokens"]["total"], &context["max_input_tokens"]);
        let of = |n: &serde_json::Value| n.as_f64().expect("a number");
        format!("{:.0} %", of(tokens) / of(window) * 100.0)
    };
    let agrees = async |figure: &str| {
        browser.open("/console/sessions").await;
        let row = "[...document.querySelectorAll('tbody tr')].find(row => /^full/.test(row.innerText))";
        browser.comes(&format!("{row}.querySelector('.fill .n').innerText == '{figure}'")).await;
        browser.open("/console/sessions/full").await;
        browser.comes(&format!("document.querySelector('.figures strong').innerText == '{figure}'")).await;
        browser.open("/console/sessions/full/next").await;
        browser.sees(&format!("The window is {figure} full")).await;
    };
    let counted = app.call("GET", "/v1/sessions/full", "").await.json();
    assert_eq!(counted["usage"]["effective_utilization"], 1.0, "{}", counted["usage"]);
    // Nobody was served it yet; then somebody was, and a pin came after it.
    let (_, looked) = key(app, &["read"]).await;
    let first = {
        let cookie = super::signed_in(app, &looked, "key").await;
        let page = super::page(app, &cookie, "/console/sessions/full").await.with(200);
        page.text
    };
    let figure_now = figure().await;
    assert!(
        figure_now != "100 %" && first.contains(&format!("<strong>{figure_now}</strong>")),
        "{figure_now}"
    );
    app.store.flush_served().await.expect("a database that answers");
    agrees(&figure_now).await;
    app.call("POST", "/v1/sessions/full/pins", json!({"text": super::sentences("the pin", 30)}).to_string())
        .await
        .good();
    let pinned = {
        browser.open("/console/sessions/full/next").await;
        let shown =
            browser.script("return document.body.innerText.match(/The window is (\\d+ %) full/)[1]").await;
        shown.as_str().expect("a figure").to_owned()
    };
    agrees(&pinned).await;
    assert_eq!(pinned, figure().await);

    // What each message is in the next context, in the words of its page.
    browser.open("/console/sessions/full/next").await;
    let left_out = browser
        .script("return [...document.querySelectorAll('#left ~ ul li')].map(row => row.innerText)")
        .await;
    assert!(left_out.to_string().contains("left out, the budget has no room"), "{left_out}");
    let omitted = app.call("GET", "/v1/sessions/full/context", "").await.json()["omitted"].clone();
    let range = omitted
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["reason"] == "budget")
        .expect("one")
        .clone();
    let mark = |seq: &serde_json::Value| format!("document.querySelector('#m{seq} .tag').innerText");
    browser.open("/console/sessions/full/messages?from=1").await;
    for seq in [&range["from_seq"], &range["to_seq"]] {
        browser.comes(&format!("{} == 'left out, the budget has no room'", mark(seq))).await;
    }
    browser.comes(&format!("{} == 'whole'", mark(&json!(12)))).await;
    assert_eq!(browser.count("li.message .tag").await, 12);
    browser.open("/console/sessions/s/messages?from=1").await;
    browser.comes("[...document.querySelectorAll('li.message .tag')].some(one => one.innerText == 'in the record only')").await;
    looking.is_clean().await;
}

#[tokio::test]
async fn before_an_undo_it_is_told_which_messages_come_back_whole_and_which_do_not() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    let settings = json!({"context_window": 8_000, "reserved_output_tokens": 500, "auto": false});
    app.call("PUT", "/v1/sessions/undo", settings.to_string()).await.with(201);
    append(app, "undo", turns(15, |i| super::sentences(&format!("step {i}"), 14))).await;
    let compress = async || {
        let asked = json!({"target": 0.2, "preserve_recent": 2}).to_string();
        app.call("POST", "/v1/sessions/undo/compressions", asked).await.with(202);
        app.work().await;
    };
    compress().await;
    let head = app.call("GET", "/v1/sessions/undo", "").await.json()["head_seq"].as_i64().expect("a number");
    let mut more =
        called("big", "bash", &json!({"command": "cat log"}), &super::sentences("the log", 500)).to_vec();
    more.extend(turns(7, |i| super::sentences(&format!("release {i}"), 8)));
    append(app, "undo", more).await;
    compress().await;
    let big = head + 2;
    browser.sign_in(OURS).await;
    browser.open("/console/sessions/undo").await;
    browser.press("Undo this compression").await;
    browser.sees("are in the window again, as far as it has room").await;
    browser.comes("/Whole: \\d+ to \\d+/.test(document.body.innerText)").await;
    let other = format!("document.body.innerText.match(/(Its [a-z ]+|Left [a-z, ]+): [^.]*\\b{big}\\b/)");
    browser.comes(&other).await;
    let words = browser.script(&format!("return {other}[1]")).await;
    let words = words.as_str().expect("words").to_lowercase();
    browser.press("Roll back").await;
    browser.sees("Rolled back").await;
    browser.open(&format!("/console/sessions/undo/messages?from={head}")).await;
    browser.comes(&format!("document.querySelector('#m{big} .tag').innerText == '{words}'")).await;
    looking.is_clean().await;
}

#[tokio::test]
async fn a_message_is_pinned_line_by_line_and_every_page_agrees_that_it_is_there() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    browser.sign_in(OURS).await;
    let text = "[gateway]\ntimeout_of_upstream = \"37 seconds\"\n  retries_of_upstream = 4";
    let mut first = vec![json!({"role": "user", "content": "Read the settings of the gateway."})];
    first.extend(called("c1", "read_file", &json!({"path": "conf/gateway.toml"}), text));
    left_out(app, "gate", first).await;

    browser.open("/console/sessions/gate/search?q=timeout_of_upstream").await;
    browser.find("ol.hits li .where a").await.click().await.expect("a link");
    browser.sees("Compression 1 made version 1 at").await;
    browser.sees("Message 3, an output of").await;
    browser.sees("content was not kept").await;
    browser.open("/console/sessions/gate/messages/3").await;
    browser.sees("the context of now does not quote it").await;
    browser.find("main button[aria-label^='Pin: ']").await.click().await.expect("a button");
    browser.sees("Pin this text?").await;
    assert_eq!(browser.script("return document.querySelector('#pin').value").await, text);
    browser.follow("Leave it as it is").await;
    browser.comes("location.pathname == '/console/sessions/gate/messages/3'").await;
    browser.find("main button[aria-label^='Pin: ']").await.click().await.expect("a button");
    browser.find("#pin").await.send_keys("\nkeep it").await.expect("a field");
    browser.press("Pin it").await;
    browser.sees("The context of now has all of its words, in: pins.").await;
    let pins = app.call("GET", "/v1/sessions/gate/pins", "").await.json();
    let pinned = format!("{text}\nkeep it");
    assert_eq!(pins["pins"][0]["text"], pinned);
    let counted = app.call("POST", "/v1/tokens", json!({"text": pinned}).to_string()).await.json();
    browser.sees(&format!("its text is {} tokens.", counted["tokens"])).await;
    browser.follow("The next context").await;
    browser.sees("As it would be sent").await;
    browser.sees("retries_of_upstream = 4").await;
    browser.sees("Nothing is compressed by itself").await;
    browser.open("/console/sessions/gate/search?q=timeout_of_upstream").await;
    browser
        .comes("[...document.querySelectorAll('ol.hits li .where')].every(one => /in the context now\\s+pins/.test(one.innerText))")
        .await;
    let log = app.call("GET", "/v1/audit", "").await.json();
    assert_eq!(log["items"][0]["action"], "pin.added", "{log}");
    looking.is_clean().await;
}

#[tokio::test]
async fn a_compression_is_undone_and_what_is_whole_again_is_not_called_dropped() {
    let looking = looking().await;
    let browser = &looking.browser;
    browser.sign_in(OURS).await;
    browser.open("/console/sessions/s").await;
    browser.press("Undo this compression").await;
    browser.sees("Roll back to version 1?").await;
    browser.sees("are in the window again, each whole").await;
    browser.sees("The window of").await;
    browser.sees("a rollback pauses that below 90 %").await;
    browser.follow("Leave it as it is").await;
    browser.comes("location.pathname == '/console/sessions/s'").await;
    browser.press("Undo this compression").await;
    browser.press("Roll back").await;
    browser.sees("Rolled back: what that version had is current again, as version 3").await;
    browser.comes("document.querySelector('#version').textContent == '3'").await;
    assert_eq!(browser.count("form button").await, 3, "sign out, search and compress, and nothing to undo");
    browser.follow("The next context").await;
    browser.sees("a rollback pauses that below 90 %").await;
    browser.open("/console/sessions/s/dropped").await;
    browser.sees("Version 3 was made by a rollback").await;
    let dropped = "[...document.querySelectorAll('[aria-labelledby=between] li')].filter(row => row.innerText.startsWith('dropped'))";
    browser.comes(&format!("{dropped}.every(row => !/later words/.test(row.innerText))")).await;
    browser.comes("![...document.querySelectorAll('button')].some(one => one.innerText == 'Roll back to version 1')").await;
    browser.open("/console/sessions/s/record?version=1").await;
    browser.sees("The current version has the same record.").await;
    looking.is_clean().await;
}

#[tokio::test]
async fn a_hundred_thousand_messages_scroll_without_being_loaded() {
    let looking = looking().await;
    let (app, browser) = (&looking.app, &looking.browser);
    append(app, "long", turns(1, |_| "the first message".to_owned())).await;
    let mut owner = sqlx::PgConnection::connect(&app.database.url).await.expect("a connection");
    // As if they had been appended; only their list is looked at.
    let fill = "insert into messages (tenant_id, session_id, seq, role, format, tokens, body)
                select s.tenant_id, s.id, n, 'user', 'openai-chat', 5,
                       json_build_object('role', 'user', 'content', 'message number ' || n)::text
                from sessions s, generate_series(2, 100000) n where s.name = 'long';
                update sessions set head_seq = 100000, revision = revision + 1 where name = 'long'";
    sqlx::raw_sql(fill).execute(&mut owner).await.expect("rows");
    browser.sign_in(OURS).await;
    browser.open("/console/sessions/long/messages").await;
    browser.sees("message number 100000").await;
    assert_eq!(browser.count("li.message").await, 40);
    browser.open("/console/sessions/long/messages?from=50000").await;
    browser.sees("message number 50000").await;
    assert_eq!(browser.count("li.message").await, 40);
    for _ in 0..100 {
        browser.script("window.scrollTo(0, document.body.scrollHeight)").await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        if browser.count("li.message").await >= 160 {
            break;
        }
    }
    let shown = browser.count("li.message").await;
    assert!((160..400).contains(&shown), "{shown}");
    browser.sees("message number 50150").await;
    looking.is_clean().await;
}

#[tokio::test]
async fn a_keyboard_alone_reaches_a_call() {
    let looking = looking().await;
    let browser = &looking.browser;
    browser.open("/console/sign-in").await;
    browser
        .find("#key")
        .await
        .send_keys(OURS.to_owned() + Key::Enter.value().to_string().as_str())
        .await
        .expect("keys");
    browser.sees("Sessions").await;
    // The skip link is the first stop.
    let focused = "return document.activeElement.textContent.trim()";
    browser.find("body").await.send_keys(Key::Tab.value().to_string()).await.expect("keys");
    assert_eq!(browser.script(focused).await, "Skip to content");
    browser.open("/console/sessions/s").await;
    for _ in 0..60 {
        let active = browser.driver.active_element().await.expect("an element");
        active.send_keys(Key::Tab.value().to_string()).await.expect("keys");
        if browser.script(focused).await == "What the agent saw last" {
            break;
        }
    }
    assert_eq!(browser.script(focused).await, "What the agent saw last");
    browser
        .driver
        .active_element()
        .await
        .expect("an element")
        .send_keys(Key::Enter.value().to_string())
        .await
        .expect("keys");
    browser.sees("As it was sent").await;
    looking.is_clean().await;
}
