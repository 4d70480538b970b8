-- additive: programs of the version before go on working
-- Whether a delivery may end or stop what Relay does: nothing is said before it is processed (R-LIFE-10).

alter table deliveries add column halts boolean not null default false;
