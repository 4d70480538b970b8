-- additive
-- Whether the branch of a request was not there any more when the request was seen closed: nobody can reopen it then.
alter table task_requests add column branch_gone boolean not null default false;
