-- additive: programs of the version before go on working
-- Who refused a plan, at which rank, and what that halted; null for plans that were stopped before.
alter table plans add column stop jsonb;
-- People who gave the plan's comment a thumbs-down before it showed this version.
alter table plans add column earlier_downs jsonb not null default '[]';
