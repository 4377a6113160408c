-- no-transaction
-- Puts back what was taken out of messages, as migration 0031 did, where that has not run. A part is taken from the text of
-- an earlier message as that is stored, so that the newest message of a session comes first; a thousand messages a commit.
do $$
declare
  v_message record;
  v_done bigint := 0;
begin
  if exists (select from _sqlx_migrations where version = 31) then
    return;
  end if;
  for v_message in
    select m.tenant_id, m.session_id, m.seq from messages m where m.body is null
    order by m.tenant_id, m.session_id, m.seq desc
  loop
    update messages m set body = original(m), rest = null, shared = null
    where m.tenant_id = v_message.tenant_id and m.session_id = v_message.session_id and m.seq = v_message.seq
      and m.body is null;
    v_done := v_done + 1;
    if v_done % 1000 = 0 then
      commit;
    end if;
  end loop;
  commit;
  -- So that no lock is held while the table is read: a column is made not null at once when a constraint proves it.
  alter table messages drop constraint if exists messages_body_not_null;
  alter table messages add constraint messages_body_not_null check (body is not null) not valid;
  commit;
  alter table messages validate constraint messages_body_not_null;
  commit;
  alter table messages alter column body set not null, drop constraint messages_body_not_null;
end $$;
