-- additive: programs of the version before go on working
-- How often each lock was taken: who holds it writes only while the number is still its own (R-IN-12).

create table fences (
  -- as the advisory lock itself, so that no name is kept
  lock bigint primary key,
  number bigint not null
);
