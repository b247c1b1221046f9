-- Up Migration
-- A saved search may name several categories, sellers, countries, conditions and types. The columns of one value each are
-- kept for processes of the version before, which still write and read them.
alter table saved_search_filters
  add column categories text[] collate "C",
  add column sellers text[] collate "C",
  add column countries text[],
  add column conditions text[],
  add column types text[];

create function list_saved_search_filters() returns trigger language plpgsql as $$
begin
  new.categories := coalesce(new.categories, nullif(array[new.category_id], array[null::text]));
  new.sellers := coalesce(new.sellers, nullif(array[new.seller_id], array[null::text]));
  new.countries := coalesce(new.countries, nullif(array[new.country], array[null::text]));
  new.conditions := coalesce(new.conditions, nullif(array[new.condition], array[null::text]));
  new.types := coalesce(new.types, nullif(array[new.type], array[null::text]));
  new.category_id := case when cardinality(new.categories) = 1 then new.categories[1] end;
  new.seller_id := case when cardinality(new.sellers) = 1 then new.sellers[1] end;
  new.country := case when cardinality(new.countries) = 1 then new.countries[1] end;
  new.condition := case when cardinality(new.conditions) = 1 then new.conditions[1] end;
  new.type := case when cardinality(new.types) = 1 then new.types[1] end;
  return new;
end $$;
create trigger saved_search_filters_lists before insert on saved_search_filters
  for each row execute function list_saved_search_filters();

update saved_search_filters set
  categories = case when category_id is not null then array[category_id] end,
  sellers = case when seller_id is not null then array[seller_id] end,
  countries = case when country is not null then array[country] end,
  conditions = case when condition is not null then array[condition] end,
  types = case when type is not null then array[type] end
where coalesce(category_id, seller_id, country, condition, type) is not null;

-- Down Migration
drop trigger saved_search_filters_lists on saved_search_filters;
drop function list_saved_search_filters();
alter table saved_search_filters
  drop column categories,
  drop column sellers,
  drop column countries,
  drop column conditions,
  drop column types;
