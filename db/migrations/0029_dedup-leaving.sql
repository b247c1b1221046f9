-- Up Migration
-- Whoever leaves a group takes along what was told of them; those whom only they held in it go too.
create or replace function leave_dedup_group() returns trigger language plpgsql as $$
declare
  waiting text;
begin
  select group_id into waiting from dedup_members where listing_id = new.id and open;
  if not found then
    return null;
  end if;
  perform from dedup_groups where id = waiting for update;
  delete from dedup_members where group_id = waiting and listing_id = new.id;
  update dedup_members m set (evidence, score) = (
    select coalesce(jsonb_agg(link order by place), '[]'), coalesce(max((link->>'score')::real), 0)
    from jsonb_array_elements(m.evidence) with ordinality as told (link, place) where link->>'listing_id' <> new.id)
  where m.group_id = waiting;
  delete from dedup_members where group_id = waiting and evidence = '[]';
  delete from dedup_groups where id = waiting and status = 'detected'
    and (select count(*) from dedup_members where group_id = waiting) < 2;
  return null;
end $$;

-- Down Migration
