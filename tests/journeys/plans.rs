//! Every statement that a request or a job waits for finds its rows by an index, whatever else the tables hold:
//! with statistics, without them, and with plans that were made while the tables were empty.
//!
//! The statements are those that the service sends, as the role that it works as; the server tells its plans.

use std::collections::BTreeMap;

use anchord_messages::id::{SessionName, SessionRef};
use anchord_session::compression::Request;
use anchord_store::compressions::{Kind, NewJob, enqueue};
use anchord_store::events::Following;
use anchord_worker::janitor;
use serde_json::{Value, json};

use crate::support;
use crate::support::app::{App, app_on};
use crate::support::plans::{Planned, Plans, pages, rows_seen, run, stop_analysing, tell_plans};
use crate::support::receiver::{Answer, Receiver};

/// Tables that may be read whole, with the reason.
const SMALL: [&str; 2] = [
    "tenants",     // one row per customer of the installation
    "pg_database", // the server's own: one row per database
];

/// Statements whose filters may be absent, so that no one plan suits all calls: the server makes one for the
/// parameters of each.
const OWN_PLANS: &[&str] =
    &["and ($2::text is null or s.task_id = $2) and ($3::text is null or s.parent_session_id = $3)"];

/// Pages of a tenant's lists, for people to look at. Without statistics a tenant counts as few rows, and those are
/// sorted; the server has statistics within a minute of the first rows.
const LISTS: &[&str] = &[
    OWN_PLANS[0],
    "from audit_events where tenant_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3",
];

/// Rows that one part of a statement may look at: more than any session of this test has of a kind, far less
/// than the tables hold.
const MOST_ROWS: f64 = 400.0;
/// Counts along an index up to a bound: a few rows in a request, and more in the background only.
const COUNTS: [&str; 2] =
    ["(select from sessions where tenant_id", "(select from idempotency_keys where tenant_id"];
/// Pages that a look into an index may touch, beside some for each row and each look.
const MOST_PAGES: f64 = 24.0;

/// Probes of earlier spans that a compression is asked, at most, with some room.
const CARRIED: f64 = 32.0 + 4.0;

