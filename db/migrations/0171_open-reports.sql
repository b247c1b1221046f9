-- Up Migration

-- In a transaction of its own: reading every row stops no writer.
alter table flags validate constraint flags_one_subject;

-- What is hidden still waits for a decision.
update flags set settled = false where settled and listing_id in (select id from listings where status = 'flagged');

-- Down Migration
