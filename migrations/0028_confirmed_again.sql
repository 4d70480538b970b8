-- additive: how often a plan was approved; again, where its work was halted and goes on as planned
alter table plans add column confirmations integer not null default 0;
update plans set confirmations = 1 where approved_by is not null;
