-- Up Migration
create index dedup_members_listing on dedup_members (listing_id);

-- What counts for the price of a listing's kind: what is offered, was sold or has expired, with the price it was sold for
-- where that is known. How long ago something may have expired is asked when it is read.
create view priced_listings as
select * from (
  select l.id as listing_id, l.category_id,
    case when l.status = 'sold' and l.sale_price is not null then coalesce(l.sale_currency, l.price_currency) else l.price_currency end as currency,
    case when l.status = 'sold' and l.sale_price is not null then l.sale_price else l.price_amount end as price,
    l.condition, l.country, l.year, l.length_m, lower(left(l.attributes->>'brand', 100)) as brand, lower(left(l.attributes->>'model', 100)) as model,
    case when l.status = 'expired' then l.expires_at end as expired_at,
    -- Listings of one thing have one vote; the group that still waits for a decision is the latest word.
    (select m.group_id from dedup_members m join dedup_groups g on g.id = m.group_id
     where m.listing_id = l.id and g.status in ('detected', 'merged') order by m.open desc, m.group_id desc limit 1) as group_id
  from listings l where l.type = 'sale' and l.status in ('active', 'sold', 'expired')) as priced
where price > 0;

-- The same rows, kept by triggers: narrow, and whole in the indexes that are read.
create table listing_prices (
  listing_id text collate "C" primary key references listings on delete cascade,
  category_id text collate "C" not null,
  currency text collate "C" not null,
  price double precision not null check (price > 0),
  condition text collate "C" not null,
  country text collate "C" not null,
  year smallint,
  length_m real,
  brand text collate "C",
  model text collate "C",
  expired_at timestamptz,
  group_id text collate "C",
  -- Orders listings as if by lot: those below a bound are a sample of all, and the same one each time.
  draw integer not null generated always as (hashtext(listing_id)) stored
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

-- Every brand that some listing has had, in small letters, for filters on a part of one. Nothing keeps two transactions from
-- writing the same one, so that neither waits for the other.
create table listing_price_brands (brand text collate "C" not null);
-- The same for the currencies that some listing of a category has had.
create table listing_price_currencies (category_id text collate "C" not null, currency text collate "C" not null);

insert into listing_prices (listing_id, category_id, currency, price, condition, country, year, length_m, brand, model, expired_at, group_id)
select listing_id, category_id, currency, price, condition, country, year, length_m, brand, model, expired_at, group_id from priced_listings;
insert into listing_price_brands select distinct brand from listing_prices where brand is not null;
insert into listing_price_currencies select distinct category_id, currency from listing_prices;

create index listing_prices_category on listing_prices (category_id, currency, draw)
  include (price, condition, country, year, length_m, brand, model, expired_at, listing_id) where group_id is null;
create index listing_prices_brand on listing_prices (brand, category_id, draw)
  include (currency, price, condition, country, year, length_m, model, expired_at, listing_id) where group_id is null;
create index listing_prices_group on listing_prices (category_id, draw) where group_id is not null;
create index listing_price_brands_brand on listing_price_brands (brand);
create index listing_price_currencies_category on listing_price_currencies (category_id, currency);

create function price_listing() returns trigger language plpgsql as $$
declare
  priced record;
begin
  if tg_op = 'UPDATE' then
    delete from listing_prices where listing_id = new.id;
  end if;
  insert into listing_prices (listing_id, category_id, currency, price, condition, country, year, length_m, brand, model, expired_at, group_id)
  select listing_id, category_id, currency, price, condition, country, year, length_m, brand, model, expired_at, group_id
  from priced_listings where listing_id = new.id
  returning category_id, currency, brand into priced;
  if found then
    insert into listing_price_brands select priced.brand
    where priced.brand is not null and not exists (select from listing_price_brands b where b.brand = priced.brand);
    insert into listing_price_currencies select priced.category_id, priced.currency
    where not exists (select from listing_price_currencies c where c.category_id = priced.category_id and c.currency = priced.currency);
  end if;
  return null;
end $$;

create function price_group(member text) returns void language sql as $$
  update listing_prices p set group_id = v.group_id from priced_listings v
  where p.listing_id = member and v.listing_id = member and p.group_id is distinct from v.group_id
$$;

create function price_member() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform price_group(old.listing_id);
  end if;
  if tg_op <> 'DELETE' then
    perform price_group(new.listing_id);
  end if;
  return null;
end $$;

create function price_members() returns trigger language plpgsql as $$
begin
  perform price_group(listing_id) from dedup_members where group_id = new.id;
  return null;
end $$;

create trigger dedup_members_priced after insert or update or delete on dedup_members
  for each row execute function price_member();
create trigger dedup_groups_priced after update on dedup_groups
  for each row when (old.status <> new.status) execute function price_members();
create trigger listings_priced_on_insert after insert on listings
  for each row when (new.type = 'sale' and new.status in ('active', 'sold', 'expired')) execute function price_listing();
create trigger listings_priced_on_update after update on listings
  for each row
  when ((old.status in ('active', 'sold', 'expired') or new.status in ('active', 'sold', 'expired'))
    and (old.status, old.type, old.category_id, old.price_amount, old.price_currency, old.sale_price, old.sale_currency, old.condition, old.country,
      old.year, old.length_m, old.attributes->>'brand', old.attributes->>'model', case when old.status = 'expired' then old.expires_at end)
    is distinct from (new.status, new.type, new.category_id, new.price_amount, new.price_currency, new.sale_price, new.sale_currency, new.condition,
      new.country, new.year, new.length_m, new.attributes->>'brand', new.attributes->>'model', case when new.status = 'expired' then new.expires_at end))
  execute function price_listing();

-- From here on writers wait for this transaction: what they changed while the prices were read is little, and read again.
delete from listing_prices p
where not exists (select from listings l where l.id = p.listing_id and l.updated_at < now() - interval '1 hour');
insert into listing_prices (listing_id, category_id, currency, price, condition, country, year, length_m, brand, model, expired_at, group_id)
select listing_id, category_id, currency, price, condition, country, year, length_m, brand, model, expired_at, group_id
from priced_listings v where not exists (select from listing_prices p where p.listing_id = v.listing_id);
insert into listing_price_brands
select distinct brand from listing_prices p where brand is not null and not exists (select from listing_price_brands b where b.brand = p.brand);
insert into listing_price_currencies
select distinct category_id, currency from listing_prices p
where not exists (select from listing_price_currencies c where c.category_id = p.category_id and c.currency = p.currency);

-- Down Migration
