//! Appends: gapless and in order, whoever else appends, and each batch whole or not at all.

use anchord_messages::format::Format;
use anchord_messages::format::detect::BatchFormat;
use anchord_messages::id::{SessionName, SessionRef, TenantId};
use anchord_messages::message::Role;
use anchord_messages::tokens::Tokenizer;
use anchord_session::accounting::MessageCounts;
use anchord_session::session::AppendRefusal;
use anchord_store::audit::Actor;
use anchord_store::gather::{Append, AppendError, Gatherer, Included, NewMessage};
use anchord_store::idempotency::ReplyKey;
use anchord_store::messages::SeqRange;
use anchord_store::{Store, Tx};
use futures::future::join_all;
use serde_json::Value;
use serde_json::value::RawValue;
use sqlx::{Connection as _, PgConnection, Row as _};
use tokio_util::task::TaskTracker;

use crate::erasing::erase_all;
use crate::support::{self, TestDatabase};

/// A store with its lanes, two tenants and a database of its own.
pub struct Stored {
    pub store: Store,
    pub appends: Gatherer,
    pub ours: TenantId,
    pub theirs: TenantId,
    pub database: TestDatabase,
}

pub async fn stored() -> Stored {
    let database = support::database().await;
    let store = Store::connect(&database.url, 8, TaskTracker::new()).await.expect("a pool");
    let appends = Gatherer::start(&store);
    let (ours, theirs) = (support::tenant(&store, "ours").await, support::tenant(&store, "theirs").await);
    Stored { store, appends, ours, theirs, database }
}

pub fn name(text: &str) -> SessionRef {
    SessionRef::from(SessionName::parse(text).expect("a session name"))
}

/// A message whose text tells who sent it.
pub fn message(text: &str) -> NewMessage {
    let body = serde_json::json!({"role": "user", "content": text}).to_string();
    NewMessage {
        format: "openai-chat",
        counted: MessageCounts::of(0, Role::User, 10, None, false),
        least_tokens: None,
        shape: None,
        keep: None,
        component: None,
        tool_outputs: Vec::new(),
        body: RawValue::from_string(body).expect("JSON"),
    }
}

pub fn append(tenant: TenantId, session: &str, texts: &[&str]) -> Append {
    Append {
        model: None,
        opening: None,
        tenant,
        session: name(session),
        messages: texts.iter().map(|text| message(text)).collect(),
        format: BatchFormat::Stated(Format::OpenaiChat),
        tokenizer: Tokenizer::default(),
        expected_next_seq: None,
        task_boundary: false,
        now: 0,
        reply_key: None,
        included: Included { usage: true, signals: true, ..Included::default() },
        is_imported: false,
    }
}

pub fn keyed(mut append: Append, key: &str, body: u8) -> Append {
    let route = format!("POST /v1/sessions/{}/messages", append.session);
    append.reply_key =
        Some(ReplyKey { tenant: append.tenant, route, key: key.to_owned(), body_digest: [body; 32] });
    append
}

const ALL: SeqRange = SeqRange { from: 1, to: i64::MAX };

impl Stored {
    async fn bodies(&self, tenant: TenantId, session: &str) -> Vec<(i64, String)> {
        let page = self.store.list_messages(tenant, &name(session), ALL, 1_000).await.expect("a read");
        page.map(|page| page.items.into_iter().map(|item| (item.seq, item.body)).collect())
            .unwrap_or_default()
    }

