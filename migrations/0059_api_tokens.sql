-- additive: programs of the version before go on working
-- Personal tokens for the API and MCP, of people with an account of a tracker (R-SAFE-4). Only hashes are stored.
create table api_tokens (
  id bigint primary key,
  token_sha256 text not null unique,
  provider text not null,
  account_id text not null,
  login text not null,
  name text not null,
  -- Whether it does what its person may do; else it reads, and answers questions through MCP.
  acts boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create unique index api_tokens_by_name on api_tokens (provider, account_id, lower(name));
