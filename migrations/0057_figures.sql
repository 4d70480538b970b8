-- additive: programs of the version before go on working
-- Amounts of what happened, for metrics (R-OBS-3). Each statement adds its own rows, so that none waits for another's; who
-- reads them adds them up first. So figures cost as much as what happened since, not as all there is (R-SCALE-1).
create table figures (
  name text not null,
  labels text[] not null,
  amount double precision not null,
  primary key (name, labels)
);
create table figures_added (
  name text not null,
  labels text[] not null,
  amount double precision not null
);

create function count_issue() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then insert into figures_added values ('issues', array[old.state], -1); end if;
  if tg_op <> 'DELETE' then insert into figures_added values ('issues', array[new.state], 1); end if;
  return null;
end
$$;
create function count_issues() returns trigger language plpgsql as $$
begin
  insert into figures_added select 'issues', array[state], count(*) from added group by state;
  return null;
end
$$;
create trigger issues_counted after insert on issues
  referencing new table as added for each statement execute function count_issues();
create trigger issues_moved after update of state on issues
  for each row when (old.state <> new.state) execute function count_issue();
create trigger issues_deleted after delete on issues for each row execute function count_issue();
insert into figures select 'issues', array[state], count(*) from issues group by state;

create function count_delivery() returns trigger language plpgsql as $$
begin
  insert into figures_added values ('deliveries', array[new.provider,
    case when new.dead_lettered_at is not null then 'dead_letter' else split_part(coalesce(new.decision, ''), ':', 1) end], 1);
  return null;
end
$$;
create function count_deliveries() returns trigger language plpgsql as $$
begin
  insert into figures_added
  select 'deliveries', array[provider, split_part(decision, ':', 1)], count(*) from added
  where processed_at is not null and decision is not null group by 2;
  return null;
end
$$;
create trigger deliveries_counted after update on deliveries
  for each row when ((old.processed_at is null and new.processed_at is not null)
    or (old.dead_lettered_at is null and new.dead_lettered_at is not null))
  execute function count_delivery();
create trigger deliveries_left_aside after insert on deliveries
  referencing new table as added for each statement execute function count_deliveries();

-- The planner's time is over when the row of a cycle is made. The bounds of seconds are those of the histogram.
create function count_cycle() returns trigger language plpgsql as $$
declare
  bounds constant double precision[] := array[1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
  seconds constant double precision := greatest(0, extract(epoch from new.ended_at - new.started_at)) + coalesce((
    select sum(latency_ms) / 1000.0 from llm_evals where cycle_id = new.id and kind = 'outcome' and stage = 'planner'), 0);
begin
  insert into figures_added values
    ('cycle_seconds', array[new.status], seconds),
    ('cycles', array[new.status, coalesce((select min(bound) from unnest(bounds) bound where bound >= seconds)::text, '+Inf')], 1);
  return null;
end
$$;
create trigger cycles_counted after update of status on cycles
  for each row when (old.status = 'running' and new.status <> 'running') execute function count_cycle();

create function count_calls() returns trigger language plpgsql as $$
begin
  insert into figures_added
  select f.name, f.labels, sum(f.amount)
  from added c cross join lateral (values
    ('model_calls', array[c.stage, c.model, coalesce(c.status, 'unknown')], 1::double precision),
    ('model_seconds', array[c.stage, c.model], c.latency_ms / 1000.0),
    ('model_cost', array[c.stage, c.model], coalesce(c.cost_usd, 0)::double precision),
    ('model_unpriced', array[c.stage, c.model], (c.cost_usd is null)::integer),
    ('model_tokens', array[c.stage, c.model, 'input'], coalesce(c.input_tokens, 0)),
    ('model_tokens', array[c.stage, c.model, 'cached_input'], coalesce(c.cached_tokens, 0)),
    ('model_tokens', array[c.stage, c.model, 'output'], coalesce(c.output_tokens, 0))
  ) f (name, labels, amount)
  where c.kind = 'call' group by 1, 2;
  return null;
end
$$;
create trigger llm_evals_figured after insert on llm_evals
  referencing new table as added for each statement execute function count_calls();

-- How many requests went to a tracker with these credentials, and how many it allows in a window.
alter table tracker_quotas add column requests bigint not null default 0, add column allowed integer;
