-- additive: programs of the version before go on working
-- The span in which a delivery was received, as W3C traceparent: what follows from it is told in the same trace (R-OBS-3).
alter table deliveries add column trace text;
