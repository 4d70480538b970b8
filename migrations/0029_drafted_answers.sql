-- additive: programs of the version before go on working
-- What a model wrote for a post, until it is posted: the model is not asked twice.
alter table posts add column words text;
