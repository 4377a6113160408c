//! Commits appends to several sessions, of any tenants, in one statement: under row-level security a transaction has one
//! tenant, so that many small tenants would need as many commits.
//!
//! Every row gets the tenant of the session whose place it names, and is written only when that one is. The statement waits
//! for no lock: what is locked counts as changed, and is read and decided again.

use super::Owner;
use crate::prelude::*;
use crate::{channel, events};

/// The new state of a session.
#[derive(Debug)]
pub(crate) struct ChangeRow<'a> {
    pub(crate) tenant_id: Uuid,
    pub(crate) id: Uuid,
    pub(crate) name: &'a str,
    /// The revision that it was decided on; `None` for a new session.
    pub(crate) revision: Option<i64>,
    pub(crate) above_revision: i64,
    pub(crate) head_seq: i64,
    pub(crate) accounting: String,
    pub(crate) recent: Option<String>,
    /// Settings of a new session, if it has any; what follows is taken from them.
    pub(crate) settings: Option<String>,
    pub(crate) user_id: Option<&'a str>,
}

/// A field of a new session's metadata by which lists filter. In this and the following rows, `place` is the index of the
/// session in `changes`, from 1.
#[derive(Debug)]
pub(crate) struct MetadataRow<'a> {
    pub(crate) place: i64,
    pub(crate) name: &'a str,
    pub(crate) value: String,
}

/// A message.
#[derive(Debug)]
pub(crate) struct MessageRow<'a> {
    pub(crate) place: i64,
    pub(crate) seq: i64,
    pub(crate) role: &'a str,
    pub(crate) format: &'a str,
    pub(crate) tokens: i32,
    pub(crate) least_tokens: Option<i32>,
    pub(crate) shape: Option<&'a str>,
    pub(crate) keep: Option<&'a str>,
    pub(crate) component: Option<&'a str>,
    pub(crate) body: &'a str,
}

/// A tool output.
#[derive(Debug)]
pub(crate) struct OutputRow<'a> {
    pub(crate) place: i64,
    pub(crate) reference: &'a str,
    pub(crate) seq: i64,
    pub(crate) ordinal: i32,
}

/// A reply that is stored under an idempotency key.
#[derive(Debug)]
pub(crate) struct ReplyRow<'a> {
    pub(crate) place: i64,
    pub(crate) route: &'a str,
    pub(crate) key: &'a str,
    pub(crate) body_digest: &'a [u8],
    pub(crate) reply: &'a str,
}

/// A job to be queued.
#[derive(Debug)]
pub(crate) struct JobRow<'a> {
    pub(crate) place: i64,
    pub(crate) id: Uuid,
    pub(crate) kind: &'a str,
    pub(crate) trigger: &'a str,
    pub(crate) request: String,
    pub(crate) trace: Option<&'a str>,
}

/// An event.
#[derive(Debug)]
pub(crate) struct EventRow {
    pub(crate) place: i64,
    pub(crate) session: SessionKey,
    pub(crate) kind: &'static str,
    pub(crate) payload: String,
}

/// Rows that are written together.
#[derive(Debug, Default)]
pub(crate) struct Rows<'a> {
    pub(crate) changes: Vec<ChangeRow<'a>>,
    pub(crate) metadata: Vec<MetadataRow<'a>>,
    pub(crate) messages: Vec<MessageRow<'a>>,
    pub(crate) outputs: Vec<OutputRow<'a>>,
    pub(crate) replies: Vec<ReplyRow<'a>>,
    pub(crate) jobs: Vec<JobRow<'a>>,
    pub(crate) events: Vec<EventRow>,
}

/// A connection on which appends are committed.
#[derive(Debug)]
pub(crate) struct Committer(PgConnection);

impl Owner {
    /// Waits for a connection on which appends are committed.
    pub(crate) async fn committer(&self) -> Result<Committer> {
        Ok(Committer(self.acquire().await?))
    }
}

impl Committer {
    pub(crate) fn is_usable(&self) -> bool {
        self.0.is_usable()
    }

    /// Writes the rows and commits; returns the places of the sessions that had not changed since they were read. Nothing of
    /// the others is written.
    pub(crate) async fn commit(&mut self, rows: &Rows<'_>) -> Result<Vec<i64>> {
        // Few appends have events. All others are one statement, which commits by itself.
        if rows.events.is_empty() {
            return rows.write(&mut self.0).await;
        }
        self.0.begin("begin").await?;
        let written = rows.write(&mut self.0).await;
        self.0.end(if written.is_ok() { "commit" } else { "rollback" }).await?;
        written
    }
}

