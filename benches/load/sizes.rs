//! What a stored message takes on the disk, table by table and index by index.

use anyhow::Context as _;
use serde_json::{Value, json};
use sqlx::Row as _;

use crate::report::{self, Report, rounded};
use crate::servers::Servers;

/// Every table's rows and large values, and every index of it. `fsm` and `vm` maps count with the rows.
const RELATIONS: &str = "
select t.relname as of, t.relname as name, 'rows' as kind,
  (pg_table_size(t.oid) - coalesce(pg_total_relation_size(nullif(t.reltoastrelid, 0)), 0))::float8 as bytes
from pg_class t join pg_namespace n on n.oid = t.relnamespace
where t.relkind = 'r' and n.nspname = 'public'
union all
select t.relname, t.relname, 'large values', pg_total_relation_size(t.reltoastrelid)::float8
from pg_class t join pg_namespace n on n.oid = t.relnamespace
where t.relkind = 'r' and n.nspname = 'public' and t.reltoastrelid <> 0
union all
select t.relname, i.relname, 'index', pg_relation_size(i.oid)::float8
from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
  join pg_namespace n on n.oid = t.relnamespace
where n.nspname = 'public'
order by 4 desc";

/// What is below is told as one sum: in bytes per message, and in bytes, because every relation has some pages.
const LEAST: f64 = 0.5;
const LEAST_BYTES: f64 = 65_536.0;

/// Weighs a database in which nothing was done but storing messages of 1 KB and summarising them.
pub async fn measure(servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    servers.look("vacuum analyze").await?;
    let counted =
        servers.look("select count(*)::float8, avg(octet_length(body))::float8 from messages").await?;
    let counted = counted.first().context("a count")?;
    let (messages, body): (f64, f64) = (counted.try_get(0)?, counted.try_get(1)?);
    let (mut rows, mut rest, mut all) = (Vec::new(), 0.0, 0.0);
    for row in servers.look(RELATIONS).await? {
        let bytes: f64 = row.try_get(3)?;
        let each = bytes / messages;
        all += each;
        if each < LEAST || bytes < LEAST_BYTES {
            rest += each;
            continue;
        }
        let (of, name, kind): (String, String, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        report::line(&format!("{each:>8.1} bytes per message: {kind} {name}"));
        rows.push(json!({ "table": of, "name": name, "kind": kind, "bytes": rounded(each) }));
    }
    report::line(&format!("{all:>8.1} bytes per message in all, of which {body:.0} are its JSON"));
    let told = json!({
        "messages": messages, "body_bytes": rounded(body), "all_bytes": rounded(all), "rest_bytes": rounded(rest),
        "rows": Value::Array(rows),
    });
    report.add("sizes", told);
    Ok(())
}
