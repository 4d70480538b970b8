-- additive
-- What a repository was called before, oldest first: a setting that names it so still means it.
alter table repositories add column former_names text[] not null default '{}';
