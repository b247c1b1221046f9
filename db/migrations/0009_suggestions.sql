-- Up Migration
-- The form in which what somebody types is compared with titles and terms: small letters without accents, words apart, and a
-- word of its own for each run of figures, of kana and of Chinese characters, which are written without spaces.
create function suggestion_text(raw text) returns text language sql stable strict parallel safe as $$
  select trim(regexp_replace(
    regexp_replace(lower(unaccent(normalize(left(raw, 200), NFKC))), '([0-9]+|[\u30A1-\u30FF]+|[\u3041-\u309F]+|[\u3005\u3400-\u9FFF]+)', ' \1 ', 'g'),
    '[\u0001-/:-@\[-`{-\u00BF\u2000-\u206F\u3000-\u3004\u3008-\u303F]+', ' ', 'g'))
$$;

-- A text from each word on that somebody may begin with; the words before follow at the end, so that all of them can be looked for.
create function suggestion_starts(raw text) returns table (place smallint, start text) language sql stable parallel safe rows 3 as $$
  with text as (select string_to_array(suggestion_text(raw), ' ') as words)
  select place::smallint, left(array_to_string(words[place:] || words[:place - 1], ' '), 80)
  from text, generate_subscripts(words, 1) as place
  where place = 1 or (octet_length(words[place]) > 1 and words[place] !~ '^[0-9]+$')
  order by place limit 5
$$;

-- Popularity goes in steps of about a quarter, so that a much read listing is written anew a few dozen times in its life.
create function popularity_of(n bigint) returns smallint language sql immutable strict parallel safe as $$
  select least(32767, floor(4 * ln(1 + greatest(n, 0)::double precision)))::smallint
$$;

-- Active listings by what their titles begin with, from any of their first words on. Kept by triggers, in the transaction of the change.
create table suggestion_titles (
  listing_id text collate "C" not null,
  place smallint not null,
  popularity smallint not null,
  start text collate "C" not null
) with (fillfactor = 90);

-- Searches that are frequent and fit to be shown, in the same form.
create table suggestion_terms (
  query text collate "C" not null,
  place smallint not null,
  popularity smallint not null,
  start text collate "C" not null,
  last_day date not null,
  primary key (query, place)
) with (fillfactor = 90);

insert into suggestion_titles (listing_id, place, popularity, start)
select l.id, s.place, popularity_of(coalesce(v.views, 0)), s.start
from listings l left join listing_views v on v.listing_id = l.id cross join lateral suggestion_starts(l.title) as s
where l.status = 'active';

alter table suggestion_titles add primary key (listing_id, place);

-- Where few begin like that, they are all read and sorted; where many do, they are walked from the most popular on.
create index suggestion_titles_start on suggestion_titles (start);
create index suggestion_titles_popular_2 on suggestion_titles (left(start, 2), popularity desc);
create index suggestion_titles_popular_4 on suggestion_titles (left(start, 4), popularity desc);
create index suggestion_terms_start on suggestion_terms (start);
create index suggestion_terms_popular_2 on suggestion_terms (left(start, 2), popularity desc);
create index suggestion_terms_popular_4 on suggestion_terms (left(start, 4), popularity desc);
create index suggestion_terms_age on suggestion_terms (last_day);
create index search_queries_days on search_queries (query, day) include (searches, results);

create function suggest_listing() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from suggestion_titles where listing_id = old.id;
  end if;
  if tg_op <> 'DELETE' and new.status = 'active' then
    insert into suggestion_titles (listing_id, place, popularity, start)
    select new.id, s.place, popularity_of(coalesce((select views from listing_views where listing_id = new.id), 0)), s.start
    from suggestion_starts(new.title) as s;
  end if;
  return null;
end $$;

-- Rows that a change of their listing holds are passed over: a count of views waits for nobody, and comes again.
create function suggest_popular() returns trigger language plpgsql as $$
begin
  update suggestion_titles t set popularity = risen.popularity
  from (
    select s.listing_id, s.place, popularity_of(seen.views) as popularity
    from seen join suggestion_titles s on s.listing_id = seen.listing_id and s.popularity <> popularity_of(seen.views)
    for update of s skip locked) as risen
  where t.listing_id = risen.listing_id and t.place = risen.place;
  return null;
end $$;

create trigger listing_views_suggested_on_insert after insert on listing_views
  referencing new table as seen for each statement execute function suggest_popular();
create trigger listing_views_suggested_on_update after update on listing_views
  referencing new table as seen for each statement execute function suggest_popular();
create trigger listings_suggested_on_insert after insert on listings
  for each row when (new.status = 'active') execute function suggest_listing();
create trigger listings_suggested_on_update after update on listings
  for each row
  when ((old.status = 'active' or new.status = 'active') and (old.status, old.title) is distinct from (new.status, new.title))
  execute function suggest_listing();
create trigger listings_suggested_on_delete after delete on listings
  for each row when (old.status = 'active') execute function suggest_listing();

-- From here on writers wait for this transaction: what they changed while the titles were read is little, and read again.
delete from suggestion_titles t
where not exists (select from listings l where l.id = t.listing_id and l.status = 'active' and l.updated_at < now() - interval '1 hour');
insert into suggestion_titles (listing_id, place, popularity, start)
select l.id, s.place, popularity_of(coalesce(v.views, 0)), s.start
from listings l left join listing_views v on v.listing_id = l.id cross join lateral suggestion_starts(l.title) as s
where l.status = 'active' and not exists (select from suggestion_titles t where t.listing_id = l.id);

-- Down Migration
