-- Up Migration
-- A text from any of its first words on, numbers and single letters among them: models are named by those ("275 SE", "R 25").
create or replace function suggestion_starts(raw text) returns table (place smallint, start text) language sql stable parallel safe rows 5 as $$
  with text as (select string_to_array(suggestion_text(raw), ' ') as words)
  select place::smallint, left(array_to_string(words[place:] || words[:place - 1], ' '), 80)
  from text, generate_subscripts(words, 1) as place
  order by place limit 8
$$;

insert into suggestion_terms (query, place, popularity, start, last_day)
select t.query, s.place, t.popularity, s.start, t.last_day
from suggestion_terms t cross join lateral suggestion_starts(t.query) as s
where t.place = 1
on conflict do nothing;
insert into suggestion_titles (listing_id, place, popularity, start)
select l.id, s.place, popularity_of(coalesce(v.views, 0)), s.start
from listings l left join listing_views v on v.listing_id = l.id cross join lateral suggestion_starts(l.title) as s
where l.status = 'active'
on conflict do nothing;

-- From here on writers wait for this transaction: what they changed while the titles were read is little, and read again.
lock table listings in share row exclusive mode;
delete from suggestion_titles t
where not exists (select from listings l where l.id = t.listing_id and l.status = 'active' and l.updated_at < now() - interval '1 hour');
insert into suggestion_titles (listing_id, place, popularity, start)
select l.id, s.place, popularity_of(coalesce(v.views, 0)), s.start
from listings l left join listing_views v on v.listing_id = l.id cross join lateral suggestion_starts(l.title) as s
where l.status = 'active' and not exists (select from suggestion_titles t where t.listing_id = l.id);

-- Walks over what begins with two letters look at their index alone, as those over four do.
create index suggestion_titles_walk_2 on suggestion_titles (left(start, 2), popularity desc) include (start, listing_id);
drop index suggestion_titles_popular_2;

-- Down Migration
