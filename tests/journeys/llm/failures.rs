//! Everything that a model's server can do wrong, one by one: what comes of the compression, which version
//! the session keeps, what was tried and paid, and that the session goes on.

use std::time::Duration;

use anchord_llm::{Client, Options, Provider};
use rstest::rstest;
use serde_json::{Value, json};

use super::{app_for, append, compressed, document, options, raw, stretch};
use crate::support::app::COMPRESS;
use crate::support::app::{App, app_with_model};
use crate::support::provider::{Act, FakeProvider, record};
use crate::support::talks::turns;
use crate::support::{number, text};

fn body(status: u16, text: &str) -> Act {
    Act::Raw(status, vec![], text.to_owned())
}

fn say(text: &str) -> Act {
    Act::Say(text.to_owned())
}

fn refusal() -> Act {
    let choice = json!({"message": {"content": null, "refusal": "no"}, "finish_reason": "stop"});
    body(
        200,
        &json!({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).to_string(),
    )
}

fn cut() -> Act {
    let choice = json!({"message": {"content": "{\"session"}, "finish_reason": "length"});
    body(
        200,
        &json!({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).to_string(),
    )
}

fn without(section: &str) -> Act {
    let mut record = record(2);
    record.as_object_mut().unwrap().remove(section);
    Act::Say(record.to_string())
}

/// A good answer for other messages: none of its names stands in these.
fn foreign() -> Act {
    let found = |at: u32| json!({"section": "findings", "name": "", "text": format!("src/fleet/route{at}.rs fails with E077{at} after 41{at}9 ms"), "seqs": [2]});
    let mut record = record(2);
    record["add"] = (1..9).map(found).collect();
    Act::Say(record.to_string())
}

/// What was tried, in the order it was: `purpose outcome status`, and how often in a row.
async fn tried(app: &App, compression: &Value) -> String {
    let mut look = app.database.connect().await;
    let newest = "select id from compressions where kind = 'compress' order by created_at desc limit 1";
    let lines = format!(
        "select coalesce(string_agg(purpose || ' ' || outcome || coalesce(' ' || http_status, '') || ' ' || provider || '/' || model, ', ' order by id), '')
         from llm_attempts where compression_id = ({newest})"
    );
    let all = text(&mut look, &lines).await;
    let path = format!("/v1/sessions/s/compressions/{}/calls?limit=50", compression["id"].as_str().unwrap());
    let listed = app.call("GET", &path, "").await.json();
    let listed: Vec<String> = listed["items"]
        .as_array()
        .expect("calls")
        .iter()
        .map(|call| {
            let status = call["http_status"].as_i64().map(|status| format!(" {status}")).unwrap_or_default();
            let word = |name: &str| call[name].as_str().unwrap();
            format!("{} {}{status} {}/{}", word("purpose"), word("outcome"), word("provider"), word("model"))
        })
        .collect();
    assert_eq!(listed.join(", "), all);
    assert_eq!(compression["cost"]["calls"], listed.len(), "{all} {compression}");
    assert!(all.split(", ").all(|line| line.ends_with(" openai/small")), "{all}");
    all.replace(" openai/small", "")
}

fn times(what: &str, count: usize) -> String {
    vec![what; count].join(", ")
}

/// The first version is a model's, the provider fails at the second, and is well again at the third.
#[rstest]
#[case::wrong_key(raw(401, &[]), "status", times("summarise status 401", 1), 0)]
#[case::no_such_model(
    body(404, "the model `small` does not exist"),
    "no_model",
    times("summarise no_model", 1),
    0
)]
#[case::too_many(raw(429, &[]), "status", times("summarise status 429", 4), 0)]
#[case::too_many_for_hours(raw(429, &[("retry-after", "7200")]), "status", times("summarise status 429", 1), 0)]
#[case::broken(raw(500, &[]), "status", times("summarise status 500", 4), 0)]
#[case::hangs_up_in_the_middle(Act::Break, "connection", times("summarise connection", 4), 0)]
#[case::drips(Act::Drip, "timeout", times("summarise timeout", 3), 0)]
#[case::never_answers(Act::Hang, "timeout", times("summarise timeout", 3), 0)]
#[case::html(body(200, "<html>Bad gateway</html>"), "malformed", times("summarise malformed", 1), 0)]
#[case::redirect(raw(302, &[("location", "http://127.0.0.1:1/")]), "status", times("summarise status 302", 1), 0)]
#[case::truncated_json(say("{\"intent\": \"Make"), "unusable_reply", unusable(), 6)]
#[case::empty_text(say(""), "unusable_reply", unusable(), 6)]
#[case::dropped_sections(without("state"), "unusable_reply", unusable(), 6)]
#[case::about_another_conversation(foreign(), "foreign_reply", times("summarise ok", 1), 1)]
#[case::refusal(refusal(), "refused", times("summarise refused", 1), 1)]
#[case::cut_at_its_longest(cut(), "cut", times("summarise cut", 3), 3)]
#[case::too_long(
    body(400, "maximum context length is 8 tokens"),
    "too_long",
    times("summarise too_long", 3),
    0
)]
#[case::too_large(raw(413, &[]), "too_long", times("summarise too_long", 3), 0)]
#[tokio::test]
async fn a_failing_server_costs_a_session_nothing_but_the_model(
    #[case] act: Act,
    #[case] reason: &str,
    #[case] expected: String,
    #[case] billed: u64,
) {
    let fake = FakeProvider::start([Act::Good]).await;
    let mut quick = options(&fake, Provider::Openai);
    quick.tokens_per_second = u32::MAX;
    if matches!(act, Act::Drip | Act::Hang) {
        quick.timeout = Duration::from_millis(120);
    }
    let app = app_for(quick).await;
    let first = compressed(&app, "").await;
    assert_eq!((&first["version"], &first["engine"]), (&json!(1), &json!("llm")), "{first}");

    fake.play([act]);
    append(&app, &stretch(12)).await;
    let done = compressed(&app, "").await;
    assert_eq!(
        (&done["status"], &done["version"], &done["engine"], &done["model"]),
        (&json!("succeeded"), &json!(2), &json!("extractive"), &Value::Null),
        "{done}"
    );
    assert!(done["warnings"].to_string().contains(&format!("llm: {reason}; code made")), "{done}");
    assert_eq!(tried(&app, &done).await, expected);
    let cost = &done["cost"];
    assert_eq!(
        (&cost["input_tokens"], &cost["output_tokens"], &cost["micros"]),
        (&json!(100 * billed), &json!(10 * billed), &json!(300 * billed)),
        "{done}"
    );
    // What the model worded before is still the record's.
    let kept = document(&app).await;
    assert!(kept.contains("uses the csv crate for the importer") && kept.contains("vendor/"), "{kept}");

    let mut look = app.database.connect().await;
    assert_eq!(number(&mut look, "select count(*) from llm_attempts where outcome = 'sent'").await, 0);
    assert_eq!(number(&mut look, "select count(*) from narrative_chunks").await, 0);
    assert_eq!(number(&mut look, "select failures::bigint from llm_breakers").await, 1);

    fake.play([Act::Good]);
    append(&app, &stretch(12)).await;
    let after = compressed(&app, "").await;
    assert_eq!((&after["version"], &after["engine"]), (&json!(3), &json!("llm")), "{after}");
    assert_eq!(number(&mut look, "select count(*) from llm_breakers").await, 0);
}

