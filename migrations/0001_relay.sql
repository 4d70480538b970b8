-- Relay's tables. Ids are Snowflake ids made by Relay (bigint here, strings everywhere else).
-- Enumerations are text with checks: a new value is a migration, and dumps stay readable.

create table workspaces (
  id bigint primary key,
  name text not null unique,
  created_at timestamptz not null
);

create table integrations (
  id bigint primary key,
  workspace_id bigint not null references workspaces,
  provider text not null check (provider in ('local', 'github', 'gitlab')),
  base_url text not null,
  bot_username text not null,
  created_at timestamptz not null,
  unique (workspace_id, provider, base_url)
);

create table repositories (
  id bigint primary key,
  integration_id bigint not null references integrations,
  external_project_id text not null,
  -- where the code is: a directory on this machine, or the address to fetch from; never with credentials
  clone_source text,
  default_branch text,
  mode text not null default 'plan' check (mode in ('spec', 'plan', 'implement')),
  created_at timestamptz not null,
  unique (integration_id, external_project_id)
);

create table issues (
  id bigint primary key,
  repository_id bigint not null references repositories,
  external_issue_id text not null,
  title text not null,
  body text not null,
  labels jsonb not null default '[]',
  assignees jsonb not null default '[]',
  reporter text not null,
  url text,
  state text not null,
  resumes_as text,
  language text not null default 'en',
  spec jsonb,
  failed_cycles integer not null default 0,
  last_gap_number integer not null default 0,
  quiet_until timestamptz,
  assigned_at timestamptz not null,
  plan_posted_at timestamptz,
  opened_at timestamptz not null,
  updated_at timestamptz not null,
  unique (repository_id, external_issue_id)
);
create index issues_by_state on issues (state);

-- The full thread as last fetched (R-IN-5), replaced only as a whole (R-IN-6).
create table messages (
  issue_id bigint not null references issues on delete cascade,
  seq integer not null,
  external_id text not null,
  external_thread_id text,
  author text not null,
  role text not null check (role in ('reporter', 'assignee', 'self', 'other')),
  is_bot boolean not null,
  posted_at timestamptz not null,
  edited_at timestamptz,
  reply_to_seq integer,
  content text not null,
  -- a cycle has read it as it is now; an edit makes it unseen again
  seen boolean not null default false,
  primary key (issue_id, external_id),
  unique (issue_id, seq) deferrable initially deferred
);

-- What trackers told us, stored before it is acknowledged (R-IN-2).
create table deliveries (
  id bigint primary key,
  provider text not null,
  delivery_id text not null,
  event jsonb not null,
  received_at timestamptz not null,
  processed_at timestamptz,
  decision text,
  unique (provider, delivery_id)
);
create index deliveries_unprocessed on deliveries (received_at) where processed_at is null;

create table gaps (
  id bigint primary key,
  issue_id bigint not null references issues on delete cascade,
  number integer not null,
  question text not null,
  evidence text,
  severity text not null check (severity in ('blocking', 'high', 'medium', 'low')),
  respondent text not null check (respondent in ('reporter', 'assignee')),
  topic text,
  proposed_default text,
  status text not null check (status in ('pending', 'open', 'closed')),
  asked_at timestamptz,
  closed_at timestamptz,
  closed_reason text check (closed_reason in ('answered', 'inferred', 'not_relevant')),
  closed_note text,
  created_at timestamptz not null,
  unique (issue_id, number),
  check ((status = 'closed') = (closed_reason is not null))
);

create table findings (
  id bigint primary key,
  issue_id bigint not null references issues on delete cascade,
  synthesis text not null,
  sources jsonb not null,
  commit text,
  created_at timestamptz not null
);
create index findings_by_issue on findings (issue_id, id);

create table learnings (
  id bigint primary key,
  workspace_id bigint not null references workspaces,
  type text not null check (type in ('domain_learnings', 'code_learnings')),
  content text not null,
  -- equal for learnings that say the same (R-PLAN-9)
  content_key text not null,
  source_issue_id bigint references issues on delete set null,
  created_at timestamptz not null,
  unique (workspace_id, type, content_key)
);

create table cycles (
  id bigint primary key,
  issue_id bigint not null references issues on delete cascade,
  number integer not null,
  planner text not null,
  reasoning text not null,
  status text not null check (status in ('running', 'done', 'failed')),
  started_at timestamptz not null,
  ended_at timestamptz,
  unique (issue_id, number)
);

create table actions (
  id bigint primary key,
  cycle_id bigint not null references cycles on delete cascade,
  issue_id bigint not null references issues on delete cascade,
  -- 0 for the planner's first answer, 1 and 2 for its answers to failures (R-ACT-4)
  round integer not null,
  position integer not null,
  action jsonb not null,
  idempotency_key text not null unique,
  status text not null check (status in ('pending', 'done', 'failed')),
  attempts integer not null default 0,
  outcome jsonb,
  error text,
  updated_at timestamptz not null,
  unique (cycle_id, round, position)
);

