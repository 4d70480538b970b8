-- additive: programs of the version before go on working
-- What a version of the spec has read: hashes of the issue's text, and of each message by its id in the tracker. Null for
-- versions written before.
alter table specs add column read jsonb;