/// The question and one repair, and both again with less to read, and with still less.
fn unusable() -> String {
    times("summarise ok, repair ok", 3)
}

/// What helps, and after how many calls.
#[rstest]
#[case::a_wait(vec![raw(429, &[("retry-after", "0.02")]), raw(500, &[]), Act::Good], "summarise status 429, summarise status 500, summarise ok")]
#[case::a_repair(vec![say("Sure! Here it is."), Act::Good], "summarise ok, repair ok")]
#[case::a_repair_of_what_was_dropped(vec![without("state"), Act::Good], "summarise ok, repair ok")]
#[case::less_to_read(vec![body(400, "context_length_exceeded"), Act::Good], "summarise too_long, summarise ok, summarise ok, summarise ok")]
#[case::less_to_tell(vec![cut(), Act::Good], "summarise cut, summarise ok, summarise ok, summarise ok")]
#[case::a_repair_of_less(vec![say("NONE"), say("NONE"), say("NONE"), Act::Good], "summarise ok, repair ok, summarise ok, repair ok, summarise ok, summarise ok")]
#[case::a_try_after_a_hangup(vec![Act::Break, Act::Good], "summarise connection, summarise ok")]
#[tokio::test]
async fn a_server_that_can_be_helped_is(#[case] script: Vec<Act>, #[case] expected: &str) {
    let fake = FakeProvider::start(script).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    let done = compressed(&app, "").await;
    assert_eq!((&done["status"], &done["engine"]), (&json!("succeeded"), &json!("llm")), "{done}");
    assert_eq!(tried(&app, &done).await, expected);
}

