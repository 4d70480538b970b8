-- additive: programs of the version before go on working
-- Each finding of an issue has a number that no other one ever gets; a removed one leaves its number, words and places.
alter table issues add column last_finding_number integer not null default 0;
alter table findings add column number integer;

create table removed_findings (
  issue_id bigint not null references issues on delete cascade,
  number integer not null,
  id bigint not null,
  synthesis text not null,
  -- without the lines of the code
  sources jsonb not null,
  commit text,
  created_at timestamptz not null,
  removed_at timestamptz not null,
  -- null where it is not known
  why text check (why in ('replaced', 'withdrawn', 'crowded_out')),
  primary key (issue_id, number)
);

-- Until now a number was a position in the list. The newest spec keeps its meaning: what was removed since it was written
-- counts as well, as the audit log has it.
with written as (
  select distinct on (issue_id) issue_id, id from specs order by issue_id, version desc
), removed as (
  select issue_id, (before ->> 'id')::bigint as id, before, at
  from (select l.issue_id, l.at, w.id as spec,
               case when l.before ->> 'id' ~ '^\d{1,18}$' then l.before end as before
        from audit_log l join written w on w.issue_id = l.issue_id
        where l.what = 'finding.removed' and l.id > w.id) logged
  where before is not null and (before ->> 'id')::bigint < spec
), numbered as (
  select issue_id, id, row_number() over (partition by issue_id order by id) as number
  from (select issue_id, id from findings union select issue_id, id from removed) known
), standing as (
  update findings f set number = n.number from numbered n where n.id = f.id
), gone as (
  insert into removed_findings (issue_id, number, id, synthesis, sources, commit, created_at, removed_at)
  select n.issue_id, n.number, n.id, coalesce(r.before ->> 'synthesis', ''),
         (select coalesce(jsonb_agg(one - 'snippet' order by at), '[]')
          from jsonb_array_elements(coalesce(r.before -> 'sources', '[]')) with ordinality as each (one, at)),
         null, r.at, r.at
  from removed r join numbered n on n.id = r.id
  where not exists (select from findings f where f.id = r.id)
)
update issues i set last_finding_number = n.last
from (select issue_id, max(number) as last from numbered group by issue_id) n where n.issue_id = i.id;

-- The only place that gives out numbers; it does so for programs of the version before, too.
create function number_finding() returns trigger language plpgsql as $$
begin
  update issues set last_finding_number = last_finding_number + 1
  where id = new.issue_id returning last_finding_number into new.number;
  return new;
end
$$;
create trigger findings_numbered before insert on findings
  for each row when (new.number is null) execute function number_finding();
alter table findings alter column number set not null;
alter table findings add unique (issue_id, number);
