-- Up Migration
-- What other listings have brought to one that they were merged into: shown as the source of its facts.
alter table listings add column sources jsonb;

-- A merge that somebody has taken back is not made again without a decision.
alter table dedup_groups add column unmerged_at timestamptz;
create index dedup_groups_newest on dedup_groups (detected_at desc, id desc);
create index dedup_groups_canonical on dedup_groups (canonical_id) where status = 'merged';

-- Conversations with several sellers come together where their listings were merged into one.
create unique index conversations_one_per_parties on conversations (listing_id, buyer_id, seller_id);
drop index conversations_one_per_buyer;

-- What is no longer offered waits for no decision, and one listing alone is no group. The lock lets those that leave a group at
-- the same time count one after the other.
create function leave_dedup_group() returns trigger language plpgsql as $$
declare
  waiting text;
begin
  select group_id into waiting from dedup_members where listing_id = new.id and open;
  if not found then
    return null;
  end if;
  perform from dedup_groups where id = waiting for update;
  delete from dedup_members where group_id = waiting and listing_id = new.id;
  delete from dedup_groups where id = waiting and status = 'detected'
    and (select count(*) from dedup_members where group_id = waiting) < 2;
  return null;
end $$;
create trigger listings_leave_dedup_groups after update of status on listings
  for each row when (old.status in ('draft', 'active', 'paused') and new.status not in ('draft', 'active', 'paused'))
  execute function leave_dedup_group();

-- Down Migration
