-- additive
-- What the work of a plan lacks, as a worker found before anybody was asked for a yes; null before one has looked.
alter table plans add column lacks jsonb;

-- The last try of a repository's set-up commands on its base: the command that fails, or empty.
create table set_up_tries (
  repository_id bigint primary key references repositories (id) on delete cascade,
  commit_sha text not null,
  commands text not null,
  failed text not null
);
