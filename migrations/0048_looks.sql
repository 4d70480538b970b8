-- additive
-- The tag of the last list of a repository's issues, where nothing in it differed from what is stored, and when its project was
-- looked up last: what has not changed is not fetched again.
alter table repositories add column list_tag text, add column looked_up_at timestamptz;

-- The last look at a request: when, the request's own time then, and whether a check was still running.
alter table task_requests
  add column looked_at timestamptz,
  add column seen_at timestamptz,
  add column checks_run boolean not null default false;

-- Leftovers of work are looked for only where there was any.
create index tasks_by_change on tasks (updated_at);
