-- additive: programs of the version before go on working
-- Sums of what happened, kept by the statement that makes it happen, whichever version of the program sends it (R-SCALE-1):
-- figures do not cost more the more there was, and outlive what they were made from.
create table run_totals (
  outcome text primary key,
  runs bigint not null,
  seconds double precision not null
);

create function count_run() returns trigger language plpgsql as $$
begin
  insert into run_totals values (new.status, 1, greatest(0, extract(epoch from new.ended_at - new.started_at)))
  on conflict (outcome) do update
    set runs = run_totals.runs + 1, seconds = run_totals.seconds + excluded.seconds;
  return null;
end
$$;
create trigger runs_counted after update of status on runs
  for each row when (old.status = 'running' and new.status <> 'running') execute function count_run();
insert into run_totals
select status, count(*), coalesce(sum(greatest(0, extract(epoch from ended_at - started_at))), 0)
from runs where status <> 'running' group by status;

-- What the calls of models cost in a workspace on each day, in UTC.
create table spending_days (
  workspace_id bigint not null references workspaces on delete cascade,
  day date not null,
  usd numeric(18, 6) not null,
  -- tokens of calls without a known price
  unpriced_tokens bigint not null,
  primary key (workspace_id, day)
);

create function count_spending() returns trigger language plpgsql as $$
begin
  insert into spending_days
  select i.workspace_id, (c.created_at at time zone 'UTC')::date, coalesce(sum(c.cost_usd), 0),
         coalesce(sum(coalesce(c.input_tokens, 0) + coalesce(c.output_tokens, 0)) filter (where c.cost_usd is null), 0)
  from added c join repositories r on r.id = c.repository_id join integrations i on i.id = r.integration_id
  where c.kind = 'call' group by 1, 2
  on conflict (workspace_id, day) do update
    set usd = spending_days.usd + excluded.usd,
        unpriced_tokens = spending_days.unpriced_tokens + excluded.unpriced_tokens;
  return null;
end
$$;
create trigger llm_evals_counted after insert on llm_evals
  referencing new table as added for each statement execute function count_spending();
insert into spending_days
select i.workspace_id, (e.created_at at time zone 'UTC')::date, coalesce(sum(e.cost_usd), 0),
       coalesce(sum(coalesce(e.input_tokens, 0) + coalesce(e.output_tokens, 0)) filter (where e.cost_usd is null), 0)
from llm_evals e join repositories r on r.id = e.repository_id join integrations i on i.id = r.integration_id
where e.kind = 'call' group by 1, 2;
