-- additive
-- What teams are told: one row for each target, written with what happened, and sent by a job.
create table notices (
  id bigint primary key,
  target text not null,
  issue_id bigint references issues on delete cascade,
  -- what it says; each target is told it once
  key text not null,
  body json not null,
  created_at timestamptz not null default clock_timestamp(),
  -- by the database's clock, as jobs are
  due_at timestamptz not null default clock_timestamp(),
  tries integer not null default 0,
  -- tries that the receiver answered, and refused
  refusals integer not null default 0,
  -- of the last try; null without an answer
  status integer,
  error text,
  outcome text check (outcome in ('sent', 'given_up', 'withheld')),
  ended_at timestamptz,
  unique (target, key),
  check ((outcome is null) = (ended_at is null))
);
create index notices_waiting on notices (target, id) where ended_at is null;
create index notices_given_up on notices (target, ended_at) where outcome = 'given_up';
create index notices_ended on notices (ended_at) where ended_at is not null;
create index notices_of_issue on notices (issue_id) where issue_id is not null;
