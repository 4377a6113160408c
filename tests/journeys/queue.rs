//! The queue's guarantees, at the store: one live job per session, a fence that a late worker meets,
//! takeover of the dead, and a publication that never overwrites another.

use anchord_messages::id::{SessionId, SessionName, SessionRef, TenantId};
use anchord_messages::message::Role;
use anchord_record::parts::Parts;
use anchord_record::summary::Summary;
use anchord_session::accounting::MessageCounts;
use anchord_session::compression::Span;
use anchord_session::compression::{Report, Request, Status};
use anchord_store::compressions::{Job, Kind, NewJob, enqueue};
use anchord_store::events::Following;
use anchord_store::gather::{Append, Gatherer, NewMessage};
use anchord_store::settle::{NewVersion, SettleOutcome, Settlement};
use anchord_store::{Result, Store};
use anchord_worker::index::index;
use serde_json::json;
use serde_json::value::to_raw_value;
use sqlx::{Connection as _, PgConnection, Row as _};
use tokio_util::task::TaskTracker;

use crate::support::{self, TestDatabase};

const LEASE_SECONDS: f64 = 60.0;
const WORKER: i64 = 7;

struct Queue {
    store: Store,
    tenant: TenantId,
    session: SessionId,
    name: SessionRef,
    gatherer: Gatherer,
    database: TestDatabase,
}

impl Queue {
    /// A session of `messages` plain messages.
    async fn with_messages(messages: usize) -> Self {
        let database = support::database().await;
        let store = Store::connect(&database.url, 8, TaskTracker::new()).await.unwrap();
        let tenant = support::tenant(&store, "queue").await;
        let gatherer = Gatherer::start(&store);
        let name = SessionRef::from(SessionName::parse("s").unwrap());
        let queue = Self { store, tenant, session: SessionId(uuid::Uuid::nil()), name, gatherer, database };
        queue.append(messages).await;
        let found = queue.store.find_session(tenant, &queue.name).await.unwrap().unwrap();
        Self { session: found.id, ..queue }
    }

