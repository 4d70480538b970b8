-- additive: programs of the version before go on working
-- The comment that asked a question: the tracker's time and place of it say what came after. Questions that were asked
-- before keep their time.
alter table gaps add column asked_in text;
update gaps set asked_in = '' where asked_at is not null;