-- Every version of a spec that was ever stored; the text itself is in the spec store.
create table specs (
  id bigint primary key,
  issue_id bigint not null references issues on delete cascade,
  version integer not null,
  ref jsonb not null,
  complexity text not null check (complexity in ('L0', 'L1', 'L2', 'L3', 'L4')),
  complexity_reason text not null,
  validation_status text not null check (validation_status in ('valid', 'partial')),
  status text not null default 'draft' check (status in ('draft', 'approved', 'rejected', 'stale')),
  summary jsonb not null,
  changelog text not null,
  metadata jsonb not null,
  commit text,
  created_at timestamptz not null,
  unique (issue_id, version)
);

create table plans (
  id bigint primary key,
  issue_id bigint not null references issues on delete cascade,
  version integer not null,
  sha256 text not null,
  triage jsonb not null,
  plan jsonb not null,
  status text not null check (status in ('posted', 'stale', 'confirmed')),
  created_at timestamptz not null,
  unique (issue_id, version)
);

create table tasks (
  id bigint primary key,
  issue_id bigint not null references issues on delete cascade,
  plan_id bigint not null unique references plans on delete cascade,
  status text not null check (status in ('queued', 'running', 'stuck', 'done', 'failed', 'cancelled')),
  confirmed_by text not null,
  enqueued_at timestamptz not null,
  updated_at timestamptz not null
);

-- Append-only (R-ACT-7). `forget` is the one exception, and leaves an entry of its own without an issue.
create table audit_log (
  id bigint primary key,
  issue_id bigint references issues on delete cascade,
  at timestamptz not null,
  actor text not null,
  what text not null,
  why text,
  before jsonb,
  after jsonb
);
create index audit_log_by_issue on audit_log (issue_id, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only';
end $$;
create trigger audit_log_append_only before update on audit_log for each row execute function refuse_change();

create table llm_evals (
  id bigint primary key,
  issue_id bigint references issues on delete cascade,
  cycle_id bigint references cycles on delete cascade,
  stage text not null check (stage in ('planner', 'spec_generator', 'explore', 'triage', 'fix_planner', 'reply')),
  model text not null,
  input jsonb not null,
  output jsonb not null,
  latency_ms integer not null,
  input_tokens integer,
  cached_tokens integer,
  output_tokens integer,
  cost_usd numeric(12, 6),
  rating integer,
  created_at timestamptz not null
);
create index llm_evals_by_issue on llm_evals (issue_id, id);

-- The local tracker: everything a hosted tracker would keep.

create table local_projects (
  name text primary key,
  next_number integer not null default 1,
  created_at timestamptz not null
);

create table local_members (
  project text not null references local_projects on delete cascade,
  login text not null,
  permission text not null check (permission in ('none', 'read', 'triage', 'write', 'maintain', 'admin')),
  is_bot boolean not null default false,
  primary key (project, login)
);
-- as on hosted trackers, Ann and ann are one
create unique index local_members_by_login on local_members (project, lower(login));

create table local_labels (
  project text not null references local_projects on delete cascade,
  name text not null,
  color text not null,
  description text not null,
  primary key (project, name)
);

create table local_issues (
  project text not null references local_projects on delete cascade,
  number integer not null,
  title text not null,
  body text not null,
  author text not null,
  state text not null check (state in ('open', 'closed')),
  labels jsonb not null default '[]',
  assignees jsonb not null default '[]',
  url text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project, number)
);

create table local_comments (
  id bigint primary key,
  project text not null,
  number integer not null,
  thread_id bigint not null,
  author text not null,
  body text not null,
  created_at timestamptz not null,
  edited_at timestamptz,
  foreign key (project, number) references local_issues on delete cascade
);
create index local_comments_by_issue on local_comments (project, number, created_at, id);

create table local_reactions (
  id bigint primary key,
  project text not null,
  number integer not null,
  -- null: a reaction to the issue itself
  comment_id bigint references local_comments on delete cascade,
  login text not null,
  emoji text not null,
  created_at timestamptz not null,
  unique nulls not distinct (project, number, comment_id, login, emoji),
  foreign key (project, number) references local_issues on delete cascade
);

create table local_pull_requests (
  project text not null references local_projects on delete cascade,
  number integer not null,
  title text not null,
  body text not null,
  author text not null,
  head text not null,
  base text not null,
  draft boolean not null,
  state text not null check (state in ('open', 'closed', 'merged')),
  labels jsonb not null default '[]',
  reviewers jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project, number)
);
create unique index local_pull_requests_one_open on local_pull_requests (project, head, base) where state = 'open';
