-- The mode in force is read at each use; a task keeps how far its approval was to lead (R-LIFE-12).
alter table tasks add column mode text not null default 'plan' check (mode in ('spec', 'plan', 'implement'));
update tasks t set mode = r.mode from issues i join repositories r on r.id = i.repository_id where i.id = t.issue_id;
alter table repositories drop column mode;
