-- Up Migration
-- For beginnings that very many titles or searches have: the most popular ones, each text once, as they were when a job last
-- looked. Only where the texts part; a shorter beginning has the same ones as the first longer one there is. What is not here,
-- because it is rarer or newer, is found among the titles and searches themselves.
create table suggestion_heads (
  kind text collate "C" not null check (kind in ('titles', 'terms')),
  prefix text collate "C" not null,
  subjects text[] not null,
  places smallint[] not null,
  primary key (kind, prefix)
);

-- Down Migration
