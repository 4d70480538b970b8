-- What was found when the code was looked at, with the verified text of each place (R-PLAN-13).
create table explorations (
  id bigint primary key,
  issue_id bigint not null references issues on delete cascade,
  asked_by text not null check (asked_by in ('planner', 'spec_generator')),
  question text not null,
  thoroughness text not null check (thoroughness in ('quick', 'medium', 'thorough')),
  synthesis text not null,
  places jsonb not null,
  commit text not null,
  created_at timestamptz not null
);
create index explorations_by_issue on explorations (issue_id, id);
