-- The types that migration 0031 made, where it has not run.
do $$
begin
  if exists (select from _sqlx_migrations where version = 31) then
    return;
  end if;
  create type session_change as (
    tenant_id uuid, id uuid, name text, revision bigint, tenant_revision bigint, head_seq bigint, accounting text,
    recent text
  );
  create type new_message as (
    place integer, seq bigint, role text, format text, tokens integer, least_tokens integer, shape text, keep text,
    component text, body text
  );
  create type new_output as (place integer, reference text, seq bigint, ordinal integer);
  create type new_reply as (place integer, route text, key text, body_digest bytea, reply text);
  create type new_job as (place integer, id uuid, kind text, trigger text, request text, trace text);
  create type new_event as (place integer, kind text, payload text, message_id uuid);
  create type compression_end as (
    tenant_id uuid, session_id uuid, id uuid, from_status text, attempt integer, status text, report text,
    revision bigint, tenant_revision bigint, accounting text, recent text
  );
  create type new_version as (
    version bigint, parent_version bigint, from_seq bigint, through_seq bigint, meta text, document text, parts bigint[],
    carry text, rendering text, rendering_tokens integer, least_rendering text, least_tokens integer, recap text,
    digest text, digest_tokens integer
  );
  create type new_part as (id bigint, entries text);
  create type new_ledger_entry as (kind text, seq bigint, ordinal integer, value text);
  create type new_todos as (revision bigint, items text, changes text);
  create type new_verdict as (id uuid, scores text, results text, retired uuid[]);
  create type new_probe as (id uuid, probe text);
  create type new_prepared_version as (parent_version bigint, context_revision bigint, through_seq bigint, candidate text);
end $$;
