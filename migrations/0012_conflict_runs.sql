-- additive: programs of the version before go on working, and leave such runs to newer ones
-- A run may also be made because the branch of a request conflicts with the one that it is to go into.

alter table runs drop constraint runs_reason_check;
alter table runs add constraint runs_reason_check check (reason in ('plan', 'review', 'checks', 'conflict'));

-- Whose base moves with each merge into their repository.
create index issues_in_review on issues (repository_id) where state = 'in_review';
