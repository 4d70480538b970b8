-- additive
-- The labels that Relay last gave an issue in its tracker: their names are settings, and old ones are taken off.
alter table issues add column synced_labels jsonb;
update issues set synced_labels = case
  when synced_state in ('queued', 'in_progress') then '["relay:in-progress"]'::jsonb
  when synced_state in ('stuck', 'failed', 'paused') then '["relay:stuck"]'::jsonb
  when synced_state = 'in_review' then '["relay:review"]'::jsonb
  when synced_state = 'done' then '["relay:done"]'::jsonb
  else '[]'::jsonb end
where synced_state is not null;
