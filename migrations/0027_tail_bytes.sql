-- Where the newest messages of a session begin that a context of p_budget tokens can hold, each counted with its outputs as
-- placeholders and with an eighth of the budget at most; the bodies that are read are bounded too, because a placeholder
-- may stand for megabytes: by 16 MiB, or 8 bytes a token where that is more.
create or replace function tail_within(p_tenant uuid, p_session uuid, p_floor bigint, p_head bigint, p_budget bigint)
  returns bigint language plpgsql stable set search_path = public, pg_temp
as $$
declare
  v_from bigint := p_head + 1;
  v_left bigint := p_budget;
  v_bytes bigint := greatest(16777216, p_budget * 8);
  v_page record;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  while v_left > 0 and v_bytes > 0 and v_from > p_floor + 1 loop
    select min(w.seq) as seq, sum(w.cost) as cost, sum(w.bytes) as bytes into v_page
    from (
      select p.seq, p.cost, p.bytes, sum(p.cost) over newest - p.cost as before, sum(p.bytes) over newest - p.bytes as bytes_before
      from (
        select m.seq, greatest(least(coalesce(m.least_tokens, m.tokens), p_budget / 8), 1)::bigint as cost,
               m.original_bytes::bigint as bytes
        from messages m
        where m.tenant_id = p_tenant and m.session_id = p_session and m.seq > p_floor and m.seq < v_from
        order by m.seq desc limit 500
      ) p
      window newest as (order by p.seq desc)
    ) w
    where w.before < v_left and w.bytes_before < v_bytes;
    -- Nothing there: the session was erased.
    exit when v_page.seq is null;
    v_from := v_page.seq;
    v_left := v_left - v_page.cost;
    v_bytes := v_bytes - v_page.bytes;
  end loop;
  return v_from;
end;
$$;
