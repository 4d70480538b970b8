-- additive: calls that put the files found into order have a stage of their own.
alter table llm_evals drop constraint llm_evals_stage_check;
alter table llm_evals add constraint llm_evals_stage_check
  check (stage in ('planner', 'spec_generator', 'explore', 'rerank', 'triage', 'fix_planner', 'reply', 'worker'));
