-- additive: programs of the version before go on working
-- When somebody told Relay to stop instead of agreeing to a plan; no other plan is made until it is asked for.

alter table plans add column stopped_at timestamptz;