/// Statements that must be among those that were looked at: what they are for and a part of their text.
const HOT: [(&str, &str); 58] = [
    ("authentication", "from api_keys k join tenants t on t.id = k.tenant_id where k.digest = $1"),
    ("authentication: use", "update api_keys k set last_used_at = now()"),
    ("append: read the sessions", "coalesce(named.current_id, named.id)"),
    ("append: look for replies", "as u(tenant, route, key, place)"),
    ("append: look for messages", "as u(tenant, session_id, after, place)"),
    ("append: write", "with wanted as materialized"),
    ("append: write messages of known sessions", "with held as materialized"),
    ("idempotency of other routes", "select body_digest, status, reply, headers::text"),
    ("context: its texts", "select x.context_revision from sessions x"),
    ("context: how much of the tail", "select min(w.seq) as seq"),
    ("session by name", "find_session($1, $2, $3)"),
    ("messages page", "tokens, created_at, maskable as \"maskable!\""),
    ("tool output", "from tool_outputs x where x.tenant_id = $1"),
    ("recall: session", "s.indexed_seq, s.head_seq, s.anchor_seq, case when s.root_id is null"),
    ("recall: parts of the index", "from index_lineage($1, $2)"),
    ("recall: postings", "from recall_postings x where x.tenant_id = $1 and x.session_id = part.session_id"),
    (
        "recall: postings that wait",
        "from recall_pending x where x.tenant_id = $1 and x.session_id = part.session_id",
    ),
    ("recall: texts", "unnest($3::bigint[]) with ordinality as wanted (seq, place)"),
    ("index: the session", "select indexed_seq, head_seq from sessions"),
    ("index: write", "insert into recall_pending (tenant_id"),
    ("index: how many wait", "from recall_pending where tenant_id = $1"),
    ("index: buckets", "insert into recall_postings as old"),
    ("ledger", "from ledger_entries x where x.tenant_id = $1"),
    ("events: read", "from events x where x.tenant_id = s.tenant_id"),
    ("events: read across switches", "lateral follow_events(s.tenant_id, s.id, $3, $4)"),
    ("events: those of a branch", "e.session_id = v_id and e.id > v_after"),
    ("events: the next switch", "e.kind = 'session.branch_switched' and e.id > v_after"),
    ("events: newest", "select newest_event($1, $2)"),
    ("events: write", "(extract(epoch from clock_timestamp()) * 1000000)::bigint"),
    ("enqueue", "values ($1, $2, $3, $4, 'queued', $5, $6, $8)"),
    ("enqueue: the live one", "and status in ('queued', 'running')"),
    ("claim: leases that ran out", "o.status = 'running' and o.lease_until < now()"),
    ("claim: tenants that wait", "with recursive waiting (tenant_id) as"),
    ("claim: the oldest", "and c.status = 'queued' and c.due_at <= now() order by c.due_at limit $4"),
    ("claim: take", "update compressions c set status = 'running'"),
    ("heartbeat", "update compressions set lease_until = now() + make_interval"),
    ("requeue", "update compressions set status = 'queued'"),
    ("presence: the dead", "count(*) filter (where is_dead)"),
    ("base: the version", "rendering_tokens + coalesce(digest_tokens, 0) as \"served_tokens!\""),
    ("base: parts of the record", "from unnest(p_parts) with ordinality as named"),
    ("base: probes", "and (source = 'caller' or is_critical)"),
    ("span", "from lineage($1, $2, $3, $4) owner"),
    ("fix the span", "update compressions c set parent_version = $4"),
    ("settle: look", "for no key update of s skip locked"),
    ("settle: version", "insert into summaries"),
    ("settle: parts of its record", "insert into record_parts (tenant_id"),
    ("settle: ledger", "insert into ledger_entries"),
    ("settle: probes", "insert into probes (tenant_id, session_id, id, source, version, probe) select $1"),
    (
        "settle: earlier probes",
        "insert into probes (tenant_id, session_id, id, source, version, retired_in_version",
    ),
    ("settle: session", "compression_count = s.compression_count + case"),
    ("settle: the job", "set status = $5, version = $6"),
    ("evaluation: end", "update compressions set status = $4, version = $5"),
    ("webhooks: claim", "with recursive waiting (tenant_id, webhook_id) as"),
    ("webhooks: choose", "from webhook_deliveries r where r.leased_until > now()"),
    ("webhooks: settle", "update webhook_deliveries d set status = word.status"),
    ("usage: sessions", "insert into usage_by_session as old"),
    ("usage: days", "insert into usage_by_day as old"),
    ("metrics", "group by live.kind, live.status"),
];

/// A step of a test's session: what was answered is as good as any.
async fn call(app: &App, method: &str, path: &str, body: Value) -> Value {
    call_with(app, method, path, body, &[]).await
}

async fn call_with(app: &App, method: &str, path: &str, body: Value, headers: &[(&str, &str)]) -> Value {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = app.call_with(method, path, body, headers).await;
    assert!(answer.status.is_success(), "{method} {path}: {} {}", answer.status, answer.text);
    answer.json()
}

