-- Of a confidential issue nothing is told where more people can read (R-SAFE-11). A repository counts as open to others
-- until its tracker says that it is private.
alter table issues add column confidential boolean not null default false;
alter table repositories add column private boolean not null default false;
