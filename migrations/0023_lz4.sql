-- What a version is stored in is compressed in the transaction that publishes it, under its session's lock. The
-- server's default takes a processor for 13 ms over a record of 200 KB, lz4 for 3, and the text is no longer. What is
-- stored already stays as it is and reads as before.
do $$
declare v_column record;
begin
  for v_column in
    select c.table_name, c.column_name from (values
      ('messages', 'rest'), ('messages', 'shape'), ('sessions', 'recent'), ('sessions', 'accounting'),
      ('summaries', 'meta'), ('summaries', 'document'), ('summaries', 'carry'), ('summaries', 'rendering'),
      ('summaries', 'least_rendering'), ('evaluations', 'scores'), ('evaluations', 'results'),
      ('ledger_entries', 'value'), ('probes', 'probe'), ('compressions', 'report'),
      ('shadow_candidates', 'meta'), ('shadow_candidates', 'document'), ('shadow_candidates', 'rendering'),
      ('prepared_versions', 'candidate'), ('narrative_chunks', 'narrative')
    ) as c (table_name, column_name)
  loop
    execute format('alter table %I alter column %I set compression lz4', v_column.table_name, v_column.column_name);
  end loop;
exception when feature_not_supported then raise notice 'this server has no lz4; versions use its default compression';
end $$;
