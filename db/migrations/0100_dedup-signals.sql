-- Up Migration
-- Pairs are weighed by other signals from now on, and prints hold trade numbers: both are made anew, by the next search for
-- duplicates or when a listing changes. Groups that wait for a decision stay until then.
truncate dedup_prints, dedup_keys, dedup_words, dedup_pairs;

-- Down Migration
truncate dedup_prints, dedup_keys, dedup_words, dedup_pairs;
