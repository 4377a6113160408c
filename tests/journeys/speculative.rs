//! Compressions ahead of need: prepared from the warn level on, published by the append that reaches the
//! compress level, and never when something has changed under them.

use std::collections::BTreeSet;

use anchord_record::parts::Parts;
use anchord_record::summary::Summary;
use anchord_store::compressions::Kind;
use futures::future::join_all;
use rstest::rstest;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::support::app::{App, THEIRS, app};
use crate::support::{bury_dead_workers, number, until};

const SESSION: &str = "/v1/sessions/s";
/// The effective window is 8,000 tokens: warn at 4,800, compress at 5,600.
const WINDOW: u32 = 10_000;

async fn session(settings: &Value) -> App {
    let app = app().await;
    let reply = app.call("PUT", SESSION, settings.to_string()).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    app
}

/// A session that is at the warn level, with its preparation queued.
async fn warned() -> App {
    let app = session(&json!({"context_window": WINDOW, "speculative": true})).await;
    let reply = append(&app, &talk(20, 240)).await;
    assert_eq!(reply["decision"]["action"], "warn", "{reply}");
    assert_eq!(reply["compression"]["status"], "queued", "{reply}");
    app
}

/// The same with the preparation done.
async fn prepared() -> App {
    let app = warned().await;
    app.work().await;
    assert_eq!(statuses(&app).await, ["prepared"]);
    app
}

/// Messages of about so many tokens each.
fn talk(messages: usize, tokens: usize) -> Vec<Value> {
    (0..messages)
        .map(|i| {
            let role = if i.is_multiple_of(2) { "user" } else { "assistant" };
            json!({"role": role, "content": format!("step {i}: {}", "some talk ".repeat(tokens / 2))})
        })
        .collect()
}

async fn append(app: &App, messages: &[Value]) -> Value {
    append_with(app, json!({"messages": messages})).await
}

async fn append_with(app: &App, body: Value) -> Value {
    let reply = app.call("POST", &format!("{SESSION}/messages"), body.to_string()).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    reply.json()
}

async fn get(app: &App, path: &str) -> Value {
    app.call("GET", &format!("{SESSION}{path}"), "").await.json()
}

/// How the session's compressions stand, newest first.
async fn statuses(app: &App) -> Vec<String> {
    let listed = get(app, "/compressions").await;
    let items = listed["items"].as_array().expect("a list").iter();
    items.map(|item| item["status"].as_str().expect("a status").to_owned()).collect()
}

async fn kept(app: &App) -> i64 {
    number(&mut app.database.connect().await, "select count(*) from prepared_versions").await
}

