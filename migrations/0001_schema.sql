-- The whole schema; its functions follow in the next file.
--
-- Conventions:
-- * Every table of a tenant's begins its primary key, its unique keys and its foreign keys with tenant_id, and has row
--   security that fails closed. The service works as the role anchord_app, which owns nothing; what crosses tenants runs as
--   the owner, on connections of its own (crates/store/src/owner).
-- * Bodies and documents are json or text, never jsonb: they are read back as they were written, and faster.
-- * Tables that grow with every message have no foreign key to sessions, because checking it costs an append an eighth of
--   its time: who inserts holds the session's lock, and the list in crates/store/src/owner/erasures.rs names them.

do $$
begin
  -- Asked first, because an owner that may not make roles is refused also when the role exists.
  if not exists (select from pg_roles where rolname = 'anchord_app') then
    create role anchord_app nologin;
  end if;
exception when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  execute format('grant anchord_app to %I', current_user);
exception when others then raise notice 'anchord_app is granted to % already', current_user;
end $$;

create function current_tenant() returns uuid language sql stable parallel safe
  return nullif(current_setting('app.tenant_id', true), '')::uuid;
comment on function current_tenant() is
  'The tenant of the transaction, null until the service has set it. The planner puts its expression in place of the call, so that a policy compares a column with a value and uses its index.';

-- Tenants and their keys ------------------------------------------------------------------------------------------------

create table tenants (
  id uuid primary key,
  name text not null constraint tenants_name_key unique,
  settings json not null default '{}',
  created_at timestamptz not null default now(),
  suspended_at timestamptz,
  quotas json not null default '{}',
  provider_keys json not null default '{}',
  retention_days integer constraint tenants_retention_days_check check (retention_days between 1 and 36500),
  revision bigint not null default 1,
  erased_at timestamptz,
  moved_to text,
  arriving_from text
);
comment on table tenants is 'Customers of the installation; each owns every row that carries its id.';
comment on column tenants.settings is 'Defaults of the tenant''s sessions, in the shape of a session''s settings.';
comment on column tenants.suspended_at is 'Since when its requests are refused and its jobs wait; null while it is not suspended.';
comment on column tenants.quotas is 'Bounds of this tenant (session::quota::Quotas); where one is absent, the installation''s holds.';
comment on column tenants.provider_keys is 'Keys of model providers by provider, encrypted, in base64; the gateway sends them upstream.';
comment on column tenants.retention_days is 'How long sessions are kept that nobody writes to; null for ever.';
comment on column tenants.revision is 'Grows with every change of the settings, because sessions are decided on them.';
comment on column tenants.erased_at is 'When it was erased or left this cell: hidden since, without its name, until its rows are deleted in steps; null for all others.';
comment on column tenants.moved_to is 'The cell that it was moved to; what is left here is erased. Null for all others.';
comment on column tenants.arriving_from is 'The cell of which this is a copy, which counts once that one has the tenant no more; null when it is here.';
create index tenants_erased_idx on tenants (erased_at) where erased_at is not null;
comment on index tenants_erased_idx is 'Upkeep: tenants whose rows are to be deleted.';

create table api_keys (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  prefix text not null,
  digest bytea not null constraint api_keys_digest_key unique,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  name text,
  last_used_at timestamptz,
  primary key (tenant_id, id)
);
comment on table api_keys is 'API keys, as digests. The unique index on digest serves the search at every request.';
comment on column api_keys.prefix is 'The first characters of the key, by which people recognise it.';
comment on column api_keys.digest is 'SHA-256 of the key; the key itself is stored nowhere.';
comment on column api_keys.last_used_at is 'To the minute: written now and then, not at every request.';

create table console_signins (
  tenant_id uuid not null,
  digest bytea not null,
  credential bytea not null,
  is_operator boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (tenant_id, digest)
);
comment on table console_signins is 'Who is signed in to the console: a digest of the random id in the cookie, and of the key or the operator token that it stands for. The key is checked at every request, so that a revoked one ends its sign-ins.';
comment on column console_signins.tenant_id is 'The key''s tenant; the nil id for the operator.';
comment on column console_signins.digest is 'SHA-256 of the id in the cookie; the id itself is stored nowhere.';
comment on column console_signins.credential is 'SHA-256 of the key or of the operator token, by which it is looked up.';
create index console_signins_digest_idx on console_signins (digest);
comment on index console_signins_digest_idx is 'The search at every request of the console, by which the tenant becomes known.';
create index console_signins_expiry_idx on console_signins (expires_at);
comment on index console_signins_expiry_idx is 'Upkeep: sign-ins that have ended.';

