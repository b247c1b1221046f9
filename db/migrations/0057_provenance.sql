-- Up Migration
-- Where a boat was found and what search engines are told of it is the service's to say, and is kept elsewhere
-- (listings.sources, listing_rewrites): what stands in the boat itself was invented by clients.
update listings set boat = nullif(boat - 'source' - 'seo', '{}'::jsonb) where boat ?| array['source', 'seo'];

-- Every URL that is stored is http or https.
update listings l
set sources = jsonb_set(l.sources, '{original_urls}', (
  select coalesce(jsonb_agg(u.url order by u.place), '[]'::jsonb)
  from jsonb_array_elements_text(l.sources -> 'original_urls') with ordinality as u (url, place)
  where u.url ~* '^https?://'))
where jsonb_typeof(l.sources -> 'original_urls') = 'array' and exists (
  select from jsonb_array_elements_text(l.sources -> 'original_urls') as u (url) where u.url !~* '^https?://');
delete from listing_images where source_url !~* '^https?://';

-- Down Migration
