-- additive: programs of the version before go on working
-- How often the tracker was looked at and did not show yet what the delivery told of.
alter table deliveries add column looks integer not null default 0;
