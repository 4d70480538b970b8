-- additive: programs of the version before go on working
-- Every comment of Relay's by the key of its marker, stored before it is tried (R-IN-13).

create table posts (
  issue_id bigint not null references issues on delete cascade,
  key text not null,
  -- tries without an answer that tells their outcome
  failures integer not null default 0,
  -- of the last try whose outcome is unknown, and of the first look since that did not find it; by the database's clock
  tried_at timestamptz,
  looked_at timestamptz,
  -- once it stands in the thread; the time is the tracker's
  comment_id text,
  posted_at timestamptz,
  primary key (issue_id, key)
);

insert into posts (issue_id, key, comment_id, posted_at)
select issue_id, substring(after ->> 'body' from '<!-- relay:(\S+) -->\s*$'), after ->> 'comment_id', at
from audit_log
where what = 'comment.posted' and issue_id is not null and after ->> 'body' ~ '<!-- relay:\S+ -->\s*$'
on conflict do nothing;
insert into posts (issue_id, key, tried_at)
select issue_id, 'action:' || idempotency_key, clock_timestamp() from actions
where status = 'pending' and attempts > 0 and action ->> 'type' = 'post_comment'
on conflict do nothing;
insert into posts (issue_id, key, tried_at)
select issue_id, 'plan:' || id, clock_timestamp() from plans where status = 'drafted'
on conflict do nothing;
