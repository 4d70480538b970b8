-- additive
-- The text of each version, for when its store has lost it. Versions from before have it in the store only.
alter table specs add column content text;
