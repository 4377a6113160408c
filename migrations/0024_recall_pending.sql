-- Each version's indexing put its few postings behind those of the same bucket, and so wrote all buckets of the chunk
-- anew, to the WAL as well: for the twelfth 40 messages of a session, of 72 KB, 0.4 MB. They wait in one row of their
-- own now, and go into their buckets some indexings at a time.

create table recall_pending (
  tenant_id uuid not null,
  -- sessions.id; whoever inserts holds that row's lock, and the trigger sessions_erase_rows erases with it.
  session_id uuid not null,
  -- The first of its messages, which are all of one chunk.
  first_seq bigint not null,
  chunk bigint not null,
  -- Of the same indexing, one beside the other, as recall_postings has them.
  buckets smallint[] not null,
  segments bytea[] not null,
  primary key (tenant_id, session_id, first_seq),
  constraint recall_pending_segments_check check (cardinality(buckets) = cardinality(segments))
);
comment on table recall_pending is 'Postings of the latest indexings, which are not in their buckets yet.';
alter table recall_pending alter column segments set storage external;

alter table recall_pending enable row level security;
alter table recall_pending force row level security;
create policy tenant on recall_pending using (tenant_id = (select current_tenant()));
create policy owner on recall_pending to current_user using (true);
grant select, insert, delete on recall_pending to anchord_app;

create or replace function erase_rows_of_session() returns trigger language plpgsql set search_path = public, pg_temp
  -- As everywhere: no plan that was made while a table was empty reads all of it.
  set enable_seqscan = off
as $$
begin
  delete from ledger_entries x where x.tenant_id = old.tenant_id and x.session_id = old.id;
  delete from probes x where x.tenant_id = old.tenant_id and x.session_id = old.id;
  delete from recall_postings x where x.tenant_id = old.tenant_id and x.session_id = old.id;
  delete from recall_pending x where x.tenant_id = old.tenant_id and x.session_id = old.id;
  delete from tool_outputs x where x.tenant_id = old.tenant_id and x.session_id = old.id;
  return null;
end;
$$;

-- Adds postings to a session's index if it still reaches through p_after, and ends the job that made them when nothing
-- is left to index then. Gives what came of it: 'behind' when somebody was first or the session is gone, 'indexed', or
-- 'ended'; null, and nothing has changed, when somebody holds the session's lock and the caller does not wait for it.
create or replace function index_postings(p_tenant uuid, p_session uuid, p_after bigint, p_through bigint,
                                          p_waits boolean, p_chunk bigint, p_buckets smallint[], p_segments bytea[],
                                          p_job uuid, p_attempt integer, p_report text)
  returns text language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  -- Of so many indexings one writes the buckets of its chunk. A question reads what waits, so they are few.
  c_pending constant integer := 8;
  -- So many messages are worth that at once.
  c_large constant integer := 128;
  v_is_all boolean;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  -- Nobody is told of it, and what a crash undoes is done again: with the postings it undoes the end of their job.
  perform set_config('synchronous_commit', 'off', true);
  if not p_waits then
    perform from sessions s where s.tenant_id = p_tenant and s.id = p_session for update skip locked;
    if not found then
      return null;
    end if;
  end if;
  -- The session first, as everywhere; it is the fence too.
  update sessions s set indexed_seq = p_through
  where s.tenant_id = p_tenant and s.id = p_session and s.indexed_seq = p_after and s.head_seq >= p_through
  returning s.head_seq = p_through into v_is_all;
  if not found then
    return 'behind';
  end if;
  if p_through - p_after < c_large
     and (select count(*) from recall_pending x where x.tenant_id = p_tenant and x.session_id = p_session) < c_pending - 1
  then
    insert into recall_pending (tenant_id, session_id, first_seq, chunk, buckets, segments)
    values (p_tenant, p_session, p_after + 1, p_chunk, p_buckets, p_segments);
  else
    -- What a bucket holds already is not read: the new segments are appended to it, in the session's order.
    with pending as (
      delete from recall_pending x where x.tenant_id = p_tenant and x.session_id = p_session
      returning x.first_seq, x.chunk, x.buckets, x.segments
    ),
    indexing as (
      select first_seq, chunk, buckets, segments from pending
      union all select p_after + 1, p_chunk, p_buckets, p_segments
    )
    insert into recall_postings as old (tenant_id, session_id, bucket, chunk, segments)
    select p_tenant, p_session, new.bucket, i.chunk, string_agg(new.segment, ''::bytea order by i.first_seq)
    from indexing i cross join lateral unnest(i.buckets, i.segments) as new(bucket, segment)
    group by i.chunk, new.bucket
    on conflict (tenant_id, session_id, bucket, chunk) do update set segments = old.segments || excluded.segments;
  end if;
  if v_is_all and p_job is not null then
    update compressions c
    set status = 'succeeded', report = p_report::json, finished_at = now(), lease_until = null
    where c.tenant_id = p_tenant and c.id = p_job and c.attempt = p_attempt and c.status = 'running';
    return case when found then 'ended' else 'indexed' end;
  end if;
  return 'indexed';
end;
$$;
