-- additive
-- What people said at an issue from a page, the API or MCP. It is stored first, and then stands in the thread as a
-- comment, of which the words here are what counts.
create table said (
  id bigint primary key,
  issue_id bigint not null references issues on delete cascade,
  login text not null,
  words text not null,
  -- The caller's: who sends the same again has said it once.
  key text not null,
  said_at timestamptz not null,
  -- The comment, once it is there, and the tracker's time of it.
  comment_id text,
  commented_at timestamptz
);
create unique index said_once on said (issue_id, lower(login), key);
