-- Up Migration
-- The popularity of a search by forward decay: searches of a day count twice those of ten days before. As a logarithm it grows
-- with the day, so what is written once never has to be written again for its age. `n` is the sum of searches, decayed as of a day.
create function term_popularity(n double precision, day date) returns smallint language sql immutable strict parallel safe as $$
  select least(32767, greatest(0, floor(4 * (ln(greatest(n, 0.001)) + ln(2.0) * (day - date '2020-01-01') / 10))))::smallint
$$;
-- Most people type a search from its first word on: from a later one it is e³ times less likely.
update suggestion_terms set popularity = greatest(0, term_popularity(exp(popularity / 4.0), last_day) - case place when 1 then 0 else 12 end);

-- Down Migration
