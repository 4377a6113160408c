-- The recall index. It is an inverted index of our own encoding (domain::recall::postings) and not a
-- tsvector under GIN: under row-level security a query may use an index only through leakproof
-- operators, and @@ is none, so that the service's role would scan the session at every question.
-- Equality on uuid, smallint and bigint is leakproof; no extension is needed either.

create table recall_postings (
  tenant_id uuid not null,
  session_id uuid not null,
  -- By the hash of its terms, 0 to 255; -1 is the chunk's directory (the lengths of its messages).
  bucket smallint not null constraint recall_postings_bucket_check check (bucket between -1 and 255),
  -- Which 1,024 messages, from 0.
  chunk bigint not null,
  -- One segment per indexing, in the order of the session.
  segments bytea not null,
  primary key (tenant_id, session_id, bucket, chunk),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table recall_postings is 'Which message holds which term, how often. The primary key serves a question: one range per bucket of its terms, over all chunks.';
-- Postings are dense already; compressing them costs time at every read and saves next to nothing.
alter table recall_postings alter column segments set storage external;

alter table recall_postings enable row level security;
create policy tenant on recall_postings using (tenant_id = (select current_tenant()));
grant select, insert, update, delete on recall_postings to anchord_app;
