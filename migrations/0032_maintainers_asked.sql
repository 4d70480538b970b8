-- A question may also be for whoever maintains the repository (R-PLAN-16).
alter table gaps drop constraint gaps_respondent_check;
alter table gaps add constraint gaps_respondent_check check (respondent in ('reporter', 'assignee', 'maintainer'));
