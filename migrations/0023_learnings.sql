-- A learning belongs to one repository, and is in force once a person approved it (R-SAFE-8).
-- What was stored before is proposed again, to the repository of its issue.
alter table learnings
  -- null: all repositories of the workspace
  add column repository_id bigint references repositories on delete cascade,
  add column status text not null default 'proposed' check (status in ('proposed', 'approved')),
  -- who wrote the message that it was taken from, and the tracker's id of that message
  add column proposed_by text,
  add column source_message_id text,
  add column approved_by text,
  add column approved_at timestamptz;

update learnings l set repository_id = i.repository_id from issues i where i.id = l.source_issue_id;

alter table learnings drop constraint learnings_workspace_id_type_content_key_key;
create unique index learnings_once on learnings (workspace_id, coalesce(repository_id, 0), type, content_key);
create index learnings_by_issue on learnings (source_issue_id);
