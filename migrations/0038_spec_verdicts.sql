-- additive: programs of the version before go on working
-- Who approved or rejected a version of a spec, and when; null before anybody did, and for verdicts given earlier.
alter table specs add column decided_by text;
alter table specs add column decided_at timestamptz;
