-- additive: programs of the version before go on working
-- The tracker's own id of a repository, which stays when people rename or move it.

alter table repositories add column stable_id text;
create unique index repositories_by_stable_id on repositories (integration_id, stable_id);
