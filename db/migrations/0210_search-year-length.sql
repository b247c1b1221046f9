-- Up Migration

-- Searches by words filter, count and sort by year and length: in the narrow rows, so that matches need not be looked up in the wide ones.
alter table listing_search add column year smallint, add column length_m real;

-- An update of every row would write each of its words again: the indexes are built afterwards. By a subquery, which keeps the
-- rows in their order: what is new stays together.
drop index listing_search_words, listing_search_other_words, listing_search_titles;
update listing_search s set (year, length_m) = (select l.year, l.length_m from listings l where l.id = s.listing_id);
create index listing_search_words on listing_search using gin (searchable(words))
  with (fastupdate = 'on', gin_pending_list_limit = '1024') where status = 'active';
create index listing_search_other_words on listing_search using gin (searchable(words))
  with (fastupdate = 'on', gin_pending_list_limit = '1024') where status <> 'active';
create index listing_search_titles on listing_search using gin (title)
  with (fastupdate = 'on', gin_pending_list_limit = '1024') where status = 'active';

create or replace function index_listing_words() returns trigger language plpgsql as $function$
declare
  featured timestamptz := case when new.premium_type = 'featured' then new.premium_until end;
begin
  if new.status = 'deleted' then
    delete from listing_search where listing_id = new.id;
    return null;
  end if;
  if tg_op = 'INSERT' or (old.title, old.tags, old.attributes, old.description) is distinct from (new.title, new.tags, new.attributes, new.description)
     or old.status = 'deleted' then
    insert into listing_search
      (listing_id, status, category_id, country, condition, type, shipping, price_amount, year, length_m, sort_at, featured_until, title, words)
    values (new.id, new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.year, new.length_m,
      new.sort_at, featured, to_tsvector('quayside', spaced_text(new.title)), listing_words(new.title, new.tags, new.attributes, new.description))
    on conflict (listing_id) do update
      set (status, category_id, country, condition, type, shipping, price_amount, year, length_m, sort_at, featured_until, title, words)
      = (excluded.status, excluded.category_id, excluded.country, excluded.condition, excluded.type, excluded.shipping, excluded.price_amount,
        excluded.year, excluded.length_m, excluded.sort_at, excluded.featured_until, excluded.title, excluded.words);
  elsif (old.status, old.category_id, old.country, old.condition, old.type, old.shipping, old.price_amount, old.year, old.length_m, old.sort_at,
     old.premium_type, old.premium_until) is distinct from (new.status, new.category_id, new.country, new.condition, new.type, new.shipping,
     new.price_amount, new.year, new.length_m, new.sort_at, new.premium_type, new.premium_until) then
    update listing_search
      set (status, category_id, country, condition, type, shipping, price_amount, year, length_m, sort_at, featured_until)
      = (new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.year, new.length_m, new.sort_at, featured)
    where listing_id = new.id;
  end if;
  return null;
end $function$;

-- Down Migration

create or replace function index_listing_words() returns trigger language plpgsql as $function$
declare
  featured timestamptz := case when new.premium_type = 'featured' then new.premium_until end;
begin
  if new.status = 'deleted' then
    delete from listing_search where listing_id = new.id;
    return null;
  end if;
  if tg_op = 'INSERT' or (old.title, old.tags, old.attributes, old.description) is distinct from (new.title, new.tags, new.attributes, new.description)
     or old.status = 'deleted' then
    insert into listing_search
      (listing_id, status, category_id, country, condition, type, shipping, price_amount, sort_at, featured_until, title, words)
    values (new.id, new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.sort_at, featured,
      to_tsvector('quayside', spaced_text(new.title)), listing_words(new.title, new.tags, new.attributes, new.description))
    on conflict (listing_id) do update
      set (status, category_id, country, condition, type, shipping, price_amount, sort_at, featured_until, title, words)
      = (excluded.status, excluded.category_id, excluded.country, excluded.condition, excluded.type, excluded.shipping, excluded.price_amount,
        excluded.sort_at, excluded.featured_until, excluded.title, excluded.words);
  elsif (old.status, old.category_id, old.country, old.condition, old.type, old.shipping, old.price_amount, old.sort_at, old.premium_type, old.premium_until)
     is distinct from (new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.sort_at, new.premium_type,
     new.premium_until) then
    update listing_search set (status, category_id, country, condition, type, shipping, price_amount, sort_at, featured_until)
      = (new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.sort_at, featured)
    where listing_id = new.id;
  end if;
  return null;
end $function$;

alter table listing_search drop column year, drop column length_m;
