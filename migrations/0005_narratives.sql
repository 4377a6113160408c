-- What models are asked and what they told, so that a crash pays for nothing twice and every call is accounted for.

create table llm_attempts (
  tenant_id uuid not null,
  compression_id uuid not null,
  id uuid not null,
  -- The fence of the claim that sent it.
  attempt integer not null,
  purpose text not null constraint llm_attempts_purpose_check check (purpose in ('summarise', 'repair', 'detail', 'probe', 'judge')),
  -- The messages that it was about.
  from_seq bigint not null,
  through_seq bigint not null,
  provider text not null,
  model text not null,
  -- sent until its end is known: a worker may die over it; then ok, or the error's word.
  outcome text not null default 'sent',
  http_status smallint,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  latency_ms bigint not null default 0,
  -- Millionths of the currency of the operator's prices.
  cost_micros bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (tenant_id, compression_id, id),
  foreign key (tenant_id, compression_id) references compressions (tenant_id, id) on delete cascade
);
comment on table llm_attempts is 'Every request to a model server, failed ones too; never a text of it.';

create table narrative_chunks (
  tenant_id uuid not null,
  compression_id uuid not null,
  from_seq bigint not null,
  through_seq bigint not null,
  -- What the model told of the piece, checked and without secrets (domain::narrative::Narrative).
  narrative json not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, compression_id, from_seq),
  foreign key (tenant_id, compression_id) references compressions (tenant_id, id) on delete cascade
);
comment on table narrative_chunks is 'Finished pieces of a compression that is still going on; removed when it ends.';

create table llm_breakers (
  tenant_id uuid not null,
  session_id uuid not null,
  -- Compressions in a row for which the model came to nothing, whether code made them good or not.
  failures integer not null,
  -- Until when code alone words this session; null while it is closed.
  open_until timestamptz,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, session_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table llm_breakers is 'Sessions whose last compressions a model could not word; no row is a closed breaker.';

alter table llm_attempts enable row level security;
create policy tenant on llm_attempts using (tenant_id = (select current_tenant()));
alter table narrative_chunks enable row level security;
create policy tenant on narrative_chunks using (tenant_id = (select current_tenant()));
alter table llm_breakers enable row level security;
create policy tenant on llm_breakers using (tenant_id = (select current_tenant()));
grant select, insert, update, delete on llm_attempts, narrative_chunks, llm_breakers to anchord_app;
