-- additive: programs of the version before go on working
-- What is known of a thread since it was last fetched whole, so that later fetches may ask for what changed (R-IN-5).

-- the comment that a message answers, as the tracker names it
alter table messages add column external_reply_id text;

create table thread_fetches (
  issue_id bigint primary key references issues on delete cascade,
  -- when the whole was last fetched, by Relay's clock; null: something changed meanwhile, so it has to be fetched again
  whole_at timestamptz,
  -- refreshes since then
  refreshes integer not null,
  -- comments that the tracker counts and does not list: those of suspended accounts, for example
  unlisted integer not null,
  -- the issue as the tracker had it at the last fetch, by the tracker's clock
  comment_count integer not null,
  issue_state text not null check (issue_state in ('open', 'closed')),
  issue_updated_at timestamptz not null
);

-- what an action left behind is looked for from here on; null: not known
alter table actions add column first_tried_at timestamptz;