create table audit_events (
  tenant_id uuid not null,
  id uuid not null,
  actor text not null,
  action text not null,
  subject text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
comment on table audit_events is 'What operators and keys with the scope admin did. The service only appends to it, and it outlives its tenant. Ids are time-ordered, so that the primary key serves pages.';
comment on column audit_events.actor is 'operator, cli, or the id of the API key.';
comment on column audit_events.subject is 'The id of what was changed; never a name, a secret or a text.';
create index audit_events_id_idx on audit_events (id desc);
comment on index audit_events_id_idx is 'The operator''s list over all tenants, newest first.';

-- Sessions --------------------------------------------------------------------------------------------------------------

create table sessions (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  name text not null,
  settings json not null default '{}',
  task_id text,
  parent_session_id text,
  head_seq bigint not null default 0,
  anchor_seq bigint not null default 0,
  version bigint,
  last_version bigint not null default 0,
  compression_count integer not null default 0,
  context_revision bigint not null default 1,
  indexed_seq bigint not null default 0,
  accounting json not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  recent text,
  expires_at timestamptz,
  revision bigint not null default 1,
  erased_at timestamptz,
  user_id text,
  root_id uuid,
  branch text not null default 'main',
  current_id uuid,
  branch_count integer not null default 0,
  dropped_at timestamptz,
  depth integer not null default 0,
  base_id uuid,
  base_seq bigint not null default 0,
  jump_id uuid,
  jump_seq bigint not null default 0,
  version_base_id uuid,
  base_version bigint not null default 0,
  base_anchor_seq bigint not null default 0,
  index_base_id uuid,
  base_indexed_seq bigint not null default 0,
  first_digest bytea,
  settings_revision bigint not null default 0,
  importing boolean not null default false,
  primary key (tenant_id, id),
  -- The name comes first: an index that begins as the primary key does takes its place in plans that are made while the
  -- table is empty, and then reads all sessions of the tenant for each one that is asked for.
  constraint sessions_name_key unique (name, tenant_id)
) with (fillfactor = 70);
comment on table sessions is 'One row per branch of a conversation: positions and running counts. The row of the branch main stands for the conversation: it has its name and its settings, and stays when main is erased. Updates touch no indexed column, so that they stay on their page.';
comment on column sessions.id is 'Made by the service and time-ordered; callers know the name.';
comment on column sessions.name is 'The caller''s; of a branch other than main one that no caller can write.';
comment on column sessions.settings is 'Those of the conversation. Only in the row of main.';
comment on column sessions.head_seq is 'Position of the newest message; the next one gets head_seq + 1.';
comment on column sessions.anchor_seq is 'Through which message the current version covers the session.';
comment on column sessions.version is 'The current version; null before the first one.';
comment on column sessions.last_version is 'The newest version ever made; a rollback makes a new one.';
comment on column sessions.context_revision is 'Grows with every change of pins or notes that changes the context; in the row of main with every change of the settings, too.';
comment on column sessions.indexed_seq is 'Through which message the recall index reaches.';
comment on column sessions.accounting is 'Running token and message counts (session::accounting), so that an append costs the same at any length.';
comment on column sessions.recent is 'The history that the signals of the last append needed (session::trigger::Recent), as JSON text; null where they needed none. A column of its own, because no read of a context needs it.';
comment on column sessions.expires_at is 'When the session of a single call is erased; null for callers'' own sessions.';
comment on column sessions.revision is 'Grows with every write to the row: a change that was decided on another revision is decided again.';
comment on column sessions.erased_at is 'When it was erased: hidden since, without its name, until its rows are deleted in steps (erasures); null for all others.';
comment on column sessions.user_id is 'The end user whom the session is with, as the caller names them; null when nobody is named.';
comment on column sessions.root_id is 'The row of main; null in that row itself.';
comment on column sessions.branch is 'The branch''s name, unique in the conversation.';
comment on column sessions.current_id is 'The branch that operations act on when they name none; null while it is main. Only in the row of main.';
comment on column sessions.branch_count is 'How many branches there are beside main, erased ones that others stand on included. Only in the row of main.';
comment on column sessions.dropped_at is 'When the branch was erased although others stand on it: hidden since, and kept as far as they need it.';
comment on column sessions.depth is 'How many branches it stands on; main stands on none.';
comment on column sessions.base_id is 'The branch whose own message the last shared one is: messages through base_seq are read there, or where that branch reads them. Null for main.';
comment on column sessions.base_seq is 'The last message that is shared; the first of its own is the next.';
comment on column sessions.jump_id is 'A branch further below, chosen so that the owner of any message is found in a number of steps that grows with the logarithm of the depth.';
comment on column sessions.jump_seq is 'The last message that is shared with that branch.';
comment on column sessions.version_base_id is 'The branch whose own version base_version is; null when it began without one.';
comment on column sessions.base_version is 'The version that it began with; its own have higher numbers.';
comment on column sessions.base_anchor_seq is 'Through which message base_version covers the session: the ledger through there is its owner''s.';
comment on column sessions.index_base_id is 'The branch in whose recall index and vectors messages through base_indexed_seq are; null when there is none.';
comment on column sessions.base_indexed_seq is 'Through which message the index of index_base_id serves this branch too; its own begins behind.';
comment on column sessions.first_digest is 'The digest of its first own message, by which a transcript that goes on here is recognised; null before there is one, and for main.';
comment on column sessions.settings_revision is 'Grows with every change of the settings: what was decided on older ones for another branch is decided again. Only in the row of main.';
comment on column sessions.importing is 'Whether an import has begun it and not ended: only then it takes further pieces of a file. Only in the row of main.';
comment on index sessions_name_key is 'Finding a session by the caller''s name, at every request.';
create index sessions_task_idx on sessions (tenant_id, task_id) where task_id is not null;
comment on index sessions_task_idx is 'The sessions of a task.';
create index sessions_parent_idx on sessions (tenant_id, parent_session_id) where parent_session_id is not null;
comment on index sessions_parent_idx is 'The sessions under a parent.';
create index sessions_user_idx on sessions (tenant_id, user_id, id) where user_id is not null;
comment on index sessions_user_idx is 'The sessions of a user, newest first.';
create index sessions_expires_at_idx on sessions (expires_at) where expires_at is not null;
comment on index sessions_expires_at_idx is 'Upkeep: sessions of single calls that are old enough to be erased.';

create unique index sessions_branch_key on sessions (root_id, tenant_id, branch) where root_id is not null and dropped_at is null;
comment on index sessions_branch_key is 'Finding a branch by its name.';
create index sessions_base_idx on sessions (base_id, tenant_id, base_seq) where base_id is not null;
comment on index sessions_base_idx is 'The branches that stand on a branch: where a transcript goes on, and how much of an erased one must stay.';
create index sessions_main_idx on sessions (tenant_id, id) where root_id is null;
comment on index sessions_main_idx is 'Lists and counts of sessions, each of which is one however many branches it has.';

create index sessions_root_idx on sessions (root_id, tenant_id, id) where root_id is not null;
comment on index sessions_root_idx is 'The branches of a session, oldest first, erased ones included.';

create table session_metadata (
  tenant_id uuid not null,
  name text not null,
  value text not null,
  session_id uuid not null,
  primary key (tenant_id, name, value, session_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table session_metadata is 'The fields of sessions'' metadata by which lists filter: texts, numbers and booleans at the top. Rows and not a GIN index over the document, because under row security a query may use an index only by leakproof operators, of which @> is none; and the primary key serves a page in the order of the list.';
comment on column session_metadata.value is 'A text as it is, a number or a boolean as JSON writes it.';
create index session_metadata_session_idx on session_metadata (tenant_id, session_id);
comment on index session_metadata_session_idx is 'Replacing the metadata of a session; erasing it.';

create table erasures (
  tenant_id uuid not null,
  session_id uuid not null,
  due_at timestamptz not null default now(),
  through_seq bigint not null default 0,
  primary key (tenant_id, session_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table erasures is 'Erased sessions whose rows are still to be deleted, in steps that are short however large a session is.';
comment on column erasures.due_at is 'When the next step is due; later than the erasure when a step has failed.';
comment on column erasures.through_seq is 'Through which message they are deleted, so that no step walks over the index entries of those before.';

create table tasks (
  tenant_id uuid not null references tenants (id) on delete cascade,
  task_id text not null,
  status text not null constraint tasks_status_check check (status in ('active', 'completed', 'failed', 'abandoned')),
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, task_id),
  constraint tasks_ended_check check ((ended_at is null) = (status = 'active'))
);
comment on table tasks is 'How tasks ended, as callers report it; a task without a row is active. Erased with its last session.';
create index tasks_ended_idx on tasks (tenant_id, ended_at) where ended_at is not null;
comment on index tasks_ended_idx is 'The report: tasks that ended within a time.';

create table pins (
  tenant_id uuid not null,
  session_id uuid not null,
  position integer not null,
  id text not null,
  body text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, position),
  constraint pins_id_key unique (tenant_id, session_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table pins is 'Constraints that every version and context carry word for word.';
comment on column pins.created_at is 'When it was pinned; a list that still has it keeps it.';

create table notes (
  tenant_id uuid not null,
  session_id uuid not null,
  id bigint not null,
  seq bigint not null,
  body text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, id, seq),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table notes is 'What the session''s agent noted for itself by its tool; data, which contexts show as such. A note that is replaced or removed keeps what it was, a bounded number of times, for branches that are forked before that.';
comment on column notes.id is 'Its number in the session, never used again (accounting.last_note).';
comment on column notes.seq is 'The newest message when it got this text.';
comment on column notes.body is 'Its text, without secrets; null from where it was removed.';
comment on column notes.created_at is 'When it got this text.';

create table dropped_entries (
  tenant_id uuid not null,
  session_id uuid not null,
  entry_id text not null,
  dropped_at timestamptz not null default now(),
  primary key (tenant_id, session_id, entry_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table dropped_entries is 'Entries of the record that the caller dropped, by id: constraints, which are not extracted again, and requests, which are closed.';

create table todo_lists (
  tenant_id uuid not null,
  session_id uuid not null,
  revision bigint not null,
  items json not null,
  changes json not null,
  version bigint,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, session_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table todo_lists is 'A session''s todo list as its caller keeps it, with what compressions changed and proposed.';
comment on column todo_lists.revision is 'Grows with every change; a compression writes only to the revision that it has read.';
comment on column todo_lists.items is 'Items (facts::todo::Todo) in the caller''s order.';
comment on column todo_lists.changes is 'What the last change was (facts::todo::TodoChange).';
comment on column todo_lists.version is 'The version that brought the last change; null when the caller did.';

-- Messages --------------------------------------------------------------------------------------------------------------

create table messages (
  tenant_id uuid not null,
  session_id uuid not null,
  seq bigint not null,
  role text not null,
  format text not null,
  tokens integer not null,
  least_tokens integer,
  shape text,
  keep text,
  component text,
  body text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, seq)
);
comment on table messages is 'Every message, word for word; rows are only added. The primary key serves pages of originals, spans and tails.';
comment on column messages.session_id is 'sessions.id; without a foreign key: who inserts holds that row''s lock, and erasing deletes.';
comment on column messages.least_tokens is 'Its tokens with every tool output as a placeholder; null when that is the same number.';
comment on column messages.shape is 'What grouping and masking need without the body (messages::shape); null for a plain text message.';
comment on column messages.keep is 'The caller''s mark: never; null when there is none. Messages to keep are in sessions.accounting.';
comment on column messages.component is 'The caller''s component; null when the role says it.';
comment on column messages.body is 'The JSON text as sent.';

create table tool_outputs (
  tenant_id uuid not null,
  session_id uuid not null,
  reference text not null,
  seq bigint not null,
  ordinal integer not null,
  primary key (tenant_id, session_id, reference)
);
comment on table tool_outputs is 'Where a tool output is that a placeholder refers to: its content hash, and the first message that holds it.';
comment on column tool_outputs.session_id is 'sessions.id; without a foreign key: who inserts holds that row''s lock, and erasing deletes.';
comment on column tool_outputs.ordinal is 'Which of the message''s tool results it is, from 0.';

create table idempotency_keys (
  tenant_id uuid not null references tenants (id) on delete cascade,
  route text not null,
  key text not null,
  session_id uuid,
  body_digest bytea not null,
  status smallint not null,
  reply text not null,
  headers json not null default '{}',
  created_at timestamptz not null default now(),
  primary key (tenant_id, route, key),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table idempotency_keys is 'Replies that are given again for 24 hours; each commits with the effect that it reports.';
comment on column idempotency_keys.session_id is 'The session of the route, with which it is erased; null when there is none.';
create index idempotency_keys_age_idx on idempotency_keys (created_at);
comment on index idempotency_keys_age_idx is 'Upkeep: replies older than a day.';
create index idempotency_keys_session_idx on idempotency_keys (tenant_id, session_id) where session_id is not null;
comment on index idempotency_keys_session_idx is 'Erasing a session with its kept replies.';

-- Versions: what compressions publish -----------------------------------------------------------------------------------

create table summaries (
  tenant_id uuid not null,
  session_id uuid not null,
  version bigint not null,
  parent_version bigint,
  compression_id uuid,
  from_seq bigint not null,
  through_seq bigint not null,
  meta json not null,
  document json not null,
  carry json not null,
  rendering text not null,
  rendering_tokens integer not null,
  smaller_renderings text[] not null,
  smaller_tokens integer[] not null,
  recap text not null default '',
  created_at timestamptz not null default now(),
  parts bigint[] not null,
  digest text,
  digest_tokens integer,
  head_seq bigint not null,
  mask_upto bigint not null,
  mask_from bigint not null,
  carried_seq bigint,
  primary key (tenant_id, session_id, version),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table summaries is 'Versions: immutable.';
comment on column summaries.compression_id is 'The compression that made it; null for a rollback.';
comment on column summaries.meta is 'record::version::VersionMeta.';
comment on column summaries.document is 'What of the record stands in no list.';
comment on column summaries.carry is 'What reading the next span needs to know (facts::ledger::Carry).';
comment on column summaries.rendering is 'The text of the message that contexts serve, whole; rendering_tokens are that message''s tokens.';
comment on column summaries.smaller_renderings is 'The same in smaller forms, the largest first, with smaller_tokens.';
comment on column summaries.recap is 'The part of it that is repeated behind the newest messages.';
comment on column summaries.parts is 'Ids of the record''s parts (record_parts), in their order.';
comment on column summaries.digest is 'The text of the message that serves the digest; null when there is none.';
comment on column summaries.digest_tokens is 'That message''s tokens; null when there is none.';
comment on column summaries.head_seq is 'The newest message when it was published.';
comment on column summaries.mask_upto is 'Through which message large outputs were clipped then.';
comment on column summaries.mask_from is 'The tokens from which on they were; 0 when none was.';
comment on column summaries.carried_seq is 'The user message that it covers and that was served beside it; null when there was none.';

create table record_parts (
  tenant_id uuid not null,
  session_id uuid not null,
  id bigint not null,
  entries text not null,
  primary key (tenant_id, session_id, id)
);
comment on table record_parts is 'Entries of the lists of summary records, stored once: immutable, and shared by the versions that name them.';
comment on column record_parts.session_id is 'sessions.id; without a foreign key: who inserts holds that row''s lock, and erasing deletes.';
comment on column record_parts.id is 'Made of its version''s number and its place there (record::parts).';
comment on column record_parts.entries is 'JSON, as text: Postgres need not read it to store it.';
alter table record_parts alter column entries set storage main;

create table ledger_entries (
  tenant_id uuid not null,
  session_id uuid not null,
  kind text not null constraint ledger_entries_kind_check check (kind in ('command', 'test_run')),
  first_seq bigint not null,
  ordinal integer not null,
  value json not null,
  primary key (tenant_id, session_id, kind, first_seq, ordinal)
);
comment on table ledger_entries is 'Every command and test run of the summarised messages; files, errors, identifiers and constraints are in the record itself.';
comment on column ledger_entries.session_id is 'sessions.id; without a foreign key: who inserts holds that row''s lock, and erasing deletes.';
comment on column ledger_entries.ordinal is 'Its place among the entries of its message.';

create table probes (
  tenant_id uuid not null,
  session_id uuid not null,
  id uuid not null,
  source text not null constraint probes_source_check check (source in ('generated', 'caller')),
  version bigint,
  retired_in_version bigint,
  probe json not null,
  created_at timestamptz not null default now(),
  -- A text search, once, when it is written: Postgres reads no field of a document that has an escaped NUL in any, and a
  -- quote in a fact is escaped, so that only the field itself is written like this.
  is_exam boolean not null generated always as (probe::text like '%"reference":%') stored,
  is_critical boolean not null generated always as (probe::text like '%"critical":true%') stored,
  primary key (tenant_id, session_id, id)
);
comment on table probes is 'Questions that must be answerable from the context. Ids are time-ordered, so that the primary key serves pages.';
comment on column probes.session_id is 'sessions.id; without a foreign key: who inserts holds that row''s lock, and erasing deletes.';
comment on column probes.version is 'The version whose span it came from; null for a caller''s probe.';
comment on column probes.retired_in_version is 'The version from which on it is no longer asked; null while it is.';
comment on column probes.is_exam is 'Whether a model wrote it for an exam (record::exam), with the answer that it expects.';
comment on column probes.is_critical is 'Whether a version that fails it is refused; asked again of every later one.';
create index probes_asked_idx on probes (tenant_id, session_id, id)
  where retired_in_version is null and (source = 'caller' or is_critical);
comment on index probes_asked_idx is 'Compressing: the probes that the next version is asked.';
create index probes_callers_idx on probes (tenant_id, session_id, created_at) where source = 'caller';
comment on index probes_callers_idx is 'The caller''s probes: how many there are.';
create index probes_exam_idx on probes (tenant_id, session_id, version) where is_exam;
comment on index probes_exam_idx is 'Compressing: the questions of earlier exams that are still true.';

create table evaluations (
  tenant_id uuid not null,
  session_id uuid not null,
  id uuid not null,
  version bigint,
  compression_id uuid,
  scores json not null,
  results json not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table evaluations is 'Runs of the probes against a version, or against a candidate that was refused.';
comment on column evaluations.version is 'The version; null for a refused candidate.';
comment on column evaluations.scores is 'record::probe::Evaluation.';
comment on column evaluations.results is 'The verdicts, probe by probe.';

-- The queue -------------------------------------------------------------------------------------------------------------

create table compressions (
  tenant_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  kind text not null constraint compressions_kind_check check (kind in ('compress', 'evaluate', 'index')),
  status text not null constraint compressions_status_check
    check (status in ('queued', 'running', 'succeeded', 'failed', 'rejected', 'skipped', 'superseded', 'cancelled')),
  trigger text not null,
  request json not null,
  parent_version bigint,
  from_seq bigint,
  through_seq bigint,
  version bigint,
  attempt integer not null default 0,
  crashes integer not null default 0,
  worker bigint,
  due_at timestamptz not null default now(),
  lease_until timestamptz,
  report json,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  trace_context text constraint compressions_trace_context_check check (length(trace_context) = 55),
  doubted_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
) with (fillfactor = 70);
comment on table compressions is 'The job queue, and the record of what came of each job: compressions, evaluations and indexing.';
comment on column compressions.trigger is 'What asked for it: manual, or the signal.';
comment on column compressions.request is 'Its parameters (session::compression::Request).';
comment on column compressions.from_seq is 'The span begins here, fixed at the first claim, as are parent_version and through_seq.';
comment on column compressions.version is 'The version that it published.';
comment on column compressions.attempt is 'The fence: grows with every claim, and every write of a worker carries the number that it claimed with.';
comment on column compressions.crashes is 'How many of the attempts ended with their worker or its lease.';
comment on column compressions.worker is 'The number of the worker that claimed it last.';
comment on column compressions.report is 'What came of it (session::compression::Report).';
comment on column compressions.trace_context is 'W3C traceparent of what asked for it, so that the worker''s spans continue its trace.';
comment on column compressions.doubted_at is 'Since when its worker holds no presence lock; null while nobody doubts it.';
create unique index compressions_live_key on compressions (tenant_id, session_id, kind)
  where status in ('queued', 'running') and kind in ('compress', 'index');
comment on index compressions_live_key is 'At most one live compression and one live indexing per session; enqueue is on conflict do nothing.';
create index compressions_waiting_idx on compressions (tenant_id, due_at) where status = 'queued';
comment on index compressions_waiting_idx is 'Claiming: which tenants wait, and the oldest job of each.';
create index compressions_running_idx on compressions (tenant_id, lease_until) where status = 'running';
comment on index compressions_running_idx is 'Claiming: how many jobs each tenant runs; takeover: leases that ran out, workers that died.';
create index compressions_session_idx on compressions (tenant_id, session_id, id desc);
comment on index compressions_session_idx is 'The compressions of a session, newest first (ids are time-ordered).';

create table narrative_chunks (
  tenant_id uuid not null,
  compression_id uuid not null,
  from_seq bigint not null,
  through_seq bigint not null,
  narrative json not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, compression_id, from_seq),
  foreign key (tenant_id, compression_id) references compressions (tenant_id, id) on delete cascade
);
comment on table narrative_chunks is 'Finished pieces of a running compression, so that a crash pays a model for nothing twice; removed when it ends.';
comment on column narrative_chunks.narrative is 'The model''s answer about the piece, checked and without secrets (record::changes).';

create table llm_attempts (
  tenant_id uuid not null,
  compression_id uuid not null,
  id uuid not null,
  attempt integer not null,
  purpose text not null constraint llm_attempts_purpose_check
    check (purpose in ('summarise', 'repair', 'detail', 'probe', 'examine', 'read', 'judge')),
  from_seq bigint not null,
  through_seq bigint not null,
  provider text not null,
  model text not null,
  outcome text not null default 'sent',
  http_status smallint,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  latency_ms bigint not null default 0,
  cost_micros bigint not null default 0,
  created_at timestamptz not null default now(),
  cached_tokens bigint not null default 0,
  primary key (tenant_id, compression_id, id),
  foreign key (tenant_id, compression_id) references compressions (tenant_id, id) on delete cascade
);
comment on table llm_attempts is 'Every request to a model server, failed ones too; never a text of it.';
comment on column llm_attempts.attempt is 'The fence of the claim that sent it.';
comment on column llm_attempts.from_seq is 'The messages from here through through_seq are what it was about.';
comment on column llm_attempts.outcome is 'sent until its end is known, because a worker may die meanwhile; then ok, or the kind of error.';
comment on column llm_attempts.cost_micros is 'Millionths of the currency of the operator''s prices.';
comment on column llm_attempts.cached_tokens is 'Those of the input tokens that the server read from its cache.';

create table llm_breakers (
  tenant_id uuid not null,
  session_id uuid not null,
  failures integer not null,
  open_until timestamptz,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, session_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table llm_breakers is 'Circuit breakers: sessions whose last compressions failed at the model. No row is a closed breaker.';
comment on column llm_breakers.failures is 'Compressions in a row in which the model failed, whether code made up for it or not.';
comment on column llm_breakers.open_until is 'Until when code alone words this session; null while it is closed.';

-- Recall ----------------------------------------------------------------------------------------------------------------

-- An inverted index of our own encoding (crates/recall) and not a tsvector under GIN: under row security a query may use an
-- index only by leakproof operators. @@ is none, so that every question would read the session; equality on uuid, smallint
-- and bigint is.
create table recall_postings (
  tenant_id uuid not null,
  session_id uuid not null,
  bucket smallint not null constraint recall_postings_bucket_check check (bucket between -1 and 255),
  chunk bigint not null,
  segments bytea not null,
  primary key (tenant_id, session_id, bucket, chunk)
);
comment on table recall_postings is 'Which message holds which term, and how often. The primary key serves a question: one range per bucket of its terms, over all chunks.';
comment on column recall_postings.session_id is 'sessions.id; without a foreign key: who inserts holds that row''s lock, and erasing deletes.';
comment on column recall_postings.bucket is 'By the hash of its terms, 0 to 255; -1 is the chunk''s directory with the lengths of its messages.';
comment on column recall_postings.chunk is 'Which 1,024 messages, from 0.';
comment on column recall_postings.segments is 'One segment per indexing, in the order of the session.';
-- Postings are dense: compressing them costs time at every read and saves next to nothing.
alter table recall_postings alter column segments set storage external;

create table recall_pending (
  tenant_id uuid not null,
  session_id uuid not null,
  first_seq bigint not null,
  chunk bigint not null,
  buckets smallint[] not null,
  segments bytea[] not null,
  primary key (tenant_id, session_id, first_seq),
  constraint recall_pending_segments_check check (cardinality(buckets) = cardinality(segments))
);
comment on table recall_pending is 'Postings of the newest indexings, which go into their buckets some indexings at a time: writing all buckets at each would write them anew.';
comment on column recall_pending.session_id is 'sessions.id; without a foreign key: who inserts holds that row''s lock, and erasing deletes.';
comment on column recall_pending.first_seq is 'The first of its messages, which are all of one chunk.';
comment on column recall_pending.buckets is 'The buckets of the segments, one by one.';
alter table recall_pending alter column segments set storage external;

create table recall_embeddings (
  tenant_id uuid not null,
  session_id uuid not null,
  model text not null default '',
  dimensions integer not null default 0,
  through_seq bigint not null default 0,
  due_at timestamptz default now(),
  leased_until timestamptz,
  attempt integer not null default 0,
  failures integer not null default 0,
  primary key (tenant_id, session_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
) with (fillfactor = 70);
comment on table recall_embeddings is 'How far a session''s messages have vectors, and the queue of those that make them; without an embeddings server there are no rows.';
comment on column recall_embeddings.model is 'The model of the vectors; empty before the first ones. With another model all are made anew.';
comment on column recall_embeddings.dimensions is 'How many numbers a vector has.';
comment on column recall_embeddings.through_seq is 'Through which message there are vectors.';
comment on column recall_embeddings.due_at is 'When the next batch is made; during an attempt, when that counts as lost; null when every message has its vectors.';
comment on column recall_embeddings.leased_until is 'Until when an attempt may run; null when none does.';
comment on column recall_embeddings.attempt is 'The fence: grows with every claim, and every write of a worker carries the number that it claimed with.';
comment on column recall_embeddings.failures is 'Attempts in a row that failed, by which the next wait grows.';
create index recall_embeddings_due_idx on recall_embeddings (tenant_id, due_at) where due_at is not null;
comment on index recall_embeddings_due_idx is 'Claiming: which tenants wait, and the oldest of each.';
create index recall_embeddings_leased_idx on recall_embeddings (leased_until) where leased_until is not null;
comment on index recall_embeddings_leased_idx is 'Claiming: how many attempts of each tenant run.';

create table recall_vectors (
  tenant_id uuid not null,
  session_id uuid not null,
  block bigint not null,
  model text not null,
  dimensions integer not null,
  vectors bytea not null,
  primary key (tenant_id, session_id, block)
);
comment on table recall_vectors is 'Vectors of messages by what they mean (crates/recall/src/vectors.rs). The primary key serves a question: one range, the newest blocks first.';
comment on column recall_vectors.session_id is 'sessions.id; without a foreign key: who inserts holds that row''s lock, and erasing deletes.';
comment on column recall_vectors.block is 'Which 64 messages, from 0.';
comment on column recall_vectors.model is 'The model that made them; a question with another one does not read them.';
comment on column recall_vectors.vectors is 'Quantised to a byte for each dimension, in the order of the session.';
-- Quantised numbers are dense.
alter table recall_vectors alter column vectors set storage external;

-- Events and webhooks ---------------------------------------------------------------------------------------------------

create table events (
  tenant_id uuid not null,
  session_id uuid not null,
  id bigint not null,
  kind text not null,
  payload json not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table events is 'What happened in a session, written in the commit of what it reports; kept for some days.';
comment on column events.id is 'Microseconds of the clock, given while the session is locked, so that within a session the order of ids is the order of commits.';
create index events_created_at_idx on events (created_at);
comment on index events_created_at_idx is 'Upkeep: events that are old enough to be removed.';
create index events_switched_idx on events (tenant_id, session_id, id) where kind = 'session.branch_switched';
comment on index events_switched_idx is 'Following a session across switches: which branch was current behind an event.';

create table webhooks (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  url text not null,
  description text,
  events text[],
  disabled_reason text constraint webhooks_disabled_reason_check check (disabled_reason in ('caller', 'gone', 'failing')),
  disabled_at timestamptz,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint webhooks_disabled_check check ((disabled_reason is null) = (disabled_at is null))
);
comment on table webhooks is 'Addresses that a tenant''s events are sent to, with the secrets that sign them.';
comment on column webhooks.events is 'The kinds of events that it gets; null for all.';
comment on column webhooks.disabled_reason is 'Why it gets nothing; null while it is enabled.';
comment on column webhooks.secret is 'Encrypted with a key of ANCHORD_SECRETS_KEY, or as it is without one, because it must sign; shown once, in no list and no log.';
comment on column webhooks.previous_secret is 'The one before, which signs too until previous_secret_until.';
comment on column webhooks.failing_since is 'When the first of the failed attempts was since which none has succeeded.';
create index webhooks_previous_secret_idx on webhooks (previous_secret_until) where previous_secret_until is not null;
comment on index webhooks_previous_secret_idx is 'Upkeep: old secrets that no longer sign.';
create index webhooks_disabled_idx on webhooks (tenant_id, id) where disabled_reason is not null;
comment on index webhooks_disabled_idx is 'Upkeep: what is pending for disabled webhooks.';

create table webhook_deliveries (
  tenant_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  session_id uuid,
  event_id bigint,
  event text not null,
  payload json not null,
  status text not null default 'pending'
    constraint webhook_deliveries_status_check check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  due_at timestamptz default now(),
  leased_until timestamptz,
  attempts integer not null default 0,
  tries integer not null default 0,
  last_status_code integer,
  last_error text,
  last_duration_ms bigint,
  last_attempt_at timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (tenant_id, webhook_id, id),
  foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade,
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade,
  constraint webhook_deliveries_due_check check ((status = 'pending') = (due_at is not null))
);
comment on table webhook_deliveries is 'Messages to webhooks, written in the commit of their event: the queue of those who deliver, and the log of what came of it, kept for some weeks.';
comment on column webhook_deliveries.id is 'The message''s id, the same for every webhook of an event; time-ordered.';
comment on column webhook_deliveries.session_id is 'The session of its event, with which it is erased; null for a test message.';
comment on column webhook_deliveries.event_id is 'events.id of its event, which may be removed before it.';
comment on column webhook_deliveries.due_at is 'When a pending one is tried. During an attempt: when that counts as lost, and it is tried again.';
comment on column webhook_deliveries.leased_until is 'Until when an attempt may run; null when none does.';
comment on column webhook_deliveries.attempts is 'All attempts so far, and the fence of the one that runs.';
comment on column webhook_deliveries.tries is 'Attempts since it was made, or asked for again.';
create index webhook_deliveries_due_idx on webhook_deliveries (due_at) where status = 'pending';
comment on index webhook_deliveries_due_idx is 'Claiming: whether anything is due at all. Metrics: for how long the oldest has been.';
create index webhook_deliveries_waiting_idx on webhook_deliveries (tenant_id, webhook_id, due_at) where status = 'pending';
comment on index webhook_deliveries_waiting_idx is 'Claiming: which webhooks have something pending, and the oldest due of each. Disabling: what is pending.';
create index webhook_deliveries_leased_idx on webhook_deliveries (leased_until) where leased_until is not null;
comment on index webhook_deliveries_leased_idx is 'Claiming: how many attempts run for each webhook and tenant.';
create index webhook_deliveries_session_idx on webhook_deliveries (tenant_id, session_id);
comment on index webhook_deliveries_session_idx is 'Erasing a session with its messages to webhooks.';
create index webhook_deliveries_created_at_idx on webhook_deliveries (created_at);
comment on index webhook_deliveries_created_at_idx is 'Upkeep: deliveries that are old enough to be removed.';

-- Contexts that were served ---------------------------------------------------------------------------------------------

create table served_contexts (
  tenant_id uuid not null,
  session_id uuid not null,
  id uuid not null,
  served_at timestamptz not null,
  head_seq bigint not null,
  version bigint,
  parameters json not null,
  tokens json not null,
  sha256 bytea not null,
  primary key (tenant_id, session_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table served_contexts is 'Which contexts a session was served, by which each can be built again: the newest ones of a session, about 2,000 of them, noted in the background.';
comment on column served_contexts.id is 'Time-ordered, so that the primary key serves pages.';
comment on column served_contexts.head_seq is 'The newest message then.';
comment on column served_contexts.version is 'The summary version that it showed; null without one.';
comment on column served_contexts.parameters is 'What it was asked with (store::served::Parameters).';
comment on column served_contexts.tokens is 'Its tokens by component (store::served::ServedTokens).';
comment on column served_contexts.sha256 is 'Over what was sent: the system prompt and the messages, as JSON.';

-- Usage -----------------------------------------------------------------------------------------------------------------

create table usage_by_session (
  tenant_id uuid not null,
  session_id uuid not null,
  task_id text not null default '',
  day date not null,
  kind text not null constraint usage_by_session_kind_check
    check (kind in ('context', 'append', 'messages', 'tool_outputs', 'recall', 'reported', 'model', 'version')),
  calls bigint not null default 0,
  failures bigint not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  tokens_cached bigint not null default 0,
  tokens_whole bigint not null default 0,
  time_us bigint not null default 0,
  cost_micros bigint not null default 0,
  last_tokens bigint not null default 0,
  first_at timestamptz not null,
  last_at timestamptz not null,
  messages bigint not null default 0,
  bytes bigint not null default 0,
  primary key (tenant_id, session_id, task_id, day, kind),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
) with (fillfactor = 70);
comment on table usage_by_session is 'What a session used for a task on a day; erased with the session. The primary key serves the upserts and the last served context. What each figure means for each kind: session::usage::Figures.';
comment on column usage_by_session.task_id is 'The session''s task at the time of use; empty without one.';
comment on column usage_by_session.day is 'The day in UTC.';
comment on column usage_by_session.last_tokens is 'The tokens of the newest call: a provider''s report is about the context that was served last.';
create index usage_by_session_task_idx on usage_by_session (tenant_id, task_id) where task_id <> '';
comment on index usage_by_session_task_idx is 'The figures of a task, over all of its sessions.';

create table usage_by_day (
  tenant_id uuid not null references tenants (id) on delete cascade,
  day date not null,
  kind text not null constraint usage_by_day_kind_check
    check (kind in ('context', 'append', 'messages', 'tool_outputs', 'recall', 'reported', 'model', 'version')),
  calls bigint not null default 0,
  failures bigint not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  tokens_cached bigint not null default 0,
  tokens_whole bigint not null default 0,
  time_us bigint not null default 0,
  cost_micros bigint not null default 0,
  messages bigint not null default 0,
  bytes bigint not null default 0,
  primary key (tenant_id, day, kind)
) with (fillfactor = 70);
comment on table usage_by_day is 'What a tenant used on a day, sessions included that are erased since; it names none of them. The primary key serves the report, the quotas and the upserts.';
comment on column usage_by_day.bytes is 'Bytes of messages that came on that day, less those of sessions that were erased on it: the sum over all days is what is stored.';

-- Compression by the server ---------------------------------------------------------------------------------------------

-- The default takes a processor for 13 ms over a record of 200 KB, under its session's lock; lz4 takes 3, where the server
-- has it.
do $$
declare v_column record;
begin
  for v_column in
    select c.table_name, c.column_name from (values
      ('messages', 'body'), ('messages', 'shape'), ('sessions', 'recent'), ('sessions', 'accounting'),
      ('summaries', 'meta'), ('summaries', 'document'), ('summaries', 'carry'), ('summaries', 'rendering'),
      ('summaries', 'smaller_renderings'), ('summaries', 'digest'), ('record_parts', 'entries'),
      ('evaluations', 'scores'), ('evaluations', 'results'), ('ledger_entries', 'value'), ('probes', 'probe'),
      ('compressions', 'report'), ('narrative_chunks', 'narrative')
    ) as c (table_name, column_name)
  loop
    execute format('alter table %I alter column %I set compression lz4', v_column.table_name, v_column.column_name);
  end loop;
exception when feature_not_supported then raise notice 'this server has no lz4; columns use its default compression';
end $$;

-- Who may see and change what -------------------------------------------------------------------------------------------

-- Two policies on every table. `tenant` shows the rows of the transaction's tenant, and no row while there is none. Row
-- security binds the owner too, so that nothing but a policy opens a row: `owner` is what lets the owner's connections
-- cross tenants.
do $$
declare
  t text;
begin
  for t in
    select c.relname from pg_class c
    where c.relnamespace = current_schema()::text::regnamespace and c.relkind = 'r' and c.relname <> '_sqlx_migrations'
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant on %I using (%I = current_tenant())',
                   t, case t when 'tenants' then 'id' else 'tenant_id' end);
    execute format('create policy owner on %I to current_user using (true)', t);
    execute format('grant select, insert, update, delete on %I to anchord_app', t);
  end loop;
end $$;
-- What is erased is shown to nobody from that moment on, however long deleting its rows takes.
-- That a tenant has moved is seen by what still works on it here (enter_tenant).
alter policy tenant on tenants using (id = current_tenant() and (erased_at is null or moved_to is not null));
alter policy tenant on sessions using (tenant_id = current_tenant() and erased_at is null);
do $$ begin execute format('grant usage on schema %I to anchord_app', current_schema()); end $$;
-- The audit log is append-only; parts and pending postings never change; sessions and tenants are erased by the owner.
revoke update, delete on audit_events from anchord_app;
revoke update on record_parts, recall_pending from anchord_app;
revoke delete on sessions, tenants from anchord_app;
revoke delete on erasures from anchord_app;

-- Cells -----------------------------------------------------------------------------------------------------------------

create table cells (
  name text primary key,
  schema text not null,
  url bytea,
  created_at timestamptz not null default now()
);
comment on table cells is 'The cells beside the home cell, which alone uses this table. It is the owner''s, and no tenant''s.';
comment on column cells.schema is 'The schema that has the cell''s tables.';
comment on column cells.url is 'The address of its server, encrypted with a key of ANCHORD_SECRETS_KEY; null for the server of the home cell.';
alter table cells enable row level security;
alter table cells force row level security;
create policy owner on cells to current_user using (true);

create function enter_tenant(p_tenant uuid, p_writes boolean) returns void language plpgsql volatile as $$
begin
  -- Held by whoever moves the tenant, from before its rows are copied until they count elsewhere.
  if p_writes and not pg_try_advisory_xact_lock_shared(1633772134, hashtext(p_tenant::text)) then
    raise exception 'the tenant is being moved to another cell' using errcode = 'AN002';
  end if;
  -- A statement of its own, which sees what was committed before the lock was free.
  if exists (select from tenants t where t.id = p_tenant and t.moved_to is not null) then
    raise exception 'the tenant was moved to another cell' using errcode = 'AN003';
  end if;
end;
$$;
comment on function enter_tenant is
  'Begins work on a tenant where there are several cells: fails with AN003 when the tenant has left this cell, and for a writer with AN002 while it is leaving.';
revoke execute on function enter_tenant from public;
grant execute on function enter_tenant to anchord_app;
