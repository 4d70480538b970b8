-- additive: programs of the version before go on working
-- The text of the plan's comment, and the last edit of it that was not Relay's.
alter table plans add column comment_body text;
alter table plans add column foreign_edit_at timestamptz;
-- Who edited a comment of the local tracker last.
alter table local_comments add column edited_by text;
