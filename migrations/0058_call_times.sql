-- additive: programs of the version before go on working
-- How long calls took and what they cost, read by time without their texts.
create index llm_evals_calls on llm_evals (created_at) include (stage, latency_ms, repository_id) where kind = 'call';
create index specs_by_time on specs (created_at);