/// The values of a column.
fn column<'a, R, T>(rows: &'a [R], of: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}

impl Rows<'_> {
    /// Writes the rows as [`Committer::commit`] does, in the open transaction if there is one.
    pub(crate) async fn write(&self, connection: &mut PgConnection) -> Result<Vec<i64>> {
        let done = if self.are_messages_of_known_sessions() {
            self.write_messages(connection).await?
        } else {
            self.write_all(connection).await?
        };
        for event in self.events.iter().filter(|event| done.contains(&event.place)) {
            events::write(connection, event.session, &[(event.kind, event.payload.as_str())]).await?;
        }
        Ok(done)
    }

    /// Whether every session exists, and gets messages and their tool outputs alone.
    fn are_messages_of_known_sessions(&self) -> bool {
        let Self { changes, metadata, messages: _, outputs: _, replies, jobs, events: _ } = self;
        let makes_none = changes.iter().all(|change| change.revision.is_some());
        makes_none && metadata.is_empty() && replies.is_empty() && jobs.is_empty()
    }

    /// Writes what most appends have. The parts of [`Self::write_all`] that would write nothing cost the server as much as
    /// these, because it prepares each part of a statement at every run. What both have must stay the same.
    async fn write_messages(&self, connection: &mut PgConnection) -> Result<Vec<i64>> {
        let Self { changes, messages, outputs, .. } = self;
        let written = sqlx::query!(
            r#"with held as materialized (
                 select w.*
                 from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
                   with ordinality as w(tenant_id, id, revision, above_revision, head_seq, accounting, recent, place)
                 cross join lateral (
                   select x.root_id from sessions x where x.tenant_id = w.tenant_id and x.id = w.id and x.revision = w.revision
                   limit 1 for no key update skip locked
                 ) s
                 where w.above_revision = (select t.revision from tenants t where t.id = w.tenant_id)
                   + coalesce((select r.settings_revision from sessions r
                               where r.tenant_id = w.tenant_id and r.id = s.root_id limit 1), 0)
               ),
               updated as (
                 update sessions s
                 set head_seq = h.head_seq, accounting = h.accounting::json, recent = h.recent, revision = h.revision + 1,
                     updated_at = now()
                 from held h where s.tenant_id = h.tenant_id and s.id = h.id
                 returning h.place
               ),
               new_messages as (
                 insert into messages (tenant_id, session_id, seq, role, format, tokens, least_tokens, shape, keep, component,
                                       body)
                 select ($1::uuid[])[m.place], ($2::uuid[])[m.place], m.seq, m.role, m.format, m.tokens, m.least_tokens, m.shape,
                        m.keep, m.component, m.body
                 from unnest($8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::integer[], $13::integer[], $14::text[],
                             $15::text[], $16::text[], $17::text[])
                   as m(place, seq, role, format, tokens, least_tokens, shape, keep, component, body)
                 where (m.place in (select u.place from updated u)) is true
               ),
               new_outputs as (
                 insert into tool_outputs (tenant_id, session_id, reference, seq, ordinal)
                 select ($1::uuid[])[o.place], ($2::uuid[])[o.place], o.reference, o.seq, o.ordinal
                 from unnest($18::bigint[], $19::text[], $20::bigint[], $21::integer[]) as o(place, reference, seq, ordinal)
                 where (o.place in (select u.place from updated u)) is true
                 on conflict do nothing
               )
               select array(select u.place from updated u) as "done!""#,
            &column(changes, |row| row.tenant_id),
            &column(changes, |row| row.id),
            &column(changes, |row| row.revision) as &[Option<i64>],
            &column(changes, |row| row.above_revision),
            &column(changes, |row| row.head_seq),
            &column(changes, |row| row.accounting.as_str()) as &[&str],
            &column(changes, |row| row.recent.as_deref()) as &[Option<&str>],
            &column(messages, |row| row.place),
            &column(messages, |row| row.seq),
            &column(messages, |row| row.role) as &[&str],
            &column(messages, |row| row.format) as &[&str],
            &column(messages, |row| row.tokens),
            &column(messages, |row| row.least_tokens) as &[Option<i32>],
            &column(messages, |row| row.shape) as &[Option<&str>],
            &column(messages, |row| row.keep) as &[Option<&str>],
            &column(messages, |row| row.component) as &[Option<&str>],
            &column(messages, |row| row.body) as &[&str],
            &column(outputs, |row| row.place),
            &column(outputs, |row| row.reference) as &[&str],
            &column(outputs, |row| row.seq),
            &column(outputs, |row| row.ordinal),
        )
        .fetch_one(connection)
        .await?;
        Ok(written.done)
    }

    /// Writes rows of all kinds.
    #[expect(clippy::too_many_lines, reason = "a statement with its parameters")]
    async fn write_all(&self, connection: &mut PgConnection) -> Result<Vec<i64>> {
        let Self { changes, metadata, messages, outputs, replies, jobs, events: _ } = self;
        // Rows that refer to a tenant lock it, and would wait for one that is being erased.
        let refers = |place: i64, change: &ChangeRow<'_>| {
            change.revision.is_none() || replies.iter().any(|reply| reply.place == place)
        };
        let referring: Vec<bool> = (1..).zip(changes).map(|(place, change)| refers(place, change)).collect();
        let written = sqlx::query!(
            r#"with wanted as materialized (
                 select c.* from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
                                        $8::text[], $9::text[], $10::text[], $11::boolean[])
                   with ordinality as c(tenant_id, id, name, revision, above_revision, head_seq, accounting, recent, settings,
                                        user_id, refers, place)
               ),
               replies as materialized (
                 select ($1::uuid[])[r.place] as tenant_id, r.*
                 from unnest($12::bigint[], $13::text[], $14::text[], $15::bytea[], $16::text[])
                   as r(place, route, key, body_digest, reply)
               ),
               -- Sessions with a key that was used before. Who adds a key holds the session's lock and writes its row, so that a
               -- key that comes later breaks the revision.
               answered as materialized (
                 select r.place from replies r
                 cross join lateral (
                   select from idempotency_keys x
                   where x.tenant_id = r.tenant_id and x.route = r.route and x.key = r.key
                     and x.created_at > now() - interval '24 hours'
                     and (x.session_id is null
                          or (select s.erased_at is null and s.dropped_at is null from sessions s
                              where s.tenant_id = x.tenant_id and s.id = x.session_id limit 1))
                   limit 1
                 ) used
               ),
               free as materialized (
                 select n.tenant_id, t.revision from (select distinct w.tenant_id from wanted w where w.refers) n
                 cross join lateral (
                   select x.revision from tenants x where x.id = n.tenant_id and x.erased_at is null
                   limit 1 for key share skip locked
                 ) t
               ),
               open as materialized (
                 select w.* from wanted w
                 where not exists (select from answered a where a.place = w.place)
                   and (not w.refers or exists (select from free f where f.tenant_id = w.tenant_id))
               ),
               held as materialized (
                 select o.place from open o
                 cross join lateral (
                   select x.root_id from sessions x where x.tenant_id = o.tenant_id and x.id = o.id and x.revision = o.revision
                   limit 1 for no key update skip locked
                 ) s
                 -- As `load` reads it.
                 where o.above_revision = (select t.revision from tenants t where t.id = o.tenant_id)
                   + coalesce((select r.settings_revision from sessions r
                               where r.tenant_id = o.tenant_id and r.id = s.root_id limit 1), 0)
               ),
               updated as (
                 update sessions s
                 set head_seq = w.head_seq, accounting = w.accounting::json, recent = w.recent, revision = w.revision + 1,
                     updated_at = now()
                 from wanted w
                 -- Here and below `is true` keeps this from becoming a join, which would compare every row with every place.
                 where (w.place in (select h.place from held h)) is true and s.tenant_id = w.tenant_id and s.id = w.id
                 returning w.place
               ),
               made as (
                 insert into sessions (tenant_id, id, name, head_seq, accounting, recent, settings, user_id)
                 select o.tenant_id, o.id, o.name, o.head_seq, o.accounting::json, o.recent, coalesce(o.settings, '{}')::json,
                        o.user_id
                 from open o join free f on f.tenant_id = o.tenant_id and f.revision = o.above_revision
                 where o.revision is null
                 -- The order in which everybody makes the same sessions, so that no two wait for each other.
                 order by o.tenant_id, o.name
                 on conflict on constraint sessions_name_key do nothing
                 returning id
               ),
               done as materialized (
                 select u.place from updated u
                 union all
                 select w.place from wanted w where (w.id in (select m.id from made m)) is true
               ),
               new_metadata as (
                 insert into session_metadata (tenant_id, name, value, session_id)
                 select ($1::uuid[])[f.place], f.name, f.value, ($2::uuid[])[f.place]
                 from unnest($17::bigint[], $18::text[], $19::text[]) as f(place, name, value)
                 where (f.place in (select d.place from done d)) is true
               ),
               new_messages as (
                 insert into messages (tenant_id, session_id, seq, role, format, tokens, least_tokens, shape, keep, component,
                                       body)
                 select ($1::uuid[])[m.place], ($2::uuid[])[m.place], m.seq, m.role, m.format, m.tokens, m.least_tokens, m.shape,
                        m.keep, m.component, m.body
                 from unnest($20::bigint[], $21::bigint[], $22::text[], $23::text[], $24::integer[], $25::integer[], $26::text[],
                             $27::text[], $28::text[], $29::text[])
                   as m(place, seq, role, format, tokens, least_tokens, shape, keep, component, body)
                 where (m.place in (select d.place from done d)) is true
               ),
               new_outputs as (
                 -- The first message that holds an output is the one that a reference leads to.
                 insert into tool_outputs (tenant_id, session_id, reference, seq, ordinal)
                 select ($1::uuid[])[o.place], ($2::uuid[])[o.place], o.reference, o.seq, o.ordinal
                 from unnest($30::bigint[], $31::text[], $32::bigint[], $33::integer[]) as o(place, reference, seq, ordinal)
                 where (o.place in (select d.place from done d)) is true
                 on conflict do nothing
               ),
               new_replies as (
                 insert into idempotency_keys (tenant_id, route, key, session_id, body_digest, status, reply)
                 select r.tenant_id, r.route, r.key, ($2::uuid[])[r.place], r.body_digest, 201, r.reply
                 from replies r where (r.place in (select d.place from done d)) is true
                 -- A conflict is a reply that has expired and is not removed yet.
                 on conflict (tenant_id, route, key) do update
                 set session_id = excluded.session_id, body_digest = excluded.body_digest, status = excluded.status,
                     reply = excluded.reply, headers = excluded.headers, created_at = now()
               ),
               queued as (
                 insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context)
                 select ($1::uuid[])[j.place], j.id, ($2::uuid[])[j.place], j.kind, 'queued', j.trigger, j.request::json, j.trace
                 from unnest($34::bigint[], $35::uuid[], $36::text[], $37::text[], $38::text[], $39::text[])
                   as j(place, id, kind, trigger, request, trace)
                 where (j.place in (select d.place from done d)) is true
                 on conflict (tenant_id, session_id, kind)
                   where status in ('queued', 'running') and kind in ('compress', 'index') do nothing
                 returning 1
               )
               select array(select d.place from done d) as "done!",
                      -- A notification costs every commit that carries one.
                      (select count(pg_notify($40, '')) from (select from queued limit 1) one) as told"#,
            &column(changes, |row| row.tenant_id),
            &column(changes, |row| row.id),
            &column(changes, |row| row.name) as &[&str],
            &column(changes, |row| row.revision) as &[Option<i64>],
            &column(changes, |row| row.above_revision),
            &column(changes, |row| row.head_seq),
            &column(changes, |row| row.accounting.as_str()) as &[&str],
            &column(changes, |row| row.recent.as_deref()) as &[Option<&str>],
            &column(changes, |row| row.settings.as_deref()) as &[Option<&str>],
            &column(changes, |row| row.user_id) as &[Option<&str>],
            &referring,
            &column(replies, |row| row.place),
            &column(replies, |row| row.route) as &[&str],
            &column(replies, |row| row.key) as &[&str],
            &column(replies, |row| row.body_digest) as &[&[u8]],
            &column(replies, |row| row.reply) as &[&str],
            &column(metadata, |row| row.place),
            &column(metadata, |row| row.name) as &[&str],
            &column(metadata, |row| row.value.as_str()) as &[&str],
            &column(messages, |row| row.place),
            &column(messages, |row| row.seq),
            &column(messages, |row| row.role) as &[&str],
            &column(messages, |row| row.format) as &[&str],
            &column(messages, |row| row.tokens),
            &column(messages, |row| row.least_tokens) as &[Option<i32>],
            &column(messages, |row| row.shape) as &[Option<&str>],
            &column(messages, |row| row.keep) as &[Option<&str>],
            &column(messages, |row| row.component) as &[Option<&str>],
            &column(messages, |row| row.body) as &[&str],
            &column(outputs, |row| row.place),
            &column(outputs, |row| row.reference) as &[&str],
            &column(outputs, |row| row.seq),
            &column(outputs, |row| row.ordinal),
            &column(jobs, |row| row.place),
            &column(jobs, |row| row.id),
            &column(jobs, |row| row.kind) as &[&str],
            &column(jobs, |row| row.trigger) as &[&str],
            &column(jobs, |row| row.request.as_str()) as &[&str],
            &column(jobs, |row| row.trace) as &[Option<&str>],
            channel::JOBS,
        )
        .fetch_one(connection)
        .await?;
        Ok(written.done)
    }
}
