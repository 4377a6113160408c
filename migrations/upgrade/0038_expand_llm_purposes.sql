-- no-transaction
-- The purposes that migration 0029 added, where it has not run. The rows that are there are checked without a lock that
-- anybody waits for.
do $$
begin
  if not exists (select from _sqlx_migrations where version = 29) then
    alter table llm_attempts drop constraint if exists llm_attempts_purpose_check;
    alter table llm_attempts add constraint llm_attempts_purpose_check
      check (purpose in ('summarise', 'repair', 'detail', 'probe', 'examine', 'read', 'judge')) not valid;
    commit;
    alter table llm_attempts validate constraint llm_attempts_purpose_check;
  end if;
end $$;
