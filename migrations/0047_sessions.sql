-- additive
-- Logins to the dashboard. Only the hash of a session's token is stored.
create table sessions (
  token_sha256 text primary key,
  login text not null,
  -- What logged in: `link`, `token`, or the name of a tracker.
  by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_expires_at on sessions (expires_at);
