-- Contexts are read by a plain statement, which takes half the time of the function; what is left of the
-- function finds how much of a long tail to read.
drop function read_context;

-- Where the newest messages after p_floor begin that a context within the budget can hold. Backwards in
-- pages, counting each message at the least that it can be served with: masked, and clipped to an eighth
-- of the budget.
create function tail_within(p_tenant uuid, p_session uuid, p_floor bigint, p_head bigint, p_budget bigint)
  returns bigint language plpgsql stable set search_path = public, pg_temp
as $$
declare
  v_from bigint := p_head + 1;
  v_left bigint := p_budget;
  v_page record;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  while v_left > 0 and v_from > p_floor + 1 loop
    select min(w.seq) as seq, sum(w.cost) as cost into v_page
    from (
      select p.seq, p.cost, sum(p.cost) over (order by p.seq desc) - p.cost as before
      from (
        select m.seq, greatest(least(coalesce(m.least_tokens, m.tokens), p_budget / 8), 1)::bigint as cost
        from messages m
        where m.tenant_id = p_tenant and m.session_id = p_session and m.seq > p_floor and m.seq < v_from
        order by m.seq desc limit 500
      ) p
    ) w
    where w.before < v_left;
    -- Nothing there: the session was erased.
    exit when v_page.seq is null;
    v_from := v_page.seq;
    v_left := v_left - v_page.cost;
  end loop;
  return v_from;
end;
$$;

-- An index that begins as the primary key does takes its place in plans that are made while the table is
-- empty, and then reads all sessions of the tenant for each one that is asked for.
alter table sessions
  drop constraint sessions_name_key,
  add constraint sessions_name_key unique (name, tenant_id);
comment on index sessions_name_key is 'Finding a session by the caller''s name, at every request.';
