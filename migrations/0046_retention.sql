-- additive: programs of the version before go on working
-- When what is kept for a time only was removed (R-SCALE-3), and what is still to be removed, without reading the rest.
alter table llm_evals add column texts_removed_at timestamptz;
create index llm_evals_with_texts on llm_evals (created_at) where texts_removed_at is null;

-- of an issue: logs of runs and recordings of cycles; the audit log. Who reopens an issue adds to them again
alter table issues add column records_removed_at timestamptz;
alter table issues add column audit_removed_at timestamptz;
create index issues_with_records on issues (updated_at)
  where state in ('done', 'closed') and (records_removed_at is null or records_removed_at < updated_at);
create index issues_with_audit on issues (updated_at)
  where state in ('done', 'closed') and (audit_removed_at is null or audit_removed_at < updated_at);
create index audit_log_without_issue on audit_log (at) where issue_id is null;
