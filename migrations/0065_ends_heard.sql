-- additive
-- Until when, by the tracker's clock, closings and unassignments of the issue are taken into account.
alter table thread_fetches add column ends_heard_until timestamptz;
