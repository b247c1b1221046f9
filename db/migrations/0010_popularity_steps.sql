-- Up Migration
-- Few views lift a listing to another step of popularity: the others are told by their numbers alone, without a look at titles.
create function suggest_risen() returns trigger language plpgsql as $$
begin
  update suggestion_titles t set popularity = risen.popularity
  from (
    select s.listing_id, s.place, popularity_of(seen.views) as popularity
    from (
      select n.listing_id, n.views from seen n join known o on o.listing_id = n.listing_id
      where popularity_of(n.views) <> popularity_of(o.views)) as seen
    join suggestion_titles s on s.listing_id = seen.listing_id and s.popularity <> popularity_of(seen.views)
    for update of s skip locked) as risen
  where t.listing_id = risen.listing_id and t.place = risen.place;
  return null;
end $$;

drop trigger listing_views_suggested_on_update on listing_views;
create trigger listing_views_suggested_on_update after update on listing_views
  referencing new table as seen old table as known for each statement execute function suggest_risen();

-- Down Migration
