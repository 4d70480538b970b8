-- additive: programs of the version before go on working
-- Hosted trackers: deliveries by issue, what was given up, shared limits, and how far issues were compared.

-- equal for the same happening under another delivery id (R-IN-2)
alter table deliveries
  add column content_key text,
  -- a job that was tried often enough; `relay retry` sends it again
  add column given_up_at timestamptz,
  add column error text;
create index deliveries_by_issue
  on deliveries (provider, (event ->> 'externalProjectId'), (event ->> 'externalIssueId'), id);
create index deliveries_given_up on deliveries (given_up_at) where given_up_at is not null;

-- issues that changed before this were compared with what is stored (R-IN-8)
alter table repositories add column seen_until timestamptz;

-- The limits of a tracker, as its answers told them, for all processes.
create table tracker_quotas (
  quota text primary key,
  remaining integer,
  resets_at timestamptz,
  blocked_until timestamptz,
  -- when the next write may go out
  next_write_at timestamptz,
  updated_at timestamptz not null
);
