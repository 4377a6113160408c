//! The plans that a database's server makes for the statements it is sent, as it tells them to its clients:
//! the statements inside functions and those that keep foreign keys included.
//!
//! A copy of a statement in a test proves nothing about the one that is sent, and an `explain` by hand knows neither
//! the role nor the plan mode. `auto_explain` reports the plan of everything that a session really runs. Tests read
//! it four times, because plans differ: with statistics, without, with generic plans, and with plans made while the
//! tables were empty, which long-lived connections keep. A scan of a whole table fails, and so does an index that is
//! read far beyond the rows it returns.

use std::fmt;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection};
use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use super::TestDatabase;

/// Where the driver tells what the server noticed.
const NOTICES: &str = "sqlx::postgres::notice";
/// What the server begins a plan with.
const MARK: &str = "plan:\n";

/// A statement that ran, with its plan and what each part of that read.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its text with single spaces; of a function whose body was parsed when it was made, that of the caller.
    pub text: String,
    /// The server's plan.
    pub plan: Value,
}

/// Every plan that connections of this thread are told of, for as long as it lives.
pub struct Plans {
    told: Arc<Mutex<Vec<Planned>>>,
    _guard: DefaultGuard,
}

/// Makes every later connection to the database tell the plan of each statement that it runs.
pub async fn tell_plans(database: &TestDatabase, generic: bool) {
    let mut superuser = database.connect_as_superuser().await;
    let loaded = run(&mut superuser, "load 'auto_explain'").await;
    loaded.expect("the server's contrib modules, of which auto_explain is one (package postgresql-contrib)");
    let mode = if generic { "force_generic_plan" } else { "auto" };
    let settings = [
        ("session_preload_libraries", "auto_explain"),
        ("auto_explain.log_min_duration", "0"),
        ("auto_explain.log_nested_statements", "on"),
        ("auto_explain.log_analyze", "on"),
        ("auto_explain.log_timing", "off"),
        ("auto_explain.log_buffers", "on"),
        ("auto_explain.log_format", "json"),
        // To the client and not to the server's log, which all tests share.
        ("auto_explain.log_level", "notice"),
        ("plan_cache_mode", mode),
    ];
    for (name, value) in settings {
        let set = format!("alter database {} set {name} = '{value}'", database.name());
        run(&mut superuser, &set).await.expect("a setting");
    }
}

/// Leaves tables without statistics until they are analysed by hand.
pub async fn stop_analysing(database: &TestDatabase) {
    let mut superuser = database.connect_as_superuser().await;
    let stop = "do $$ declare t text; begin
                  for t in select c.relname from pg_class c
                           where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' loop
                    execute format('alter table %I set (autovacuum_enabled = false)', t);
                  end loop;
                end $$";
    run(&mut superuser, stop).await.expect("tables");
}

/// Runs statements.
pub async fn run(connection: &mut PgConnection, sql: &str) -> sqlx::Result<()> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.map(|_| ())
}

impl Plans {
    /// Listens on this thread.
    pub fn listen() -> Self {
        let told = Arc::default();
        let ear = Ear { told: Arc::clone(&told) };
        let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(ear));
        Self { told, _guard: guard }
    }

    /// What was told since the last time.
    pub fn take(&self) -> Vec<Planned> {
        std::mem::take(&mut *self.told.lock().expect("the plans"))
    }
}

impl Planned {
    /// Every part of the plan, from the top.
    pub fn nodes(&self) -> Vec<&Value> {
        let mut nodes = vec![&self.plan];
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            nodes.extend(node["Plans"].as_array().into_iter().flatten());
            at += 1;
        }
        nodes
    }
}

/// Rows that a part of a plan looked at, the ones that it threw away included.
pub fn rows_seen(node: &Value) -> f64 {
    let number = |key: &str| node[key].as_f64().unwrap_or_default();
    let seen =
        number("Actual Rows") + number("Rows Removed by Filter") + number("Rows Removed by Index Recheck");
    seen * number("Actual Loops")
}

/// Pages of 8 kB that a part of a plan touched.
pub fn pages(node: &Value) -> f64 {
    let number = |key: &str| node[key].as_f64().unwrap_or_default();
    number("Shared Hit Blocks") + number("Shared Read Blocks")
}

struct Ear {
    told: Arc<Mutex<Vec<Planned>>>,
}

impl<S: Subscriber> Layer<S> for Ear {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        if event.metadata().target() != NOTICES {
            return;
        }
        let mut message = Message::default();
        event.record(&mut message);
        let Some((_, json)) = message.0.split_once(MARK) else { return };
        let mut read: Value = serde_json::from_str(json).expect("a plan");
        let text = read["Query Text"].as_str().unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut told = self.told.lock().expect("the plans");
        // A function's statements end before the statement that calls it.
        for inner in told.iter_mut().rev().take_while(|inner| inner.text.is_empty() && !text.is_empty()) {
            inner.text = format!("within {text}");
        }
        told.push(Planned { text, plan: read["Plan"].take() });
    }
}

#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            value.clone_into(&mut self.0);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
