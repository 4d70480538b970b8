-- additive
-- The outage of its model, or of the network, that a run waits out (R-WORK-15).
alter table runs add column outage jsonb;
