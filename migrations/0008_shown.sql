-- additive: programs of the version before go on working
-- The state that an issue's labels tell in its tracker; another than `state` where they could not be changed.

alter table issues add column shown_as text;
update issues set shown_as = state;
create index issues_not_shown on issues (id) where shown_as is distinct from state;
