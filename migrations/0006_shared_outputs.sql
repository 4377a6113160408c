-- A tool output that a session has already is stored once: the message that repeats it keeps the place of
-- the first one's text instead of the text.
alter table messages add column shared text;
comment on column messages.shared is 'What was taken out of the body, in order: a JSON array of [byte of the body where it stood, seq of the message whose body holds it, its first byte there, its bytes].';
alter table tool_outputs add column start integer, add column bytes integer;
comment on column tool_outputs.start is 'The first byte of the output''s JSON text in the stored body of its message; null when it may not be shared.';
comment on column tool_outputs.bytes is 'The bytes of that text.';

-- A body with everything in its place again. It runs with the caller's rights: row-level security stays in
-- force. A source that is gone is an error and never a shorter message.
create function whole_body(p_tenant uuid, p_session uuid, p_body text, p_shared text)
  returns text language plpgsql stable
as $$
declare
  v_body bytea := convert_to(p_body, 'UTF8');
  v_piece record;
  v_text bytea;
begin
  -- From the end, so that the places before stay where they are.
  for v_piece in
    select (e.value ->> 0)::integer as at, (e.value ->> 1)::bigint as seq,
           (e.value ->> 2)::integer as start, (e.value ->> 3)::integer as bytes
    from json_array_elements(p_shared::json) with ordinality as e(value, place) order by e.place desc
  loop
    select substring(convert_to(m.body, 'UTF8') from v_piece.start + 1 for v_piece.bytes) into strict v_text
    from messages m where m.tenant_id = p_tenant and m.session_id = p_session and m.seq = v_piece.seq;
    v_body := overlay(v_body placing v_text from v_piece.at + 1 for 0);
  end loop;
  return convert_from(v_body, 'UTF8');
end;
$$;

-- Bytes of what was taken out of a body.
create function shared_bytes(p_shared text) returns integer language sql immutable
  return (select sum((e.value ->> 3)::integer)::integer from json_array_elements(p_shared::json) as e(value));

-- The JSON text of a message as it was sent, and its bytes; `m.original` and `m.original_bytes` in a query.
-- Single expressions, so that the planner puts them in place of the call: a message of its own costs nothing
-- more, and its size is read without its body.
create function original(m messages) returns text language sql stable
as $$ select case when m.shared is null then m.body else whole_body(m.tenant_id, m.session_id, m.body, m.shared) end $$;
create function original_bytes(m messages) returns integer language sql stable
as $$ select case when m.shared is null then octet_length(m.body)
                  else octet_length(m.body) + shared_bytes(m.shared) end $$;
