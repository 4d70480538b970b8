-- Every call of a model beside the outcome that it led to, and what it cost (R-OBS-1).
-- An outcome is what a planner or a writer handed over in the end; its money is in its calls.
alter table llm_evals
  add column kind text not null default 'outcome' check (kind in ('outcome', 'call')),
  -- outlives the issue: what was spent stays spent when an issue is forgotten
  add column repository_id bigint references repositories on delete cascade,
  add column role text,
  add column provider text,
  add column step integer,
  add column attempt integer,
  add column prompt_hash text,
  add column cache_write_tokens integer,
  add column reasoning_tokens integer,
  -- the provider told no numbers; ours were counted instead
  add column tokens_estimated boolean not null default false,
  add column status text,
  add column finish_reason text;

-- What people think of an outcome.
alter table llm_evals
  add column rating_note text,
  add column rated_by text,
  add column rated_at timestamptz,
  add constraint llm_evals_rating_check check (rating between 1 and 5);

alter table llm_evals drop constraint llm_evals_stage_check;
alter table llm_evals add constraint llm_evals_stage_check
  check (stage in ('planner', 'spec_generator', 'explore', 'triage', 'fix_planner', 'reply', 'worker'));

update llm_evals e set repository_id = i.repository_id from issues i where i.id = e.issue_id;

create index llm_evals_by_repository on llm_evals (repository_id, created_at);
create index llm_evals_by_cycle on llm_evals (cycle_id);

-- Where a budget stopped an issue (R-OBS-2): one row, and one comment, for each window of a budget.
create table budget_stops (
  id bigint primary key,
  issue_id bigint not null references issues on delete cascade,
  budget text not null check (budget in ('issue', 'repository_day', 'workspace_month')),
  -- the day or the month in UTC; for the issue's own budget, which time it is that it is used up
  budget_window text not null,
  limit_usd numeric(12, 6) not null,
  spent_usd numeric(12, 6) not null,
  stopped_at timestamptz not null,
  -- null: the operator alone lets it go on
  resumes_at timestamptz,
  ended_at timestamptz,
  -- `operator`: the budget no longer holds the issue in this window; `held`: the operator's own pause took its place
  ended_by text check (ended_by in ('operator', 'window', 'held')),
  check ((ended_at is null) = (ended_by is null)),
  unique (issue_id, budget, budget_window)
);
create index budget_stops_open on budget_stops (resumes_at) where ended_at is null;
