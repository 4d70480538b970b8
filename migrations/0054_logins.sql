-- additive
-- Logins by the account of a tracker (R-SAFE-4). A session ends when it is not used for a while, too.
alter table sessions add column account_id text;
alter table sessions add column used_at timestamptz not null default now();

-- Logins that people have begun at a tracker. Only hashes of what the browser holds are stored.
create table begun_logins (
  state_sha256 text primary key,
  browser_sha256 text not null,
  provider text not null,
  verifier text not null,
  target text not null,
  expires_at timestamptz not null
);
create index begun_logins_expires_at on begun_logins (expires_at);

-- Tries to log in, by the address that they came from: they are bounded over all processes.
create table login_tries (
  id bigint generated always as identity primary key,
  address text not null,
  kind text not null,
  at timestamptz not null
);
create index login_tries_by_address on login_tries (address, kind, at);
create index login_tries_at on login_tries (at);

-- When the tracker was last asked what an account may see.
create table accounts (
  provider text not null,
  account_id text not null,
  looked_at timestamptz not null,
  primary key (provider, account_id)
);

-- What the tracker said that an account may do in a repository.
create table account_permissions (
  provider text not null,
  account_id text not null,
  repository_id bigint not null references repositories on delete cascade,
  permission text not null,
  asked_at timestamptz not null,
  primary key (provider, account_id, repository_id)
);
create index account_permissions_by_repository on account_permissions (repository_id);
