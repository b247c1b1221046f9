-- Up Migration
-- A page is known once for each owner: the marketplace, which is its scrapers and administrators together ('marketplace'), or a
-- member (the id of a user).
alter table listing_sources add column owner text collate "C";

-- Origins that clients have stated were kept beside pages, under addresses with a fragment. Where a listing comes from is the
-- service's to say: what no page stands behind is a listing of its client, and expires by the clock.
delete from listing_sources where normalized_url like '%#%';
update listings l set source = 'api'
where l.source = 'scraped' and not exists (select from listing_sources s where s.listing_id = l.id);

create temporary table marketplace_accounts on commit drop as
  select id from users where role = 'admin' union select owner_id from scrapers;
update listing_sources s
set owner = case when l.seller_id in (select id from marketplace_accounts) then 'marketplace' else l.seller_id end
from listings l where l.id = s.listing_id;
-- A crawl that has updated a member's listing has no say in it any more: it stores the page as the marketplace's own.
update listing_sources set scraper_id = null where owner <> 'marketplace' and scraper_id is not null;
alter table listing_sources alter column owner set not null;
drop index listing_sources_url;
create unique index listing_sources_page on listing_sources (normalized_url, owner);

-- Whoever deleted a listing keeps nobody else from its page. Whose it was stands in the journal; where that has forgotten, it
-- counts as the marketplace's, whose crawls would bring it back by themselves.
alter table deleted_sources add column owner text collate "C";
update deleted_sources d
set owner = case when e.owner_id in (select id from marketplace_accounts) then 'marketplace' else e.owner_id end
from (
  select distinct on (subject) subject, owner_id from events
  where type like 'listing.%' and owner_id is not null and subject in (select listing_id from deleted_sources)
  order by subject, seq desc
) e where e.subject = d.listing_id;
update deleted_sources set owner = 'marketplace' where owner is null;
alter table deleted_sources drop constraint deleted_sources_pkey, add primary key (normalized_url, owner);

create or replace function refuse_deleted_sources() returns trigger language plpgsql as $$
begin
  if exists (
    select from added a join deleted_sources d on d.normalized_url = a.normalized_url and d.owner = a.owner
  ) then
    raise exception 'the listing of a page was deleted meanwhile' using errcode = 'serialization_failure';
  end if;
  return null;
end $$;

-- Down Migration
