-- Which cycle has read a message: one that fails gives back what it read.
alter table messages add column read_in bigint references cycles on delete set null;
