//! The owner's connections serve a closed list of files, and statements on them name the tenant of each row.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The files that may use the owner's connections. Whoever adds one has looked at each of its statements.
const FILES: [&str; 14] = [
    "appends.rs", "audit.rs", "cells.rs", "claims.rs", "deliveries.rs", "erasing.rs", "erasures.rs",
    "keys.rs", "mod.rs", "presence.rs", "queue.rs", "retention.rs", "signins.rs", "tenants.rs",
];

/// Tables, with their alias, and a part of the statement that reads them without naming a tenant, and the reason. What such a
/// statement changes, it changes by its whole key, or by the place of a row that it has locked.
const WITHOUT_TENANT: [(&str, &str, &str); 20] = [
    ("console_signins", "where digest = $1", "the cookie is how the tenant becomes known"),
    ("tenants t", "where t.name = $1", "an operator's command may take a tenant's name"),
    ("tenants t", "t.arriving_from is null and ($1::uuid is null or t.id > $1)", "the operator's list"),
    ("tenants t", "where t.erased_at is null) as", "how many there are, and nothing else of them"),
    ("audit_events", "where $1::uuid is null or id < $1", "the operator's list"),
    (
        "compressions o",
        "o.status = 'running' and o.lease_until < now()",
        "claims: by lease, and counted by tenant",
    ),
    ("webhook_deliveries d", "as \"due!\"", "claims: whether anything is due"),
    ("compressions c", "group by live.kind, live.status", "metrics: nothing but counts leaves the statement"),
    ("compressions o", "o.status = 'running' and o.worker = $1", "presence: by worker"),
    ("compressions o", "o.worker is distinct from $1", "presence: by worker and time"),
    ("webhooks k", "(s.tenant_id, s.id) > ($2, $3)", "upkeep: each row is changed for its own tenant"),
    ("tenants t", "(s.tenant_id, s.id) > ($2, $3)", "upkeep: each row is changed for its own tenant"),
    ("webhooks k", "where k.previous_secret_until < now()", "upkeep: by time"),
    ("sessions s", "where s.expires_at < now()", "retention: by time"),
    ("tenants t", "where t.erased_at is not null", "erasing: the tenants that have something to delete"),
    (
        "events o",
        "order by o.events limit $1 for update skip locked",
        "retention: the macro of the next four",
    ),
    ("console_signins o", "where o.expires_at < now()", "retention: by time"),
    ("idempotency_keys o", "where o.created_at < now()", "retention: by time"),
    ("events o", "where o.created_at < now()", "retention: by time"),
    ("webhook_deliveries o", "where o.created_at < now()", "retention: by time"),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The statements of a file, each with single spaces.
fn statements(text: &str) -> Vec<String> {
    let starts = ["sqlx::query!(", "sqlx::query_as!(", "sqlx::query_scalar!(", "until_few!("];
    let calls = starts.iter().flat_map(|start| text.match_indices(start));
    let own = calls.map(|(at, _)| statement(text.get(at..).unwrap_or_default()));
    // The table and the time of each call of the macro that removes what has expired.
    let forgotten = text.split("forget_old!(self, \"").skip(1).map(|call| {
        let [table, _, time, ..] = call.split('"').collect::<Vec<_>>()[..] else {
            panic!("no table: {call}")
        };
        format!("select from {table} o where o.{time} < now()")
    });
    own.chain(forgotten).collect()
}

/// The statement of a call. Where a macro puts a name into it, stands the name of a table.
fn statement(call: &str) -> String {
    let (before, mut rest) = call.split_once('"').expect("a statement");
    let end = if before.ends_with("r#") { "\"#" } else { "\"" };
    let mut whole = String::new();
    while let Some((literal, after)) = rest.split_once(end) {
        whole.push_str(literal);
        let Some(more) = after.trim_start().strip_prefix("+ $") else { break };
        whole.push_str("events");
        let Some((_, next)) = more.split_once('"') else { break };
        rest = next;
    }
    whole.replace("\\\"", "\"").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The tables of the schema.
fn tables() -> BTreeSet<String> {
    let schema = fs::read_to_string(root().join("../../../migrations/0001_schema.sql")).expect("the schema");
    let name = |line: &str| Some(line.strip_prefix("create table ")?.strip_suffix(" (")?.to_owned());
    // The list of cells is no tenant's.
    schema.lines().filter_map(name).filter(|name| name != "cells").collect()
}

/// The tables that a statement reads or writes without naming the tenant of the rows.
fn nameless(statement: &str, tables: &BTreeSet<String>) -> Vec<String> {
    let words: Vec<&str> = statement.split(' ').map(|word| word.trim_matches(['(', ')', ','])).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let table = words.get(at + 1).copied().unwrap_or_default();
        if !["from", "join", "update", "into"].contains(word) || !tables.contains(table) {
            continue;
        }
        let rest: Vec<&str> = words.iter().skip(at + 2).filter(|word| **word != "as").copied().collect();
        let is_alias = rest.first().is_some_and(|word| word.len() == 1 || ["old", "main"].contains(word));
        let alias = if is_alias { rest.first().copied().unwrap_or_default() } else { table };
        let column = if table == "tenants" { "id" } else { "tenant_id" };
        let named = [
            format!("{alias}.{column} ="),
            format!("= {alias}.{column}"),
            // A row by its place, which a subquery finds: under the tenant, or it is on the list itself.
            format!("{alias}.ctid = any (array("),
        ];
        let is_inserted = *word == "into" && statement.contains(&format!("({column}, "));
        let is_bare = !is_alias && statement.contains(&format!(" {column} ="));
        if !is_inserted && !is_bare && !named.iter().any(|named| statement.contains(named.as_str())) {
            found.push(if is_alias { format!("{table} {alias}") } else { table.to_owned() });
        }
    }
    found
}

#[test]
fn only_listed_files_can_use_the_owners_connections() {
    let found: BTreeSet<String> = sources(&root().join("owner"))
        .iter()
        .filter_map(|path| path.file_name()?.to_str().map(str::to_owned))
        .filter(|name| name != "tests.rs")
        .collect();
    assert_eq!(found, FILES.map(str::to_owned).into());
    let own = fs::read_to_string(root().join("owner/mod.rs")).expect("the module");
    for private in ["pool: Pool,", "async fn acquire(", "async fn read(", "async fn begin_as_owner("] {
        assert!(own.contains(&format!("\n    {private}")), "others reach {private}");
    }
    for path in sources(&root().join("owner")) {
        let text = fs::read_to_string(&path).expect("a source");
        let leaks = text.lines().filter(|line| line.contains("pub") && line.contains("fn "));
        let given = ["-> Result<Tx", "-> Result<PgConnection", "-> Result<Reading"];
        let leaks: Vec<_> = leaks.filter(|line| given.iter().any(|part| line.contains(part))).collect();
        assert_eq!(leaks, [""; 0], "{}", path.display());
    }
    // Who connects without the pools does so as the owner: migrations and the watch of the server, listeners, the dump of
    // nothing but settings, moving a tenant, and the pools themselves.
    let connecting: Vec<String> = sources(&root())
        .iter()
        .filter(|path| !path.starts_with(root().join("owner")))
        .filter(|path| {
            let text = fs::read_to_string(path).expect("a source");
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            ["connect_with(", "primary::connect(", "pool_options(None"].iter().any(|part| text.contains(part))
        })
        .filter_map(|path| path.file_name()?.to_str().map(str::to_owned))
        .collect();
    let connecting: BTreeSet<String> = connecting.into_iter().collect();
    assert_eq!(
        connecting,
        ["listener.rs", "migrate.rs", "moving.rs", "pool.rs", "primary.rs"].map(str::to_owned).into()
    );
}

#[test]
fn the_owners_statements_name_the_tenant_of_each_row_or_are_listed() {
    let tables = tables();
    assert!(tables.len() > 30, "{tables:?}");
    let mut unused: BTreeSet<_> = WITHOUT_TENANT.into();
    let mut wrong = Vec::new();
    for path in sources(&root().join("owner")) {
        for statement in statements(&fs::read_to_string(&path).expect("a source")) {
            for table in nameless(&statement, &tables) {
                let listed =
                    WITHOUT_TENANT.iter().find(|(of, part, _)| *of == table && statement.contains(part));
                match listed {
                    Some(listed) => {
                        unused.remove(listed);
                    }
                    None => wrong.push(format!("{}: {table} in: {statement}", path.display())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(unused.is_empty(), "on the list for nothing: {unused:?}");
}

#[test]
fn a_statement_that_forgets_a_tenant_is_found() {
    let tables: BTreeSet<String> = ["sessions", "tenants"].map(str::to_owned).into();
    for (statement, forgotten) in [
        ("delete from sessions s where s.id = $1", 1),
        ("delete from sessions where id = $1", 1),
        ("delete from sessions s where s.tenant_id = $1 and s.id = $2", 0),
        ("select from sessions s join tenants t on t.id = s.tenant_id", 0),
        ("update sessions s set name = '' from tenants t where t.name = $1", 2),
        ("select from sessions where tenant_id = $1", 0),
    ] {
        assert_eq!(nameless(statement, &tables).len(), forgotten, "{statement}");
    }
}