#[tokio::test]
async fn a_summary_that_is_longer_than_what_it_replaces_is_cut_to_size() {
    let mut long = record(2);
    let sentence = "The importer in src/import.rs reads CSV files with the csv crate. ";
    long["state"] = json!(sentence.repeat(4_000));
    let step = |i: usize| json!({"section": "next", "text": format!("Write test {i} for quoted fields of the importer"), "seqs": [2]});
    long["add"] = (0..2_000).map(step).collect();
    let fake = FakeProvider::start([Act::Say(long.to_string())]).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    let done = compressed(&app, "").await;
    assert_eq!(done["status"], "succeeded", "{done}");
    assert!(done["tokens_after"].as_u64() < done["tokens_before"].as_u64(), "{done}");
    // A span of a few words.
    let small = app_with_model(Client::new(options(&fake, Provider::Openai)).unwrap()).await;
    let messages = turns(14, |_| "go on".to_owned());
    append(&small, &messages).await;
    let done = compressed(&small, "").await;
    // With the frame of its message nothing is smaller.
    assert_eq!(
        (&done["status"], &done["error"]["type"]),
        (&json!("skipped"), &json!("not-smaller")),
        "{done}"
    );
    append(&small, &messages).await;
}

#[tokio::test]
async fn a_caller_never_waits_for_a_model() {
    let fake = FakeProvider::start([Act::Hang]).await;
    let app = app_for(Options { timeout: Duration::from_mins(1), ..options(&fake, Provider::Openai) }).await;
    app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await.with(202);
    let work = app.work();
    tokio::pin!(work);
    tokio::select! {
        () = &mut work => panic!("it ended"),
        () = fake.arrivals(1) => {}
    }
    // The model is being asked; nobody else notices.
    append(&app, &stretch(1)).await;
    for path in ["/v1/sessions/s", "/v1/sessions/s/context", "/v1/sessions/s/messages"] {
        assert_eq!(app.call("GET", path, "").await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_session_that_a_model_fails_three_times_rests_and_says_so() {
    let fake = FakeProvider::start([raw(401, &[])]).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    let view = async || app.call("GET", "/v1/sessions/s", "").await.json();
    for failures in 1..=3 {
        append(&app, &stretch(20)).await;
        let done = compressed(&app, r#"{"reason": "again"}"#).await;
        assert_eq!(done["engine"], "extractive", "{done}");
        let view = view().await;
        assert_eq!(view["llm_breaker"]["failures"], failures, "{view}");
        assert_eq!(view["llm_breaker"]["open_until"].is_null(), failures < 3, "{view}");
    }
    let asked = fake.seen().len();
    append(&app, &stretch(20)).await;
    let done = compressed(&app, "").await;
    assert!(done["warnings"].to_string().contains("llm: session_resting"), "{done}");
    assert_eq!((&done["status"], fake.seen().len()), (&json!("succeeded"), asked), "{done}");
    let mut look = app.database.connect().await;
    let wait = "select round(extract(epoch from open_until - updated_at))::bigint from llm_breakers";
    assert_eq!(number(&mut look, wait).await, 60);
    // The rest is over: one success closes the breaker.
    sqlx::raw_sql("update llm_breakers set open_until = now()").execute(&mut look).await.unwrap();
    fake.play([Act::Good]);
    append(&app, &stretch(20)).await;
    let done = compressed(&app, "").await;
    assert_eq!(done["engine"], "llm", "{done}");
    assert!(view().await.get("llm_breaker").is_none());
}

#[tokio::test]
async fn what_code_words_in_a_model_s_place_leaves_ten_messages_as_they_are() {
    let fake = FakeProvider::start([raw(401, &[]), Act::Good]).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    let done = compressed(&app, "").await;
    assert_eq!((&done["engine"], &done["through_seq"]), (&json!("extractive"), &json!(54)), "{done}");
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    assert_eq!(compressed(&app, "").await["through_seq"], 59);
}

#[tokio::test]
async fn a_server_that_fails_all_sessions_is_left_alone_for_a_while() {
    let fake = FakeProvider::start([raw(500, &[])]).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    let ended = async |session: &str| {
        let path = format!("/v1/sessions/{session}");
        app.call("PUT", &path, r#"{"auto": false}"#).await;
        let body = json!({"messages": stretch(12)}).to_string();
        assert_eq!(app.call("POST", &format!("{path}/messages"), body).await.status, 201);
        let queued = app.call("POST", &format!("{path}/compressions"), COMPRESS).await;
        app.work().await;
        app.call("GET", queued.headers["location"].to_str().unwrap(), "").await.json()
    };
    assert_eq!(ended("a").await["cost"]["calls"], 4);
    let second = ended("b").await;
    assert!(second["warnings"].to_string().contains("llm: open"), "{second}");
    assert_eq!(fake.seen().len(), 5, "the fifth failure in a row was the last one asked for");
    let third = ended("c").await;
    assert_eq!((&third["status"], &third["engine"]), (&json!("succeeded"), &json!("extractive")), "{third}");
    assert_eq!(fake.seen().len(), 5);
}
