-- Nothing reads or writes it.
alter table actions drop column first_tried_at;
