-- Which message of the thread answered a question; null for what was assumed, dropped, or answered elsewhere.
alter table gaps add column answered_in text;
