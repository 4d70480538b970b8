-- additive
-- Calls of the API that changed something, under the key of who called: the same call again has the same answer.
create table api_requests (
  id bigint primary key,
  login text not null,
  -- The tracker of that login; null for the operator.
  provider text,
  key text not null,
  request_sha256 text not null,
  -- What was done in the local tracker, which Relay has to hear of.
  events jsonb,
  status integer,
  answer jsonb,
  created_at timestamptz not null
);
create unique index api_requests_once on api_requests (lower(login), coalesce(provider, ''), key);
create index api_requests_by_age on api_requests (created_at);

-- The issues of one repository, the last changed first.
create index issues_by_repository on issues (repository_id, updated_at desc, id desc);
