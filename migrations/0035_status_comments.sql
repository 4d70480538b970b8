-- additive
-- The status comment of an issue is edited in place: the words that it shows, since when by the tracker's clock, and
-- when it was found deleted.
alter table posts add column shown text;
alter table posts add column shown_at timestamptz;
alter table posts add column removed_at timestamptz;
