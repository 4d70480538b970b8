-- additive: programs of the version before go on working
-- When the comment of a plan began to say that the plan no longer counts.

alter table plans add column retired_at timestamptz;
