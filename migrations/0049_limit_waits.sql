-- additive
-- Issues whose work waits for the tracker's limit, and until when, as far as the tracker told.
create table limit_waits (
  issue_id bigint primary key references issues on delete cascade,
  until timestamptz not null
);
