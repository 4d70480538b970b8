-- additive
-- Null until the words of a delivery are read: a webhook is answered before.
alter table deliveries alter column halts drop not null;
create index deliveries_unread on deliveries (position)
  where processed_at is null and dead_lettered_at is null and halts is null;
