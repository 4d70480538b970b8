-- additive: programs of the version before go on working
-- An index for each look-up, and for each foreign key that a deletion follows (R-SCALE-1).
create index tasks_by_issue on tasks (issue_id, id);
create index runs_by_issue on runs (issue_id, id);
create index actions_by_issue on actions (issue_id);
create index messages_by_cycle on messages (read_in_cycle) where read_in_cycle is not null;
create index deliveries_processed on deliveries (processed_at) where processed_at is not null;
create index task_requests_by_issue on task_requests (issue_id);
create index task_requests_by_branch on task_requests (external_project_id, branch);
create index change_requests_by_run on change_requests (run_id) where run_id is not null;
create index learnings_by_repository on learnings (repository_id) where repository_id is not null;
create index repositories_by_source on repositories (clone_source) where clone_source is not null;
create index local_reactions_by_comment on local_reactions (comment_id) where comment_id is not null;
-- Issues that are neither done nor closed, by repository, and those whose labels have other names now.
create index issues_open on issues (repository_id) where state not in ('done', 'closed');
create index issues_by_labels on issues (state, synced_labels);
create index learnings_by_content on learnings (workspace_id, content_key);
create index learnings_in_force on learnings (workspace_id, (coalesce(repository_id, 0)), id) where status = 'approved';
