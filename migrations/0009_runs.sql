-- additive: programs of the version before go on working
-- Runs of workers, what they said, and the requests that came of them (R-WORK-1 to R-WORK-9).

create table runs (
  id bigint primary key,
  task_id bigint not null references tasks on delete cascade,
  issue_id bigint not null references issues on delete cascade,
  reason text not null check (reason in ('plan', 'review', 'checks')),
  status text not null check (status in ('running', 'done', 'stuck', 'failed', 'cancelled')),
  agent text not null,
  branch text not null,
  base text,
  head text,
  iterations integer not null default 0,
  usd numeric(12, 6) not null default 0,
  detail text,
  -- what the run was asked for beside its plan, and what it left for the next step
  facts jsonb not null default '{}',
  started_at timestamptz not null,
  ended_at timestamptz
);
create index runs_by_task on runs (task_id, id);
create unique index runs_one_at_a_time on runs (task_id) where status = 'running';

create table run_log (
  run_id bigint not null references runs on delete cascade,
  seq integer not null,
  at timestamptz not null,
  iteration integer not null,
  kind text not null,
  text text not null,
  primary key (run_id, seq)
);

-- Exactly one for each task (R-WORK-7).
create table task_requests (
  task_id bigint primary key references tasks on delete cascade,
  issue_id bigint not null references issues on delete cascade,
  external_project_id text not null,
  number integer not null,
  branch text not null,
  base text not null,
  url text,
  state text not null default 'open' check (state in ('open', 'merged', 'closed')),
  -- how often red checks were given back to the agent
  red_checks integer not null default 0,
  updated_at timestamptz not null
);
create unique index task_requests_by_number on task_requests (external_project_id, number);

-- Words on a request that Relay has taken up, so that none is taken up twice.
create table request_words (
  task_id bigint not null references tasks on delete cascade,
  external_id text not null,
  external_thread_id text,
  author text not null,
  content text not null,
  path text,
  line integer,
  said_at timestamptz not null,
  -- the run that acts on it; null where it asks for nothing
  run_id bigint references runs on delete set null,
  answered boolean not null default false,
  primary key (task_id, external_id)
);

-- What is said of requests in the local tracker, and what checks say of commits.
create table local_review_threads (
  -- of the comment that opened it
  id bigint primary key,
  project text not null,
  number integer not null,
  path text,
  line integer,
  resolved boolean not null default false,
  foreign key (project, number) references local_pull_requests on delete cascade
);
create index local_review_threads_by_request on local_review_threads (project, number);

create table local_review_comments (
  id bigint primary key,
  thread_id bigint not null references local_review_threads on delete cascade,
  author text not null,
  body text not null,
  created_at timestamptz not null,
  edited_at timestamptz
);
create index local_review_comments_by_thread on local_review_comments (thread_id);

create table local_checks (
  project text not null references local_projects on delete cascade,
  commit text not null,
  name text not null,
  outcome text not null check (outcome in ('pending', 'passed', 'failed', 'other')),
  detail text not null,
  reported_at timestamptz not null,
  primary key (project, commit, name)
);
