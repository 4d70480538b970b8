-- additive: programs of the version before go on working
-- How long calls took and what they cost, by time and by issue, read without their texts (R-SCALE-1).
create index llm_evals_calls on llm_evals (created_at) include (stage, model, latency_ms, cost_usd, repository_id)
  where kind = 'call';
create index llm_evals_calls_by_issue on llm_evals (issue_id, created_at) where kind = 'call';
create index specs_by_time on specs (created_at) include (id, issue_id, version);