    async fn append(&self, messages: usize) {
        let message = |i: usize| NewMessage {
            format: "openai-chat",
            counted: {
                let role = if i.is_multiple_of(2) { Role::User } else { Role::Assistant };
                MessageCounts::of(0, role, 10, None, false)
            },
            least_tokens: None,
            shape: None,
            keep: None,
            component: None,
            tool_outputs: Vec::new(),
            body: serde_json::value::RawValue::from_string(format!(r#"{{"role":"user","content":"{i}"}}"#))
                .unwrap(),
        };
        let append = Append {
            model: None,
            opening: None,
            tenant: self.tenant,
            session: self.name.clone(),
            messages: (0..messages).map(message).collect(),
            format: anchord_messages::format::detect::BatchFormat::Stated(
                anchord_messages::format::Format::OpenaiChat,
            ),
            tokenizer: anchord_messages::tokens::Tokenizer::default(),
            expected_next_seq: None,
            task_boundary: false,
            now: 0,
            reply_key: None,
            included: anchord_store::gather::Included::default(),
            is_imported: false,
        };
        self.gatherer.append(append).await.unwrap();
    }

    async fn enqueue(&self) -> (anchord_messages::id::CompressionId, bool) {
        let request = Request::default();
        let job = NewJob { kind: Kind::Compress, trigger: "manual", request: &request };
        let mut tx = self.store.begin(self.tenant).await.unwrap();
        let enqueued = enqueue(&mut tx, self.session.of(self.tenant), job).await.unwrap();
        tx.commit().await.unwrap();
        (enqueued.id, enqueued.created)
    }

    /// Claims what is due; indexing, which every version asks for, is done on the way.
    async fn claim(&self) -> Option<Job> {
        loop {
            let job = self.store.claim(WORKER, LEASE_SECONDS, 8, 1).await.unwrap().pop()?;
            if job.kind != Kind::Index {
                return Some(job);
            }
            self.store.settle_index(&job, Status::Succeeded, false).await.unwrap();
        }
    }

    /// Ends a compression as a worker that claims no indexing.
    async fn settle(&self, job: &Job, span: Option<Span>, settlement: Settlement) -> Result<SettleOutcome> {
        Ok(self.store.settle_and_index(job, span, &settlement, None).await?.0)
    }

    async fn in_doubt(&self) -> i64 {
        let mut look = self.database.connect().await;
        support::number(&mut look, "select count(*) from compressions where doubted_at is not null").await
    }

    async fn status(&self, job: &Job) -> Status {
        self.store.find_compression(self.session.of(self.tenant), job.id).await.unwrap().unwrap().status
    }

    async fn version(&self) -> Option<i64> {
        self.store.find_session(self.tenant, &self.name).await.unwrap().unwrap().version
    }

    /// Makes a running job due again, as after the death of its worker.
    async fn bury_worker(&self) {
        let buried = support::bury_dead_workers(&self.store).await;
        assert_eq!(buried, 1, "nobody holds the presence of {WORKER}");
    }
}

fn span(parent_version: Option<i64>) -> Span {
    Span { parent_version, from_seq: 1, through_seq: 5 }
}

fn publication(version: i64) -> Settlement {
    let version = NewVersion {
        version,
        meta: to_raw_value(&json!({})).expect("JSON"),
        record: Parts::default().write(&Summary::default(), version).expect("JSON"),
        carry: to_raw_value(&json!({})).expect("JSON"),
        rendering: ("summary".to_owned(), 3),
        smaller: vec![("s".to_owned(), 1)],
        digest: None,
        recap: String::new(),
        todos: None,
        ledger: vec![("command".into(), 1, 0, to_raw_value(&json!({"command": "ls"})).expect("JSON"))],
    };
    let (status, report) = (Status::Succeeded, Report::default());
    Settlement { status, report, version: Some(version), evaluation: None }
}

#[tokio::test]
async fn a_session_has_one_live_compression_whoever_asks() {
    let queue = Queue::with_messages(10).await;
    let (first, created) = queue.enqueue().await;
    assert!(created);
    assert_eq!(queue.enqueue().await, (first, false));
    let job = queue.claim().await.unwrap();
    assert_eq!(queue.enqueue().await, (first, false), "a running one is live too");
    assert!(queue.claim().await.is_none());
    queue.settle(&job, Some(span(None)), publication(1)).await.unwrap();
    let (second, created) = queue.enqueue().await;
    assert!(created && second != first);
}

#[tokio::test]
async fn a_late_worker_cannot_publish() {
    let queue = Queue::with_messages(10).await;
    queue.enqueue().await;
    let late = queue.claim().await.unwrap();
    queue.bury_worker().await;
    let next = queue.claim().await.unwrap();
    assert_eq!((next.id, next.attempt, next.crashes), (late.id, late.attempt + 1, 1));
    assert!(!queue.store.heartbeat(&late, LEASE_SECONDS).await.unwrap());
    assert!(!queue.store.fix_span(&late, span(None)).await.unwrap());
    assert_eq!(queue.settle(&late, Some(span(None)), publication(1)).await.unwrap(), SettleOutcome::Lost);
    assert_eq!(queue.version().await, None, "nothing of the late worker is visible");
    let settled = queue.settle(&next, Some(span(None)), publication(1)).await.unwrap();
    assert_eq!(settled, SettleOutcome::As(Status::Succeeded));
    assert_eq!(queue.version().await, Some(1));
    assert_eq!(
        queue.settle(&next, Some(span(None)), publication(2)).await.unwrap(),
        SettleOutcome::Lost,
        "once"
    );
    assert_eq!(queue.version().await, Some(1));
}

#[tokio::test]
async fn a_late_worker_ends_no_indexing() {
    let queue = Queue::with_messages(10).await;
    let request = Request::default();
    let job = NewJob { kind: Kind::Index, trigger: "recall", request: &request };
    let mut tx = queue.store.begin(queue.tenant).await.unwrap();
    enqueue(&mut tx, queue.session.of(queue.tenant), job).await.unwrap();
    tx.commit().await.unwrap();
    let late = queue.store.claim(WORKER, LEASE_SECONDS, 8, 1).await.unwrap().pop().unwrap();
    queue.bury_worker().await;
    let next = queue.store.claim(WORKER, LEASE_SECONDS, 8, 1).await.unwrap().pop().unwrap();
    assert_eq!((next.id, next.attempt), (late.id, late.attempt + 1));
    let end = async |job: &Job| queue.store.settle_index(job, Status::Succeeded, false).await.unwrap();
    assert_eq!(end(&late).await, SettleOutcome::Lost);
    let elsewhere = Job { tenant: support::tenant(&queue.store, "other").await, ..next.clone() };
    assert_eq!(end(&elsewhere).await, SettleOutcome::Lost, "another tenant's job is none");
    assert_eq!(end(&next).await, SettleOutcome::As(Status::Succeeded));
    assert_eq!(end(&next).await, SettleOutcome::Lost, "once");
}

#[tokio::test]
async fn a_living_worker_keeps_its_job() {
    let queue = Queue::with_messages(10).await;
    let _presence = queue.store.hold_presence(WORKER).await.unwrap();
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    let mut another = queue.store.hold_presence(WORKER + 1).await.unwrap();
    assert_eq!(another.look_after_workers().await.unwrap(), 0);
    assert_eq!(queue.in_doubt().await, 0);
    assert!(queue.claim().await.is_none());
    assert!(queue.store.heartbeat(&job, LEASE_SECONDS).await.unwrap());
}

#[tokio::test]
async fn a_worker_whose_lock_is_gone_keeps_its_job_while_it_says_that_it_lives() {
    let queue = Queue::with_messages(10).await;
    queue.enqueue().await;
    queue.claim().await.unwrap();
    let mut another = queue.store.hold_presence(WORKER + 1).await.unwrap();
    assert_eq!(another.look_after_workers().await.unwrap(), 0, "not at once");
    assert_eq!(queue.in_doubt().await, 1);
    let mut own = queue.store.hold_presence(WORKER).await.unwrap();
    assert_eq!(own.look_after_workers().await.unwrap(), 0);
    assert_eq!(queue.in_doubt().await, 0);
    drop(own);
    queue.bury_worker().await;
    assert_eq!(queue.claim().await.unwrap().crashes, 1);
}

#[tokio::test]
async fn the_loser_of_a_race_is_superseded_and_overwrites_nothing() {
    let queue = Queue::with_messages(20).await;
    queue.enqueue().await;
    let first = queue.claim().await.unwrap();
    queue.settle(&first, Some(span(None)), publication(1)).await.unwrap();
    queue.enqueue().await;
    let second = queue.claim().await.unwrap();
    let mut stale = publication(2);
    stale.status = Status::Succeeded;
    let settled = queue.settle(&second, Some(span(None)), stale).await.unwrap();
    assert_eq!(settled, SettleOutcome::As(Status::Superseded));
    assert_eq!(queue.status(&second).await, Status::Superseded);
    assert_eq!(queue.version().await, Some(1));
}

#[tokio::test]
async fn messages_that_come_during_a_compression_stay_in_the_tail_and_count() {
    let queue = Queue::with_messages(10).await;
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    queue.append(4).await;
    queue.settle(&job, Some(span(None)), publication(1)).await.unwrap();
    let session = queue.store.find_session(queue.tenant, &queue.name).await.unwrap().unwrap();
    assert_eq!((session.head_seq, session.anchor_seq), (14, 5));
    assert_eq!(session.accounting.tail_messages, 9);
    assert_eq!(session.accounting.tail_tokens, 90);
    assert_eq!(session.accounting.summary_tokens, 3);
    assert_eq!(session.accounting.settled_head, 14);
}

#[tokio::test]
async fn every_end_looks_at_the_trigger_again() {
    let queue = Queue::with_messages(10).await;
    let settings = json!({"policy": "message_count", "thresholds": {"messages": {"optional": 5, "compress": 12, "force": 90}}});
    let change = settings.as_object().unwrap().clone();
    queue.store.put_session(queue.tenant, &queue.name, change).await.unwrap();
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    queue.append(30).await;
    let skipped =
        Settlement { status: Status::Skipped, report: Report::default(), version: None, evaluation: None };
    let settled = queue.settle(&job, Some(span(None)), skipped).await.unwrap();
    assert_eq!(settled, SettleOutcome::As(Status::Skipped));
    let mut look = queue.database.connect().await;
    let live = "select coalesce(string_agg(trigger, ' '), 'none') from compressions where status = 'queued'";
    // Ten messages must come after a settlement, so the follow-up waits for the next append.
    assert_eq!(support::text(&mut look, live).await, "none");
    queue.append(10).await;
    assert_eq!(support::text(&mut look, live).await, "message_count");
}

#[tokio::test]
async fn a_cancelled_compression_publishes_nothing() {
    let queue = Queue::with_messages(10).await;
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    assert!(queue.store.cancel_compression(queue.session.of(queue.tenant), job.id).await.unwrap());
    assert_eq!(queue.settle(&job, Some(span(None)), publication(1)).await.unwrap(), SettleOutcome::Lost);
    assert_eq!(queue.status(&job).await, Status::Cancelled);
    assert_eq!(queue.version().await, None);
    assert!(!queue.store.cancel_compression(queue.session.of(queue.tenant), job.id).await.unwrap());
}

#[tokio::test]
async fn a_requeued_job_waits_for_its_time_and_keeps_its_fence() {
    let queue = Queue::with_messages(10).await;
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    assert!(queue.store.requeue(&job, 3600.0).await.unwrap());
    assert!(queue.claim().await.is_none(), "not due yet");
    assert!(!queue.store.requeue(&job, 0.0).await.unwrap(), "it is not running");
}

/// Does something while somebody holds the session's lock; it is let go, with a new row, once that waits for it.
async fn despite_a_lock<T>(queue: &Queue, doing: impl Future<Output = T>) -> T {
    let mut holder = PgConnection::connect(&queue.database.url).await.unwrap();
    let mut looker = PgConnection::connect(&queue.database.url).await.unwrap();
    sqlx::raw_sql("begin; update sessions set updated_at = now()").execute(&mut holder).await.unwrap();
    let let_go = async {
        let waiting = "select count(*) from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'";
        while sqlx::raw_sql(waiting).fetch_one(&mut looker).await.unwrap().get::<i64, _>(0) == 0 {}
        sqlx::raw_sql("commit").execute(&mut holder).await.unwrap();
    };
    futures::join!(doing, let_go).0
}

#[tokio::test]
async fn beginning_and_end_wait_for_whoever_has_the_session_locked() {
    let queue = Queue::with_messages(10).await;
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    assert!(despite_a_lock(&queue, queue.store.fix_span(&job, span(None))).await.unwrap());
    let settling = queue.settle(&job, Some(span(None)), publication(1));
    assert_eq!(
        Box::pin(despite_a_lock(&queue, settling)).await.unwrap(),
        SettleOutcome::As(Status::Succeeded)
    );
    assert_eq!(queue.version().await, Some(1));
    let session = (queue.tenant, queue.session);
    let indexing = despite_a_lock(&queue, index(&queue.store, session, None));
    let indexed = Box::pin(indexing).await.unwrap().unwrap();
    assert_eq!(indexed.through_seq, 10);
    let of = Following::Branch(queue.session);
    let page = queue.store.list_events(queue.tenant, of, 0, 9).await.unwrap().unwrap();
    let kinds: Vec<&str> = page.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["compression.started", "compression.succeeded", "summary.published"]);
}

#[tokio::test]
async fn an_end_that_was_decided_on_rows_that_changed_since_is_decided_again() {
    let queue = Queue::with_messages(10).await;
    let mut connection = queue.database.connect().await;
    let accounting = r#"update sessions set revision = revision + 1,
                        accounting = (accounting::jsonb || '{"model": "changed"}')::json"#;
    let pins = r#"update tenants set revision = revision + 1, settings = '{"wide": {"pins": [], "pins_revision": 7}}'"#;
    let (model, revision) = ("accounting ->> 'model'", "accounting ->> 'pins_revision'");
    for (version, meanwhile, what, expected) in [(1, accounting, model, "changed"), (2, pins, revision, "7")]
    {
        queue.enqueue().await;
        let job = queue.claim().await.unwrap();
        let span = Span {
            parent_version: queue.version().await,
            from_seq: version * 4 - 3,
            through_seq: version * 4,
        };
        let settling = queue.settle(&job, Some(span), publication(version));
        let changing = support::change(&mut connection, meanwhile);
        let settled = support::changed_meanwhile(&queue.database, "messages", settling, changing);
        assert_eq!(Box::pin(settled).await.unwrap(), SettleOutcome::As(Status::Succeeded));
        let written = support::text(&mut connection, &format!("select {what} from sessions")).await;
        assert_eq!((queue.version().await, written.as_str()), (Some(version), expected));
    }
}

#[tokio::test]
async fn a_late_worker_writes_nothing_of_a_job_that_was_taken_from_it_meanwhile() {
    let queue = Queue::with_messages(10).await;
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    let mut connection = queue.database.connect().await;
    let settling = queue.settle(&job, Some(span(None)), publication(1));
    let changing = support::change(&mut connection, "update compressions set attempt = attempt + 1");
    // The session is locked by then, so that the end itself finds it out.
    let settled = support::changed_meanwhile(&queue.database, "record_parts", settling, changing);
    assert_eq!(Box::pin(settled).await.unwrap(), SettleOutcome::Lost);
    assert_eq!(queue.version().await, None);
    let written = "select (select count(*) from summaries) + (select count(*) from events)";
    assert_eq!(support::number(&mut connection, written).await, 0);
}

#[tokio::test]
async fn an_indexing_that_is_claimed_with_the_end_of_its_compression_is_a_job_as_any_other() {
    let queue = Queue::with_messages(10).await;
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    let (settled, indexing) = queue
        .store
        .settle_and_index(&job, Some(span(None)), &publication(1), Some(LEASE_SECONDS))
        .await
        .unwrap();
    assert_eq!(settled, SettleOutcome::As(Status::Succeeded));
    let late = indexing.expect("an indexing");
    assert_eq!((late.kind, late.attempt), (Kind::Index, 1));
    assert!(queue.store.claim(WORKER, LEASE_SECONDS, 8, 1).await.unwrap().is_empty(), "it is claimed");
    assert!(queue.store.heartbeat(&late, LEASE_SECONDS).await.unwrap());
    queue.bury_worker().await;
    let next = queue.store.claim(WORKER, LEASE_SECONDS, 8, 1).await.unwrap().pop().unwrap();
    assert_eq!((next.id, next.attempt, next.crashes), (late.id, 2, 1));
    assert!(!queue.store.heartbeat(&late, LEASE_SECONDS).await.unwrap());
    let indexed = index(&queue.store, (queue.tenant, queue.session), Some(&next)).await.unwrap().unwrap();
    assert!(indexed.is_ended && !indexed.more, "{indexed:?}");
    assert!(
        !queue.store.heartbeat(&next, LEASE_SECONDS).await.unwrap(),
        "it has ended with its last postings"
    );

    // Nothing has come since, so nothing is left to index.
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    let last = Span { parent_version: Some(1), from_seq: 6, through_seq: 8 };
    let (settled, indexing) =
        queue.store.settle_and_index(&job, Some(last), &publication(2), Some(LEASE_SECONDS)).await.unwrap();
    assert_eq!((settled, indexing.is_none()), (SettleOutcome::As(Status::Succeeded), true));
    assert!(queue.store.claim(WORKER, LEASE_SECONDS, 8, 1).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_late_worker_ends_no_indexing_with_its_postings() {
    let queue = Queue::with_messages(10).await;
    queue.enqueue().await;
    let job = queue.claim().await.unwrap();
    let late = queue
        .store
        .settle_and_index(&job, Some(span(None)), &publication(1), Some(LEASE_SECONDS))
        .await
        .unwrap()
        .1
        .expect("an indexing");
    queue.bury_worker().await;
    let next = queue.store.claim(WORKER, LEASE_SECONDS, 8, 1).await.unwrap().pop().unwrap();
    let indexed = index(&queue.store, (queue.tenant, queue.session), Some(&late)).await.unwrap().unwrap();
    assert!(!indexed.is_ended && !indexed.more, "{indexed:?}");
    assert!(queue.store.heartbeat(&next, LEASE_SECONDS).await.unwrap(), "it still runs");
}
