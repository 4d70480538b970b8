-- additive: programs of the version before go on working
-- What people name an issue by, and the issues that are open, the last change first: each without a look at the others
-- (R-SCALE-1).
create index issues_by_number on issues (lower(external_issue_id), repository_id);
-- An address may be longer than what a b-tree takes.
create index issues_by_url on issues using hash (lower(url));
create index repositories_by_name on repositories (lower(external_project_id));
create index issues_open_by_change on issues (updated_at desc, id desc) where state not in ('done', 'closed');
