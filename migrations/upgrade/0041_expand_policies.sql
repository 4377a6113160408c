-- no-transaction
-- Policies compare with a value instead of a subquery. Each table is locked for a moment and by itself; one that is done
-- is not locked again when the step is repeated.
do $$
declare
  v_policy record;
begin
  for v_policy in
    select c.relname as name, a.attname as tenant
    from pg_policy p
    join pg_class c on c.oid = p.polrelid and c.relnamespace = 'public'::regnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attname = case c.relname when 'tenants' then 'id' else 'tenant_id' end
    where p.polname = 'tenant' and pg_get_expr(p.polqual, p.polrelid) ilike '%select%'
    order by c.relname
  loop
    execute format('alter policy tenant on %I using (%I = current_tenant())', v_policy.name, v_policy.tenant);
    commit;
  end loop;
end $$;
