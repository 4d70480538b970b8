-- additive: programs of the version before go on working
-- When the store was last asked for a text that the database lacks; infinity once it has lost it.
alter table specs add column content_sought_at timestamptz;
create index specs_without_content on specs (content_sought_at nulls first, id) where content is null;
