-- A tool output that a session has already is stored once: the message that repeats it keeps the place of
-- the first one's text instead of the text.
alter table messages alter column body drop not null, add column rest text, add column shared text,
  add constraint messages_body_check check ((body is null) = (rest is not null and shared is not null));
comment on column messages.body is 'The JSON text as sent; null when something was taken out of it.';
comment on column messages.rest is 'What is left of the JSON text when something was taken out of it.';
comment on column messages.shared is 'What was taken out, in order: a JSON array of [byte of the rest where it stood, seq of the message that holds it, its first byte there, its bytes].';
alter table tool_outputs add column start integer, add column bytes integer;
comment on column tool_outputs.start is 'The first byte of the output''s JSON text in its messages body or rest; null when it may not be shared.';
comment on column tool_outputs.bytes is 'The bytes of that text.';

-- A rest with everything in its place again. It runs with the caller's rights: row-level security stays in
-- force. A source that is gone is an error and never a shorter message.
create function whole_body(p_tenant uuid, p_session uuid, p_rest text, p_shared text)
  returns text language plpgsql stable
as $$
declare
  v_body bytea := convert_to(p_rest, 'UTF8');
  v_piece record;
  v_text bytea;
begin
  -- From the end, so that the places before stay where they are.
  for v_piece in
    select (e.value ->> 0)::integer as at, (e.value ->> 1)::bigint as seq,
           (e.value ->> 2)::integer as start, (e.value ->> 3)::integer as bytes
    from json_array_elements(p_shared::json) with ordinality as e(value, place) order by e.place desc
  loop
    select substring(convert_to(coalesce(m.body, m.rest), 'UTF8') from v_piece.start + 1 for v_piece.bytes) into strict v_text
    from messages m where m.tenant_id = p_tenant and m.session_id = p_session and m.seq = v_piece.seq;
    v_body := overlay(v_body placing v_text from v_piece.at + 1 for 0);
  end loop;
  return convert_from(v_body, 'UTF8');
end;
$$;

-- Bytes of what was taken out.
create function shared_bytes(p_shared text) returns integer language sql immutable
  return (select sum((e.value ->> 3)::integer)::integer from json_array_elements(p_shared::json) as e(value));

-- The JSON text of a message as it was sent, and its bytes; `m.original` and `m.original_bytes` in a query.
-- Single expressions, so that the planner puts them in place of the call: the size is read without the body.
create function original(m messages) returns text language sql stable
as $$ select coalesce(m.body, whole_body(m.tenant_id, m.session_id, m.rest, m.shared)) $$;
create function original_bytes(m messages) returns integer language sql stable
as $$ select coalesce(octet_length(m.body), octet_length(m.rest) + shared_bytes(m.shared)) $$;
