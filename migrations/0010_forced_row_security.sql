-- Row-level security binds the tables' owner too, so that nothing but a policy opens a row. The owner's policy
-- lets the security definer functions cross tenants; the service works as another role.
do $$
declare
  t text;
begin
  for t in
    select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> '_sqlx_migrations'
  loop
    execute format('alter table %I force row level security', t);
    execute format('create policy owner on %I to current_user using (true)', t);
  end loop;
end $$;