    async fn first_seq(&self, append: Append) -> Result<i64, AppendError> {
        let reply = self.appends.append(append).await?;
        let reply: Value = serde_json::from_str(&reply.body).expect("JSON");
        Ok(reply["first_seq"].as_i64().expect("a seq"))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_appends_to_one_session_leave_no_gap_and_keep_each_batch_together() {
    let stored = stored().await;
    // Two processes: each has lanes of its own, so their transactions meet at the session's row.
    let other = Gatherer::start(&stored.store);
    let writers = (0..8).map(|writer| {
        let lanes = if writer % 2 == 0 { stored.appends.clone() } else { other.clone() };
        let ours = stored.ours;
        async move {
            let batches = (0..8).map(|batch| {
                let text = format!("{writer}-{batch}");
                let lanes = lanes.clone();
                // Appends with a key are committed by another statement, and meet those without at the row.
                let one = append(ours, "s", &[&text, &text, &text]);
                let one = if writer % 2 == 0 { one } else { keyed(one, &text, 1) };
                async move { lanes.append(one).await.expect("an append") }
            });
            join_all(batches).await
        }
    });
    join_all(writers).await;
    let bodies = stored.bodies(stored.ours, "s").await;
    let seqs: Vec<i64> = bodies.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(seqs, (1..=192).collect::<Vec<_>>());
    for batch in bodies.chunks(3) {
        assert!(batch.iter().all(|(_, body)| *body == batch[0].1), "a batch was torn: {batch:?}");
    }
    let session =
        stored.store.find_session(stored.ours, &name("s")).await.expect("a read").expect("a session");
    assert_eq!((session.head_seq, session.accounting.tail_messages), (192, 192));
    assert_eq!(session.accounting.tail_tokens, 1_920);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_go_with_their_session_however_appends_and_erasures_meet() {
    let stored = stored().await;
    let other = Gatherer::start(&stored.store);
    for round in 0..12 {
        let appends = (0..24).map(|i| {
            let lanes = if i % 2 == 0 { &stored.appends } else { &other };
            lanes.append(append(stored.ours, &format!("s{}", i % 3), &["one", "two"]))
        });
        let (s0, s1) = (name("s0"), name("s1"));
        let erasures = [&s0, &s1, &s0, &s1]
            .map(|session| stored.store.delete_session(stored.ours, &session.name, Actor::Cli));
        let (appended, erased) = futures::join!(join_all(appends), join_all(erasures));
        assert!(appended.iter().any(Result::is_ok), "round {round}: {appended:?}");
        assert!(erased.iter().all(Result::is_ok), "round {round}: {erased:?}");
    }
    erase_all(&stored.store).await;
    let mut owner = PgConnection::connect(&stored.database.url).await.expect("a connection");
    let orphans = "select count(*) from messages m
                   where not exists (select from sessions s where s.tenant_id = m.tenant_id and s.id = m.session_id)";
    let found = sqlx::raw_sql(orphans).fetch_one(&mut owner).await.expect("a count");
    assert_eq!(found.get::<i64, _>(0), 0, "messages without their session");
    for session in ["s0", "s1", "s2"] {
        stored.store.delete_session(stored.ours, &name(session).name, Actor::Cli).await.expect("an erasure");
    }
    erase_all(&stored.store).await;
    let left = sqlx::raw_sql("select count(*) from messages").fetch_one(&mut owner).await.expect("a count");
    assert_eq!(left.get::<i64, _>(0), 0, "messages outlive their session");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_to_many_new_sessions_of_two_tenants_do_not_mix() {
    let stored = stored().await;
    let all = (0..128).map(|i| {
        let (tenant, whose) = if i % 2 == 0 { (stored.ours, "ours") } else { (stored.theirs, "theirs") };
        let session = format!("s{}", i % 10 / 2);
        let lanes = stored.appends.clone();
        async move { lanes.append(append(tenant, &session, &[whose, whose])).await.expect("an append") }
    });
    join_all(all).await;
    for (tenant, whose) in [(stored.ours, "ours"), (stored.theirs, "theirs")] {
        let mut total = 0;
        for session in 0..5 {
            let bodies = stored.bodies(tenant, &format!("s{session}")).await;
            assert!(bodies.iter().all(|(_, body)| body.contains(whose)));
            assert!(bodies.iter().zip(1..).all(|((seq, _), expected)| *seq == expected));
            total += bodies.len();
        }
        assert_eq!(total, 128);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_append_harms_no_neighbour() {
    let stored = stored().await;
    let all = (0..60).map(|i| {
        let mut one = append(stored.ours, &format!("s{}", i % 3), &["fine"]);
        match i % 6 {
            // Refused by the service.
            1 => one.expected_next_seq = Some(9_999),
            // Refused by the database, which takes no NUL in text: the whole transaction fails.
            4 => one.messages[0].shape = Some("\0".to_owned()),
            _ => {}
        }
        let lanes = stored.appends.clone();
        async move { (i % 6, lanes.append(one).await) }
    });
    for (kind, answer) in join_all(all).await {
        match (kind, answer) {
            (1, Err(AppendError::Refused(AppendRefusal::Precondition { .. })))
            | (4, Err(AppendError::Store(_)))
            | (0 | 2 | 3 | 5, Ok(_)) => {}
            (kind, answer) => panic!("append of kind {kind} gave {answer:?}"),
        }
    }
    let mut total = 0;
    for session in ["s0", "s1", "s2"] {
        let bodies = stored.bodies(stored.ours, session).await;
        assert!(bodies.iter().zip(1..).all(|((seq, _), expected)| *seq == expected));
        total += bodies.len();
    }
    assert_eq!(total, 40);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_for_a_tenant_that_is_gone_harms_no_neighbour() {
    let stored = stored().await;
    stored.store.delete_tenant(stored.theirs, Actor::Cli).await.expect("an erasure");
    let all = (0..40).map(|i| {
        let tenant = if i % 4 == 0 { stored.theirs } else { stored.ours };
        stored.appends.append(append(tenant, &format!("s{i}"), &["x"]))
    });
    for (i, answer) in join_all(all).await.into_iter().enumerate() {
        assert_eq!(answer.is_ok(), i % 4 != 0, "{i}: {answer:?}");
    }
}

#[tokio::test]
async fn a_refused_append_makes_no_session() {
    let stored = stored().await;
    let mut refused = append(stored.ours, "new", &["never"]);
    refused.expected_next_seq = Some(2);
    let answer = stored.appends.append(refused).await;
    let is_ahead = matches!(answer, Err(AppendError::Refused(AppendRefusal::Precondition { next_seq: 1 })));
    assert!(is_ahead, "{answer:?}");
    assert_eq!(stored.store.find_session(stored.ours, &name("new")).await.expect("a read"), None);
    let mut first = append(stored.ours, "new", &["now"]);
    first.expected_next_seq = Some(1);
    assert_eq!(stored.first_seq(first).await.expect("an append"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retry_with_the_same_key_is_stored_once_wherever_it_goes() {
    let stored = stored().await;
    let other = Gatherer::start(&stored.store);
    let tries = (0..24).map(|i| {
        let lanes = if i % 2 == 0 { stored.appends.clone() } else { other.clone() };
        let mut one = keyed(append(stored.ours, "s", &["once"]), "k", 1);
        // A retry succeeds although the first try has moved the head.
        one.expected_next_seq = Some(1);
        async move { lanes.append(one).await.expect("the first or a replay") }
    });
    let replies = join_all(tries).await;
    assert_eq!(replies.iter().filter(|reply| reply.stored.is_some()).count(), 1);
    assert!(replies.iter().all(|reply| reply.body == replies[0].body));
    assert_eq!(stored.bodies(stored.ours, "s").await.len(), 1);
    let mismatch = stored.appends.append(keyed(append(stored.ours, "s", &["other"]), "k", 2)).await;
    assert!(matches!(mismatch, Err(AppendError::KeyReused)), "{mismatch:?}");
    // The key belongs to its tenant and its session.
    for (tenant, session) in [(stored.ours, "t"), (stored.theirs, "s")] {
        let reply = stored.appends.append(keyed(append(tenant, session, &["own"]), "k", 3)).await;
        assert!(reply.expect("an append").stored.is_some());
    }
}

/// Makes a session of one message, and a transaction that keeps its row locked.
async fn keep_locked(stored: &Stored, session: &str) -> Tx {
    stored.first_seq(append(stored.ours, session, &["one"])).await.expect("an append");
    let mut holder = stored.store.begin(stored.ours).await.expect("a transaction");
    let lock = format!("select from sessions where name = '{session}' for update");
    sqlx::raw_sql(sqlx::AssertSqlSafe(lock)).execute(&mut *holder).await.expect("a lock");
    holder
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_someone_else_keeps_locked_holds_up_no_other() {
    let stored = stored().await;
    let holder = keep_locked(&stored, "held").await;
    let held = stored.store.tracker().spawn({
        let lanes = stored.appends.clone();
        let one = append(stored.ours, "held", &["two"]);
        async move { lanes.append(one).await }
    });
    let others = (0..20).map(|i| stored.first_seq(append(stored.ours, &format!("free{i}"), &["x"])));
    assert!(join_all(others).await.iter().all(Result::is_ok));
    assert!(!held.is_finished(), "the others have waited for it");
    let refused = held.await.expect("no panic");
    assert!(matches!(&refused, Err(AppendError::Busy)), "{refused:?}");
    holder.rollback().await.expect("a rollback");
    assert_eq!(stored.first_seq(append(stored.ours, "held", &["three"])).await.expect("an append"), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_append_holds_up_its_own_session_alone() {
    let stored = stored().await;
    let holder = keep_locked(&stored, "large").await;
    let two = "two ".repeat(100_000);
    let mut large = Box::pin(stored.appends.append(append(stored.ours, "large", &[&two])));
    // It is handed over at the first poll.
    assert!(futures::poll!(large.as_mut()).is_pending());
    let mut follower = Box::pin(stored.appends.append(append(stored.ours, "large", &["three"])));
    assert!(futures::poll!(follower.as_mut()).is_pending());
    let others = (0..20).map(|i| stored.first_seq(append(stored.ours, &format!("free{i}"), &["x"])));
    assert!(join_all(others).await.iter().all(Result::is_ok));
    let is_done = futures::poll!(large.as_mut()).is_ready() || futures::poll!(follower.as_mut()).is_ready();
    assert!(!is_done, "the others have waited for it");
    holder.rollback().await.expect("a rollback");
    let answers = [large.await, follower.await];
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let bodies = stored.bodies(stored.ours, "large").await;
    assert_eq!(bodies.len(), 3);
    assert!(bodies[1].1.contains("two two") && bodies[2].1.contains("three"));
}

#[tokio::test]
async fn a_session_that_counts_otherwise_says_so_and_is_remembered() {
    let stored = stored().await;
    let change = serde_json::json!({"tokenizer": "estimate"}).as_object().cloned().expect("an object");
    stored.store.put_session(stored.ours, &name("s"), change).await.expect("a put");
    let refused = stored.appends.append(append(stored.ours, "s", &["one"])).await;
    let wants = matches!(refused, Err(AppendError::Refused(AppendRefusal::Tokenizer(Tokenizer::Estimate))));
    assert!(wants, "{refused:?}");
    assert_eq!(stored.appends.known_tokenizer(stored.ours, &name("s")), Some(Tokenizer::Estimate));
    assert_eq!(stored.appends.known_tokenizer(stored.theirs, &name("s")), None);
    assert!(stored.bodies(stored.ours, "s").await.is_empty());
}

#[tokio::test]
async fn a_full_context_enqueues_one_compression_and_later_appends_name_it() {
    let stored = stored().await;
    let change = serde_json::json!({"context_window": 1_000}).as_object().cloned().expect("an object");
    stored.store.put_session(stored.ours, &name("s"), change).await.expect("a put");
    let mut ids = Vec::new();
    for _ in 0..12 {
        let texts = ["x"; 10];
        let reply = stored.appends.append(append(stored.ours, "s", &texts)).await.expect("an append");
        let reply: Value = serde_json::from_str(&reply.body).expect("JSON");
        if let Some(id) = reply["compression"]["id"].as_str() {
            assert_eq!(reply["compression"]["status"], "queued");
            ids.push(id.to_owned());
        }
    }
    assert!(ids.len() > 2 && ids.iter().all(|id| *id == ids[0] && id.starts_with("cmp_")), "{ids:?}");
}

#[tokio::test]
async fn a_caller_that_hangs_up_changes_nothing() {
    let stored = stored().await;
    for i in 0..40 {
        let session = format!("s{}", i % 4);
        let mut call = Box::pin(stored.appends.append(append(stored.ours, &session, &["one", "two"])));
        // The append is handed over at the first poll; then the caller is gone.
        assert!(futures::poll!(call.as_mut()).is_pending());
    }
    for session in 0..4 {
        let last = stored.first_seq(append(stored.ours, &format!("s{session}"), &["last"])).await;
        assert_eq!(last.expect("an append"), 21);
    }
}

#[tokio::test]
async fn a_closed_gatherer_serves_what_waits_and_ends() {
    let stored = stored().await;
    let mut calls: Vec<_> = (0..30)
        .map(|i| Box::pin(stored.appends.append(append(stored.ours, &format!("s{}", i % 4), &["x"]))))
        .collect();
    for call in &mut calls {
        assert!(futures::poll!(call.as_mut()).is_pending());
    }
    stored.appends.close();
    assert!(join_all(calls).await.iter().all(Result::is_ok));
    stored.store.tracker().close();
    stored.store.tracker().wait().await;
    let refused = stored.appends.append(append(stored.ours, "late", &["x"])).await;
    assert!(matches!(refused, Err(AppendError::Busy)), "{refused:?}");
}
