-- additive
-- When the tracker was last looked at for the issue, by the database's clock.
alter table thread_fetches add column looked_at timestamptz;