#[tokio::test]
async fn what_was_prepared_is_published_by_the_append_that_reaches_the_compress_level() {
    let app = prepared().await;
    let found = get(&app, "/compressions").await["items"][0].clone();
    assert_eq!(
        (&found["version"], &found["finished_at"], &found["through_seq"]),
        (&Value::Null, &Value::Null, &json!(15))
    );
    assert_eq!(found["trigger"], "utilization");
    assert_eq!(app.call("GET", &format!("{SESSION}/summary"), "").await.status, 404, "it is no version yet");
    let before = get(&app, "/context").await;
    assert_eq!(before["summary_version"], Value::Null);

    // Below the compress level it simply waits, and nothing else is made.
    let reply = append(&app, &talk(2, 100)).await;
    assert_eq!((&reply["decision"]["action"], &reply["compression"]), (&json!("warn"), &Value::Null));
    app.work().await;
    assert_eq!(statuses(&app).await, ["prepared"]);

    let reply = append(&app, &talk(2, 400)).await;
    assert_eq!(reply["decision"]["action"], "compress", "{reply}");
    assert_eq!(reply["compression"], json!({"id": found["id"], "status": "succeeded"}));
    let used = reply["usage"]["effective_utilization"].as_f64().expect("a share");
    assert!(used <= 0.55, "{reply}");

    // Nothing has run since: the version is there.
    let ended = get(&app, "/compressions").await["items"][0].clone();
    assert_eq!((&ended["status"], &ended["version"]), (&json!("succeeded"), &json!(1)));
    // The messages that needed it came on top of it.
    let after = ended["context_tokens_after"].as_u64().zip(reply["tokens_added"].as_u64());
    assert_eq!(after.map(|(after, added)| after + added), reply["usage"]["context_tokens"].as_u64());
    assert_eq!(ended["target_met"], true);
    assert!(ended["finished_at"].is_string());
    let context = get(&app, "/context").await;
    assert_eq!(
        (&context["summary_version"], &context["anchor_seq"], &context["head_seq"]),
        (&json!(1), &json!(15), &json!(24))
    );
    let sources: Vec<i64> =
        context["sources"].as_array().expect("a list").iter().filter_map(|seqs| seqs[0].as_i64()).collect();
    assert!((16..=24).all(|seq| sources.contains(&seq)), "what came meanwhile lies in the tail: {sources:?}");
    assert_eq!(get(&app, "/evaluations").await["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(kept(&app).await, 0);
    let before = get(&app, "").await;
    assert_eq!(before["compression_count"], 1);

    // The next round prepares anew, on the new version.
    let reply = append(&app, &talk(6, 240)).await;
    app.work().await;
    assert_eq!(statuses(&app).await, ["prepared", "succeeded"], "{reply}");
}

#[tokio::test]
async fn the_counts_after_a_publication_are_those_of_a_session_counted_afresh() {
    let app = prepared().await;
    let reply = append(&app, &talk(2, 700)).await;
    let context = get(&app, "/context").await;
    let served = context["tokens"]["total"].as_i64().expect("a count");
    let counted = reply["usage"]["context_tokens"].as_i64().expect("a count");
    assert!((served - counted).abs() <= served / 50, "{counted} {served}");
    let session = get(&app, "").await;
    assert_eq!(session["usage"]["context_tokens"], reply["usage"]["context_tokens"], "{session}");
}

#[tokio::test]
async fn a_retried_append_answers_with_the_same_publication() {
    let app = prepared().await;
    let body = json!({"messages": talk(2, 700)}).to_string();
    let path = format!("{SESSION}/messages");
    let first = app.call_with("POST", &path, body.clone(), &[("idempotency-key", "k")]).await;
    let again = app.call_with("POST", &path, body, &[("idempotency-key", "k")]).await;
    assert_eq!(first.json()["compression"]["status"], "succeeded", "{}", first.text);
    assert_eq!(first.text, again.text);
}

#[tokio::test]
async fn a_preparation_that_is_still_at_work_at_the_compress_level_is_published_when_it_is_done() {
    let app = warned().await;
    let reply = append(&app, &talk(2, 700)).await;
    assert_eq!(reply["decision"]["action"], "compress", "{reply}");
    assert_eq!(reply["compression"]["status"], "queued");
    app.work().await;
    assert_eq!(statuses(&app).await, ["succeeded"]);
}

#[tokio::test]
async fn one_that_is_needed_while_its_worker_runs_is_not_left_waiting() {
    let app = warned().await;
    let job = loop {
        let job = app.store.claim(7, 60.0, 8, 1).await.unwrap().pop().expect("a job");
        if job.kind == Kind::Compress {
            break job;
        }
    };
    assert!(job.request.ahead);
    append(&app, &talk(2, 700)).await;
    // The worker dies; whoever takes over finds that it is needed now.
    assert_eq!(bury_dead_workers(&app.store).await, 1);
    app.work().await;
    assert_eq!(statuses(&app).await, ["succeeded"]);
}

#[tokio::test]
async fn a_worker_that_dies_over_a_preparation_leaves_it_to_another() {
    let app = warned().await;
    let first = app.store.claim(7, 60.0, 8, 1).await.unwrap().pop().expect("a job");
    assert_eq!(bury_dead_workers(&app.store).await, 1);
    app.work().await;
    let found = get(&app, &format!("/compressions/{}", first.id)).await;
    assert_eq!((&found["status"], &found["attempts"]), (&json!("prepared"), &json!(2)));
    assert_eq!(append(&app, &talk(2, 700)).await["compression"]["status"], "succeeded");
}

#[rstest]
#[case::pins("PUT", "/pins", json!({"pins": ["Never touch the schema."]}))]
#[case::settings("PATCH", "", json!({"max_summary_tokens": 900}))]
#[tokio::test]
async fn other_pins_and_settings_end_it_and_it_is_prepared_anew(
    #[case] method: &str,
    #[case] path: &str,
    #[case] body: Value,
) {
    let app = prepared().await;
    let changed = app.call(method, &format!("{SESSION}{path}"), body.to_string()).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(statuses(&app).await, ["superseded"]);
    assert_eq!(kept(&app).await, 0);
    let reply = append(&app, &talk(2, 50)).await;
    assert_eq!(reply["compression"]["status"], "queued", "{reply}");
    app.work().await;
    assert_eq!(statuses(&app).await, ["prepared", "superseded"]);
    assert_eq!(append(&app, &talk(2, 600)).await["compression"]["status"], "succeeded");
    let summary = get(&app, "/summary").await;
    assert!(method != "PUT" || path != "/pins" || summary["constraints"].to_string().contains("schema"));
}

#[tokio::test]
async fn pins_of_the_whole_tenant_end_it_too() {
    let app = prepared().await;
    let pins = json!({"pins": ["Never touch the schema."]}).to_string();
    assert_eq!(app.call("PUT", "/v1/pins", pins).await.status, 200);
    let reply = append(&app, &talk(2, 50)).await;
    assert_eq!(reply["compression"]["status"], "queued", "{reply}");
    app.work().await;
    assert_eq!(statuses(&app).await, ["prepared", "superseded"]);
    assert_eq!(append(&app, &talk(2, 600)).await["compression"]["status"], "succeeded");
    assert!(get(&app, "/summary").await["constraints"].to_string().contains("schema"));
}

/// What waits on one branch is stale when the session's settings change by another.
#[tokio::test]
async fn settings_that_change_on_another_branch_end_it_too() {
    let app = session(&json!({"context_window": WINDOW, "speculative": true})).await;
    let forked = app.call("POST", &format!("{SESSION}/branches"), r#"{"seq": 0, "switch": true}"#).await;
    assert_eq!(forked.status, 201, "{}", forked.text);
    append(&app, &talk(20, 240)).await;
    app.work().await;
    assert_eq!(statuses(&app).await, ["prepared"]);
    let changed = app.call("PATCH", &format!("{SESSION}?branch=main"), r#"{"fill": 0.3}"#).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let reply = append(&app, &talk(2, 50)).await;
    assert_eq!(reply["compression"]["status"], "queued", "{reply}");
    app.work().await;
    assert_eq!(statuses(&app).await, ["prepared", "superseded"]);
    assert_eq!(append(&app, &talk(2, 600)).await["compression"]["status"], "succeeded");
}

#[tokio::test]
async fn pins_that_change_while_it_is_made_end_it_too() {
    let app = warned().await;
    let job = app.store.claim(7, 60.0, 8, 1).await.unwrap().pop().expect("a job");
    let base = app.store.load_base((job.tenant, job.session), None).await.unwrap().expect("a session").0;
    assert_eq!(base.session.served_revision(), 1);
    let pins = json!({"pins": ["Never touch the schema."]}).to_string();
    assert_eq!(app.call("PUT", &format!("{SESSION}/pins"), pins).await.status, 200);
    let span = anchord_session::compression::Span { parent_version: None, from_seq: 1, through_seq: 15 };
    let settled = app.store.settle(&job, Some(span), made(1)).await.unwrap();
    assert_eq!(
        settled,
        anchord_store::settle::SettleOutcome::As(anchord_session::compression::Status::Superseded)
    );
    assert_eq!((statuses(&app).await, kept(&app).await), (vec!["superseded".to_owned()], 0));
}

/// What a worker made under revision 1.
fn made(version: i64) -> anchord_store::settle::Settlement {
    let version = anchord_store::settle::NewVersion {
        version,
        meta: to_raw_value(&json!({})).expect("JSON"),
        record: Parts::default().write(&Summary::default(), version).expect("JSON").0,
        carry: to_raw_value(&json!({})).expect("JSON"),
        rendering: ("summary".to_owned(), 3),
        least: ("s".to_owned(), 1),
        digest: None,
        recap: String::new(),
        todos: None,
        ledger: Vec::new(),
    };
    anchord_store::settle::Settlement {
        status: anchord_session::compression::Status::Succeeded,
        report: anchord_session::compression::Report::default(),
        version: Some(version),
        evaluation: None,
        retry_tokens: 0,
        revision: 1,
    }
}

#[tokio::test]
async fn a_manual_compression_takes_its_place() {
    let app = prepared().await;
    let asked = app.call("POST", &format!("{SESSION}/compressions"), "").await;
    assert_eq!(asked.status, 202, "{}", asked.text);
    assert_eq!(statuses(&app).await, ["queued", "superseded"]);
    // The append that reaches the level meets the manual one and not what was prepared.
    let reply = append(&app, &talk(2, 700)).await;
    assert_eq!(reply["compression"]["status"], "queued");
    app.work().await;
    assert_eq!(statuses(&app).await, ["succeeded", "superseded"]);
    assert_eq!(get(&app, "/summary").await["through_seq"], 17);
}

#[tokio::test]
async fn a_manual_compression_makes_a_preparation_at_work_its_own_or_ends_it() {
    let app = warned().await;
    let asked = app.call("POST", &format!("{SESSION}/compressions"), "").await;
    assert_eq!(asked.status, 202, "{}", asked.text);
    app.work().await;
    assert_eq!(statuses(&app).await, ["succeeded"], "the same work is not done twice");

    let app = warned().await;
    let body = json!({"preserve_recent": 3, "through_seq": 17}).to_string();
    let asked = app.call("POST", &format!("{SESSION}/compressions"), body).await;
    assert_eq!(asked.status, 202, "{}", asked.text);
    app.work().await;
    assert_eq!(statuses(&app).await, ["succeeded", "superseded"]);
    assert_eq!(get(&app, "/summary").await["through_seq"], 17);
}

#[tokio::test]
async fn a_rollback_ends_it_and_prepares_nothing() {
    let app = prepared().await;
    append(&app, &talk(2, 400)).await;
    append(&app, &talk(6, 240)).await;
    app.work().await;
    assert_eq!(statuses(&app).await, ["prepared", "succeeded"]);
    let back = app.call("POST", &format!("{SESSION}/summaries/1/rollback"), "").await;
    assert_eq!(back.status, 201, "{}", back.text);
    assert_eq!(statuses(&app).await, ["superseded", "succeeded"]);
    let reply = append(&app, &talk(2, 400)).await;
    assert_eq!(reply["compression"], Value::Null, "a rollback suspends what is automatic: {reply}");
    assert_eq!(get(&app, "").await["summary_version"], 2);
}

#[tokio::test]
async fn a_probe_that_it_was_not_asked_keeps_it_from_being_published() {
    let app = prepared().await;
    let probe = json!({"kind": "recall", "question": "What is the port?", "expected": ["8080"]});
    let added = app.call("POST", &format!("{SESSION}/probes"), probe.to_string()).await;
    assert_eq!(added.status, 201, "{}", added.text);
    let reply = append(&app, &talk(2, 700)).await;
    assert_eq!(reply["compression"]["status"], "queued", "{reply}");
    assert_eq!(statuses(&app).await, ["queued", "superseded"]);
}

#[tokio::test]
async fn one_that_does_not_bring_the_context_to_its_target_gives_way_to_another() {
    let app = prepared().await;
    // More than half of the window has come since.
    let reply = append(&app, &talk(2, 2_200)).await;
    assert_eq!(reply["decision"]["action"], "immediate", "{reply}");
    assert_eq!(reply["compression"]["status"], "queued");
    assert_eq!(statuses(&app).await, ["queued", "superseded"]);
    app.work().await;
    assert_eq!(statuses(&app).await.first().map(String::as_str), Some("succeeded"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_whose_session_is_locked_when_it_is_needed_holds_up_nobody_else() {
    let app = prepared().await;
    let mut holder = app.database.connect().await;
    sqlx::raw_sql("begin; select from sessions where name = 's' for update")
        .execute(&mut holder)
        .await
        .expect("a lock");
    let messages = talk(2, 400);
    let (reply, ()) = futures::join!(append(&app, &messages), async {
        for n in 0..10 {
            let body = json!({"messages": [{"role": "user", "content": "x"}]}).to_string();
            let other = app.call("POST", &format!("/v1/sessions/other-{n}/messages"), body).await;
            assert_eq!(other.status, 201, "{}", other.text);
        }
        sqlx::raw_sql("rollback").execute(&mut holder).await.expect("a rollback");
    });
    assert_eq!(reply["compression"]["status"], "succeeded", "{reply}");
}

/// An append of another session that the database refuses, in the same transaction: each is tried again apart.
#[tokio::test]
async fn an_append_whose_commit_is_tried_again_still_reports_what_was_published_for_it() {
    let app = prepared().await;
    let found = get(&app, "/compressions").await["items"][0]["id"].clone();
    let mut holder = app.database.connect().await;
    sqlx::raw_sql(
        "create sequence refusals;
         grant usage on sequence refusals to public;
         create function refuse() returns trigger language plpgsql as
           $$ begin perform nextval('refusals'); raise exception 'refused'; end $$;
         create trigger refuse before insert on messages for each row
           when (new.body::text like '%refuse this%') execute function refuse();",
    )
    .execute(&mut holder)
    .await
    .expect("a trigger");
    // The first transaction waits, so that those behind it share the next one.
    sqlx::raw_sql("begin; lock table sessions").execute(&mut holder).await.expect("a lock");
    let one = |session: &str, text: &str| {
        let body = json!({"messages": [{"role": "user", "content": text}]}).to_string();
        let path = format!("/v1/sessions/{session}/messages");
        let app = &app;
        async move { app.call("POST", &path, body).await }
    };
    let mut look = app.database.connect().await;
    let waiting = "select count(*) from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0";
    let messages = talk(2, 400);
    let (first, refused, reply, ()) = futures::join!(
        one("first", "x"),
        async {
            until("a first transaction", async || (number(&mut look, waiting).await > 0).then_some(())).await;
            one("refused", "refuse this").await
        },
        async {
            let mut look = app.database.connect().await;
            until("a first transaction", async || (number(&mut look, waiting).await > 0).then_some(())).await;
            append(&app, &messages).await
        },
        async {
            let mut look = app.database.connect().await;
            until("a first transaction", async || (number(&mut look, waiting).await > 0).then_some(())).await;
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            sqlx::raw_sql("rollback").execute(&mut holder).await.expect("a rollback");
        }
    );
    assert_eq!((first.status.as_u16(), refused.status.as_u16()), (201, 500), "{}", refused.text);
    // Together and then apart, so that the other one was tried again, too.
    assert_eq!(number(&mut look, "select last_value from refusals").await, 2);
    assert_eq!(reply["compression"], json!({"id": found, "status": "succeeded"}), "{reply}");
    assert_eq!(reply["decision"]["action"], "compress", "{reply}");
}

#[tokio::test]
async fn a_cancelled_one_is_gone_and_not_made_again() {
    let app = prepared().await;
    let id = get(&app, "/compressions").await["items"][0]["id"].as_str().expect("an id").to_owned();
    let path = format!("{SESSION}/compressions/{id}");
    assert_eq!(app.call("DELETE", &path, "").await.json()["status"], "cancelled");
    assert_eq!(kept(&app).await, 0);
    assert_eq!(append(&app, &talk(2, 50)).await["compression"], Value::Null);
    assert_eq!(append(&app, &talk(2, 600)).await["compression"]["status"], "queued");
    assert_eq!(statuses(&app).await, ["queued", "cancelled"]);
}

#[tokio::test]
async fn one_that_cannot_be_read_back_costs_no_append() {
    let app = prepared().await;
    sqlx::raw_sql("update prepared_versions set candidate = '{}'")
        .execute(&mut app.database.connect().await)
        .await
        .expect("an update");
    let reply = append(&app, &talk(2, 700)).await;
    assert_eq!(reply["compression"]["status"], "queued", "{reply}");
    assert_eq!(statuses(&app).await, ["queued", "superseded"]);
    app.work().await;
    assert_eq!(statuses(&app).await, ["succeeded", "superseded"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_appends_around_the_level_publish_it_once() {
    let app = prepared().await;
    let bodies: Vec<Vec<Value>> = (0..64).map(|_| talk(2, 4)).collect();
    let replies = join_all(bodies.iter().map(|messages| append(&app, messages))).await;
    let ended = |reply: &&Value| reply["compression"]["status"] == "succeeded";
    let published: BTreeSet<&str> =
        replies.iter().filter(ended).filter_map(|reply| reply["compression"]["id"].as_str()).collect();
    assert_eq!(published.len(), 1, "{:?}", replies.iter().map(|r| &r["compression"]).collect::<Vec<_>>());
    assert_eq!(get(&app, "").await["compression_count"], 1);
    assert_eq!(statuses(&app).await.iter().filter(|status| *status == "succeeded").count(), 1);
    let seqs: BTreeSet<i64> = replies.iter().filter_map(|reply| reply["first_seq"].as_i64()).collect();
    assert_eq!(seqs.len(), 64);
    assert_eq!(get(&app, "").await["next_seq"], 149);
}

#[tokio::test]
async fn it_is_its_tenants_alone_and_goes_with_the_session() {
    let app = prepared().await;
    let body = json!({"messages": talk(2, 700)}).to_string();
    let reply = app.call_as(THEIRS, "POST", &format!("{SESSION}/messages"), body).await;
    assert_eq!((reply.status.as_u16(), &reply.json()["compression"]), (201, &Value::Null));
    assert_eq!((statuses(&app).await, kept(&app).await), (vec!["prepared".to_owned()], 1));
    assert_eq!(app.call("DELETE", SESSION, "").await.status, 204);
    assert_eq!(kept(&app).await, 0);
}

#[tokio::test]
async fn without_the_setting_nothing_is_prepared() {
    let app = session(&json!({"context_window": WINDOW})).await;
    let reply = append(&app, &talk(20, 240)).await;
    assert_eq!((&reply["decision"]["action"], &reply["compression"]), (&json!("warn"), &Value::Null));
}

/// The least number of compressions that so many tokens need, by the thresholds.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a few compressions")]
fn least(appended: u64) -> i64 {
    let window = f64::from(WINDOW) * 0.8;
    ((appended as f64 - 0.7 * window) / (0.2 * window)).ceil() as i64
}

#[tokio::test]
async fn it_never_thrashes() {
    for speculative in [true, false] {
        let app = session(&json!({"context_window": WINDOW, "speculative": speculative})).await;
        let mut appended = 0;
        for round in 0..90 {
            let reply = append(&app, &talk(2, 150 + round % 7 * 30)).await;
            appended += reply["tokens_added"].as_u64().expect("a count");
            app.work().await;
        }
        let mut look = app.database.connect().await;
        let made = number(&mut look, "select count(*) from compressions where kind = 'compress'").await;
        let published = number(&mut look, "select count(*) from summaries").await;
        assert!(published >= 3, "{published} of {made}, {appended} tokens");
        assert!(2 * made <= 3 * least(appended), "{made} made, {} needed", least(appended));
        let wasted = "select count(*) from compressions where status not in ('succeeded', 'prepared') and kind = 'compress'";
        assert_eq!(number(&mut look, wasted).await, 0);
    }
}
