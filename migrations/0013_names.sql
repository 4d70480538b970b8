-- Columns get the field's names.
alter table issues rename column quiet_until to debounce_until;
alter table issues rename column shown_as to synced_state;
alter table issues rename column wake_given_up_at to wake_dead_lettered_at;
alter table deliveries rename column given_up_at to dead_lettered_at;
alter table messages rename column read_in to read_in_cycle;
alter table thread_fetches rename column whole_at to full_fetch_at;
alter table thread_fetches rename column unlisted to hidden_comments;
alter table request_words rename to change_requests;
alter table change_requests rename column said_at to created_at;
alter table tasks rename column confirmed_by to approved_by;
alter table plans rename column confirmed_by to approved_by;
alter index issues_not_shown rename to issues_not_synced;
alter index deliveries_given_up rename to deliveries_dead_lettered;
alter index issues_wake_given_up rename to issues_wake_dead_lettered;
