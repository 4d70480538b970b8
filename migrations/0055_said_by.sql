-- additive
-- Whose words they are, by the id that the account keeps; and why they were not put into the thread.
alter table said add column account_id text;
alter table said add column refused text;
