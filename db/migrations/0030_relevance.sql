-- Up Migration
-- Kana, Chinese characters and Hangul run on without spaces, or with endings of words. In the vectors a run of them is every
-- pair of neighbours, and the last character alone: whatever part of it is typed is found as pairs that follow one another.
create function spaced_text(raw text, alone boolean default true) returns text language sql immutable parallel safe as $$
  select case when raw !~ '[\u1100-\u11FF\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFFEF]' then raw else (
    select string_agg(
      case when part[1] ~ '^[\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]'
        then (select string_agg(substr(part[1], i, 2), ' ' order by i)
          from generate_series(1, case when alone then char_length(part[1]) else greatest(1, char_length(part[1]) - 1) end) as i)
        else part[1] end, ' ' order by n)
    from regexp_matches(normalize(raw, NFKC), '([\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]+|[^\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]+)', 'g') with ordinality as m (part, n)) end
$$;

-- The words that somebody looks for, in their order: each as it was typed, and as a tsquery for it alone. Stop words are none.
-- What a compound is made of are words of their own, so that listings are found that write it with a hyphen or without.
create function search_terms(q text) returns table (place bigint, typed text, query tsquery) language sql stable strict parallel safe as $$
  select row_number() over (order by part.n, word.n), word.typed, word.query
  from regexp_matches(normalize(q, NFKC), '([\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]+|[^\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]+)', 'g') with ordinality as part (texts, n)
  cross join lateral (
    select 1::bigint as n, texts[1] as typed, case when char_length(texts[1]) = 1 then (texts[1] || ':*')::tsquery
      else phraseto_tsquery('quayside', spaced_text(texts[1], false)) end as query
    where texts[1] ~ '^[\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]'
    union all
    select t.n, t.token, plainto_tsquery('quayside', t.token)
    from ts_parse('default', texts[1]) with ordinality as t (kind, token, n)
    -- Not the whole of a compound (15 to 17) or of an address (5), not its protocol (14) and path (18), no blanks (12), tags (13) and entities (23).
    where texts[1] !~ '^[\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]' and t.kind <> all (array[5, 12, 13, 14, 15, 16, 17, 18, 23])
  ) as word
  where numnode(word.query) > 0
$$;

-- Whether words are put in quotation marks, excluded by a minus, or alternatives: what is meant is exactly that then.
create function is_exact_search(q text) returns boolean language sql immutable strict parallel safe as $$
  select q ~* '(^|\s)-[^\s-]|(^|\s)"[^"]+"(\s|$)|\s+or\s+\S'
$$;

-- What listings have to match to be found by a search: all of the words, or what its author has put together.
create function search_query(q text) returns tsquery language sql stable strict parallel safe as $$
  select case when is_exact_search(q) then websearch_to_tsquery('quayside', spaced_text(q, false))
    else coalesce((select string_agg('(' || query::text || ')', ' & ' order by place) from search_terms(q)), '')::tsquery end
$$;

create or replace function listing_words(title text, tags text[], attributes jsonb, description text) returns tsvector
language sql stable parallel safe as $$
  select setweight(to_tsvector('quayside', spaced_text(title)), 'A')
      || setweight(to_tsvector('quayside', spaced_text(array_to_string(tags, ' ') || ' ' || concat_ws(' ', attributes->>'brand', attributes->>'model'))), 'B')
      || setweight(to_tsvector('quayside', spaced_text(left(description, 20000))), 'C')
$$;

create or replace function index_listing_words() returns trigger language plpgsql as $$
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
end $$;

-- The listings there are already: those in such a language, and those whose title shows it.
update listing_search s
set title = to_tsvector('quayside', spaced_text(l.title)), words = listing_words(l.title, l.tags, l.attributes, l.description)
from listings l
where l.id = s.listing_id
  and (l.language in ('ja', 'ko', 'zh') or l.title ~ '[\u1100-\u11FF\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFFEF]');

-- Down Migration