/// A turn with a command whose output comes again and again.
fn turn(n: usize) -> Vec<Value> {
    let output = (0..60)
        .fold(String::new(), |text, line| text + format!("line {line} of the listing, as it was\n").as_str());
    let call = json!({"id": format!("c{n}"), "type": "function",
                      "function": {"name": "bash", "arguments": r#"{"command":"cargo test --lib"}"#}});
    vec![
        json!({"role": "user", "content": format!("step {n}: change src/part{n}.rs, never touch Cargo.lock")}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": format!("c{n}"), "content": output}),
        json!({"role": "assistant", "content": format!("I decided on way {n}, for it is short. {}", "so ".repeat(120))}),
    ]
}

/// Does with a session whatever sessions are there for.
async fn live(app: &App, name: &str) {
    let session = format!("/v1/sessions/{name}");
    let settings = json!({"context_window": 4_000, "task_id": format!("task-of-{name}")});
    call_with(app, "PUT", &session, settings, &[("idempotency-key", &format!("put-{name}"))]).await;
    for n in 0..8 {
        let key = format!("{name}-{n}");
        let body = json!({"messages": turn(n)});
        let messages = format!("{session}/messages");
        call_with(app, "POST", &messages, body.clone(), &[("idempotency-key", &key)]).await;
        call_with(app, "POST", &messages, body, &[("idempotency-key", &key)]).await;
        call(app, "GET", &format!("{session}/context"), Value::Null).await;
        call(app, "GET", &format!("{session}/context"), Value::Null).await;
        call(app, "GET", &format!("{session}/recall?q=which+part+of+the+listing"), Value::Null).await;
        if n % 2 == 1 {
            app.work().await;
        }
    }
    // A first append makes its session.
    let other = format!("/v1/sessions/{name}-more");
    call(app, "POST", &format!("{other}/messages"), json!({"messages": turn(0)})).await;
    for n in 1..12 {
        let body = json!({"messages": turn(n), "marks": [{"index": 2, "keep": "never"}]});
        call(app, "POST", &format!("{other}/messages"), body).await;
    }
    for path in [
        "/context?max_input_tokens=600", "/context?max_input_tokens=600", "/messages?limit=10",
        "/messages?from_seq=3&to_seq=9",
    ] {
        call(app, "GET", &format!("{other}{path}"), Value::Null).await;
    }
    let context = call(app, "GET", &format!("{other}/context?max_input_tokens=2000"), Value::Null).await;
    let reference = context["masked"][0]["ref"].as_str().map(ToOwned::to_owned);
    let reference = reference.unwrap_or_else(|| panic!("nothing is masked: {context}"));
    app.call("GET", &format!("{other}/tool-outputs/{reference}"), "").await;
    for path in [
        "", "/recall?q=listing", "/ledger", "/summary", "/summaries", "/summaries/1", "/probes",
        "/evaluations", "/compressions", "/state", "/todos", "/pins", "/notes", "/messages",
    ] {
        app.call("GET", &format!("{session}{path}"), "").await;
    }
    // A compression that finds nothing to cover.
    let short = format!("/v1/sessions/{name}-short");
    call(app, "POST", &format!("{short}/messages"), json!({"messages": turn(0)})).await;
    call(app, "POST", &format!("{short}/compressions"), json!({"target": 0.5})).await;
    app.work().await;
    // So many that their postings wait for no others.
    let large = format!("/v1/sessions/{name}-large");
    for _ in 0..2 {
        let talk: Vec<Value> =
            (0..80).map(|n| json!({"role": "user", "content": format!("part {n}")})).collect();
        call(app, "POST", &format!("{large}/messages"), json!({"messages": talk})).await;
    }
    call(app, "POST", &format!("{large}/compressions"), json!({"target": 0.5})).await;
    app.work().await;
    // More often than the server looks before it settles on one plan for all parameters.
    for path in ["", "&task_id=task-1", "&parent_session_id=parent-1"].iter().cycle().take(18) {
        call(app, "GET", &format!("/v1/sessions?limit=5{path}"), Value::Null).await;
    }
    let pins = json!({"pins": ["keep Cargo.lock"]});
    call(app, "PUT", &format!("{session}/pins"), pins).await;
    for text in ["the parser is done", "the lexer is not"] {
        let note = json!({"arguments": {"text": text}});
        call(app, "POST", &format!("{session}/tools/note"), note).await;
    }
    let note = json!({"arguments": {"id": "n2"}});
    call(app, "POST", &format!("{session}/tools/note"), note).await;
    let todos = json!({"items": [{"id": "t", "text": "change src/part1.rs", "status": "pending"}]});
    app.call("PUT", &format!("{session}/todos"), todos.to_string()).await;
    app.call("POST", &format!("{session}/evaluations"), "{}").await;
    let compressions = format!("{session}/compressions");
    for _ in 0..2 {
        let key = format!("compress-{name}");
        call_with(app, "POST", &compressions, json!({"target": 0.5}), &[("idempotency-key", &key)]).await;
    }
    app.work().await;
    app.call("POST", &format!("{session}/summaries/1/rollback"), "").await;
    look_at_the_tenant(app, name).await;
}

/// Reads what a tenant has beside sessions.
async fn look_at_the_tenant(app: &App, name: &str) {
    for path in ["/v1/keys", "/v1/webhooks", "/v1/audit", "/v1/pins", "/v1/settings"] {
        call(app, "GET", path, Value::Null).await;
    }
    let webhooks = call(app, "GET", "/v1/webhooks", Value::Null).await;
    for webhook in webhooks["items"].as_array().into_iter().flatten().take(1) {
        call(
            app,
            "GET",
            &format!("/v1/webhooks/{}/deliveries", webhook["id"].as_str().unwrap()),
            Value::Null,
        )
        .await;
    }
    call(app, "GET", &format!("/v1/tasks/task-of-{name}"), Value::Null).await;
    call(app, "GET", "/v1/usage", Value::Null).await;
}

/// Does what processes do beside requests.
async fn keep_house(app: &App, name: &str) {
    let parsed = SessionRef::from(SessionName::parse(name).unwrap());
    let session = app.store.find_session(app.tenant, &parsed).await.unwrap().unwrap();
    for following in [Following::Session(session.root), Following::Branch(session.id)] {
        app.store.list_events(app.tenant, following, 0, 100).await.unwrap();
        app.store.newest_event(app.tenant, following).await.unwrap();
    }
    // Anything that waits goes first, so that the next claim is of this session's job.
    app.work().await;
    let mut tx = app.store.begin(app.tenant).await.unwrap();
    let request = Request::default();
    for _ in 0..2 {
        let job = NewJob { kind: Kind::Compress, trigger: "manual", request: &request };
        enqueue(&mut tx, session.id.of(app.tenant), job).await.unwrap();
    }
    tx.commit().await.unwrap();
    let job = app.store.claim(7, 30.0, 8, 1).await.unwrap().pop().expect("a job");
    assert!(app.store.heartbeat(&job, 30.0).await.unwrap());
    assert!(app.store.requeue(&job, 0.0).await.unwrap());
    app.store.hold_presence(8).await.unwrap().look_after_workers().await.unwrap();
    app.store.queue_state().await.unwrap();
    app.work().await;
    app.deliver().await;
    app.store.oldest_due_delivery().await.unwrap();
    app.store.flush_usage(None).await.unwrap();
    app.store.note_used_keys().await.unwrap();
    janitor::round(&app.store, &app.stop).await.unwrap();
}

async fn end(app: &App, name: &str) {
    call(app, "DELETE", &format!("/v1/sessions/{name}"), Value::Null).await;
}

/// What is wrong with how a statement finds its rows.
fn faults(statement: &Planned) -> Vec<String> {
    let mut faults = Vec::new();
    for node in statement.nodes() {
        let (kind, relation) = (&node["Node Type"], node["Relation Name"].as_str().unwrap_or_default());
        let kind = kind.as_str().unwrap_or_default();
        let index = node["Index Name"].as_str().unwrap_or_default();
        // The driver looks a type of the schema up once per connection.
        let is_catalog = relation.starts_with("pg_");
        if !kind.ends_with("Scan")
            || is_catalog
            || SMALL.contains(&relation)
            || (relation.is_empty() && index.is_empty())
        {
            continue;
        }
        let seen = rows_seen(node);
        let looks = node["Actual Loops"].as_f64().unwrap_or_default();
        if kind == "Seq Scan" {
            faults.push(format!("reads all of {relation}"));
        } else if seen > MOST_ROWS {
            faults.push(format!("{kind} of {relation} by {index} looks at {seen} rows"));
        } else if pages(node) > MOST_PAGES + 8.0 * looks + 4.0 * seen {
            let pages = pages(node);
            faults.push(format!("{kind} of {relation} by {index} touches {pages} pages for {seen} rows"));
        }
    }
    faults
}

/// Fails on a statement that does not find its rows by an index, and on a hot one that was not among them.
fn judge(statements: &[Planned], excepted: &[&str]) {
    let is_excepted =
        |statement: &&Planned| COUNTS.iter().chain(excepted).any(|part| statement.text.contains(part));
    let mut wrong: Vec<String> = statements
        .iter()
        .filter(|statement| !is_excepted(statement))
        .flat_map(|statement| {
            let text: String = statement.text.chars().take(300).collect();
            faults(statement).into_iter().map(move |fault| format!("{fault}: {text}"))
        })
        .collect();
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let is_seen = |part: &str| statements.iter().any(|statement| statement.text.contains(part));
    let unseen: Vec<&str> = HOT.iter().filter(|(_, part)| !is_seen(part)).map(|(name, _)| *name).collect();
    assert!(unseen.is_empty(), "no plan was told of: {unseen:?}");
}

struct Ready {
    app: App,
    plans: Plans,
    receiver: Receiver,
}

async fn ready(generic: bool) -> Ready {
    let database = support::database().await;
    stop_analysing(&database).await;
    tell_plans(&database, generic).await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    let plans = Plans::listen();
    let app = app_on(database).await;
    let ready = Ready { app, plans, receiver };
    ready.webhook().await;
    ready
}

impl Ready {
    async fn webhook(&self) {
        call(&self.app, "POST", "/v1/webhooks", json!({"url": self.receiver.url})).await;
    }

    /// Fills the tables with what other sessions and tenants have.
    async fn fill(&self) {
        let mut superuser = self.app.database.connect_as_superuser().await;
        run(&mut superuser, "set auto_explain.log_min_duration = -1").await.unwrap();
        run(&mut superuser, include_str!("../fixtures/many_rows.sql")).await.unwrap();
    }

    async fn analyse(&self) {
        run(&mut self.app.database.connect_as_superuser().await, "analyze").await.unwrap();
    }

    async fn live(&self, name: &str) -> Vec<Planned> {
        self.plans.take();
        // The key of the others was looked up a moment ago, and may still be remembered.
        let stranger = format!("stranger-{name:x<43}");
        self.app.call_as(&stranger, "GET", "/v1/sessions/s", "").await.with(401);
        // So may the use of ours have been noted: one that nobody has used yet is looked up and noted.
        let made = self.app.call("POST", "/v1/keys", r#"{"scopes": ["read"]}"#).await.json();
        let key = made["key"].as_str().expect("a key");
        assert_eq!(self.app.call_as(key, "GET", "/v1/sessions", "").await.status, 200);
        // Boxed: what they hold over their waits is large.
        Box::pin(live(&self.app, name)).await;
        Box::pin(keep_house(&self.app, name)).await;
        end(&self.app, name).await;
        self.plans.take()
    }
}

#[tokio::test]
async fn statements_find_their_rows_by_an_index_when_the_planner_has_statistics() {
    let ready = ready(false).await;
    ready.fill().await;
    ready.analyse().await;
    judge(&ready.live("s").await, &[]);
}

#[tokio::test]
async fn statements_find_their_rows_by_an_index_whatever_their_parameters_are() {
    let ready = ready(true).await;
    ready.fill().await;
    ready.analyse().await;
    judge(&ready.live("s").await, OWN_PLANS);
}

#[tokio::test]
async fn statements_find_their_rows_by_an_index_when_the_planner_has_no_statistics() {
    let ready = ready(false).await;
    ready.fill().await;
    judge(&ready.live("s").await, LISTS);
}

#[tokio::test]
async fn plans_that_were_made_while_the_tables_were_empty_still_find_rows_by_an_index() {
    let ready = ready(true).await;
    for name in ["first", "second"] {
        ready.live(name).await;
    }
    ready.fill().await;
    judge(&ready.live("s").await, LISTS);
}

#[tokio::test]
async fn an_index_that_is_lost_is_noticed() {
    let ready = ready(false).await;
    ready.fill().await;
    ready.analyse().await;
    let app = &ready.app;
    call(app, "POST", "/v1/sessions/s/messages", json!({"messages": turn(0)})).await;
    let mut superuser = app.database.connect_as_superuser().await;
    run(&mut superuser, "set auto_explain.log_min_duration = -1").await.unwrap();
    for (table, index, path) in [
        ("messages", "messages_pkey", "/messages"),
        ("recall_postings", "recall_postings_pkey", "/recall?q=listing"),
        ("ledger_entries", "ledger_entries_pkey", "/ledger"),
        ("compressions", "compressions_session_idx", "/compressions"),
        ("sessions", "sessions_name_key", "/context"),
    ] {
        // What is not valid is kept up and used by no plan; the second statement makes the server plan anew.
        let lose = format!(
            "update pg_index set indisvalid = false where indexrelid = '{index}'::regclass;
             alter table {table} set (autovacuum_enabled = false)"
        );
        run(&mut superuser, &lose).await.unwrap();
        ready.plans.take();
        call(app, "GET", &format!("/v1/sessions/s{path}"), Value::Null).await;
        let found: Vec<String> = ready.plans.take().iter().flat_map(faults).collect();
        assert!(found.iter().any(|fault| fault.contains(table)), "{index} is not missed: {found:?}");
    }
}

/// Rows that each statement looked at, all of its runs together.
fn rows_by_statement(statements: &[Planned]) -> BTreeMap<&str, f64> {
    let mut sums = BTreeMap::new();
    for statement in statements {
        let of_tables = |node: &&Value| !node["Relation Name"].is_null() || !node["Index Name"].is_null();
        let rows: f64 = statement.nodes().into_iter().filter(of_tables).map(rows_seen).sum();
        *sums.entry(statement.text.as_str()).or_default() += rows;
    }
    sums
}

#[tokio::test]
async fn a_late_compression_of_a_session_looks_at_no_more_rows_than_an_early_one() {
    let ready = ready(false).await;
    ready.fill().await;
    ready.analyse().await;
    let app = &ready.app;
    let settings = json!({"context_window": 8_000, "auto": false, "mask": "off"});
    call(app, "PUT", "/v1/sessions/s", settings).await;
    let mut early = Vec::new();
    for n in 1..=24 {
        for k in 0..8 {
            call(app, "POST", "/v1/sessions/s/messages", json!({"messages": turn(n * 8 + k)})).await;
        }
        call(app, "POST", "/v1/sessions/s/compressions", json!({"target": 0.5})).await;
        ready.plans.take();
        app.work().await;
        let run = ready.plans.take();
        // By then the index has as many chunks as are looked through for what was needed next.
        if n == 17 {
            early = run;
        } else if n == 24 {
            let early = rows_by_statement(&early);
            assert!(early.len() > 30, "{} statements", early.len());
            for (text, rows) in rows_by_statement(&run) {
                let before = early.get(text).copied().unwrap_or_default();
                // The probes that are asked again grow to their bound.
                assert!(rows <= before * 1.25 + CARRIED, "{before} rows, then {rows}: {text}");
            }
        }
    }
    let current = call(app, "GET", "/v1/sessions/s/summary", Value::Null).await;
    assert_eq!(current["version"], 24, "{current}");
}
