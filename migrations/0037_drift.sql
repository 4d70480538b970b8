-- additive: programs of the version before go on working
-- Places that a version of a spec cites and whose lines have changed since, and the commit at which that was looked at last.
alter table specs add column stale_citations jsonb not null default '[]';
alter table specs add column checked_commit text;
