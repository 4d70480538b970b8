-- additive: programs of the version before go on working
-- Plans as they were told to the people, and the tasks that came of them (R-CONF-1 to R-CONF-6).

alter table plans drop constraint plans_status_check;
alter table plans add constraint plans_status_check check (status in ('drafted', 'posted', 'stale', 'confirmed'));
alter table plans
  -- of the texts that it was made from; another issue text or spec makes it stale
  add column basis_sha256 text not null default '',
  add column by_rules boolean not null default true,
  add column comment_id text,
  add column posted_at timestamptz,
  -- who had given the comment a thumbs-up before this version stood in it
  add column earlier_thumbs jsonb not null default '[]',
  add column confirmed_by text,
  add column confirmed_at timestamptz,
  -- what they could do in the project when they said yes
  add column confirmed_with text,
  -- the message that said yes; null for a thumbs-up
  add column confirmed_in text;

-- Two plans cannot be carried out at once.
create unique index tasks_one_at_a_time on tasks (issue_id) where status in ('queued', 'running', 'stuck');
