-- additive
-- The plan that was shown beside somebody's words when they said them; 0 without one, null for words from before this.
alter table said add column plan_shown bigint;
