import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { migrate } from '../../db/migrate.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { makeTestFolder } from '../support/folders.ts';

const migrations = fileURLToPath(new URL('../../db/migrations/', import.meta.url));

test('pages of before get the owner who sells their listing, deleted ones the one the journal names, and forged origins go', async () => {
  const folder = makeTestFolder();
  for (const name of readdirSync(migrations).filter((each) => each < '0056'))
    cpSync(join(migrations, name), join(folder, name));
  const { url, pool } = await createEmptyDatabase();
  await migrate(url, { folder });
  rmSync(folder, { recursive: true });

  await pool.query(`
    insert into categories (id, slug, name, path, position) values ('boats', 'boats', 'Boats', '{boats}', 0);
    insert into users (id, email, name, role, created_at, updated_at) values
      ('admin', 'a@x.example', 'A', 'admin', now(), now()), ('once', 'o@x.example', 'O', 'user', now(), now()), ('member', 'm@x.example', 'M', 'user', now(), now());
    insert into scrapers (id, name, site, kind, start_urls, extract, max_pages, requests_per_minute, owner_id, created_at, updated_at)
      values ('scr', 'S', 'x.example', 'http', '{}', '{}', 1, 60, 'once', now(), now());
    insert into listings (id, slug, seller_id, category_id, status, type, condition, title, description, price_amount, price_currency,
      country, city, source, language, created_at, updated_at, expires_at, boat, sources)
    select l.id, l.id, l.seller, 'boats', 'active', 'sale', 'good', 'A boat for sale', 'A boat that is for sale by its owner.', 1, 'EUR',
      'DE', 'Kiel', 'scraped', 'en', now(), now(), now(), l.boat::jsonb, l.sources::jsonb
    from (values ('by_admin', 'admin', '{"source": {"original_urls": ["javascript:alert(1)"]}}', null),
      ('by_scraper', 'once', '{"brand": "Hanse", "seo": {"slug": "x"}, "price_history": []}', null),
      ('taken_over', 'member', null, '{"original_urls": ["https://x.example/1", "javascript:alert(1)"], "dedup_id": "g"}'),
      ('forged', 'member', '{"brand": "Hanse"}', null)) l (id, seller, boat, sources);
    insert into listing_sources (listing_id, url, normalized_url, site, scraper_id, raw_record, content_hash, scraped_at, first_seen_at, due_at)
    select id, page, page, 'x.example', scraper, '{}', '', now(), now(), now()
    from (values ('by_admin', 'https://x.example/1', null), ('by_scraper', 'https://x.example/2', 'scr'),
      ('taken_over', 'https://x.example/3', 'scr'), ('forged', 'https://x.example/4#forged', null)) s (id, page, scraper);
    insert into listing_images (listing_id, source_url, position, status, updated_at)
    values ('by_admin', 'javascript:alert(1)', 0, 'pending', now()), ('by_admin', 'HTTPS://x.example/1.jpg', 1, 'pending', now());
    insert into deleted_sources (normalized_url, listing_id, deleted_at)
    values ('https://x.example/5', 'gone_member', now()), ('https://x.example/6', 'gone_admin', now()), ('https://x.example/7', 'gone_long', now());
    insert into events (type, subject, owner_id, data, created_at)
    values ('listing.created', 'gone_member', 'member', '{}', now()), ('listing.deleted', 'gone_admin', 'admin', '{}', now());`);
  await migrate(url);

  const rows = async (text: string) => (await pool.query(text)).rows;
  expect(await rows('select listing_id, owner, scraper_id from listing_sources order by 1')).toEqual([
    { listing_id: 'by_admin', owner: 'marketplace', scraper_id: null },
    { listing_id: 'by_scraper', owner: 'marketplace', scraper_id: 'scr' },
    { listing_id: 'taken_over', owner: 'member', scraper_id: null },
  ]);
  expect(await rows('select normalized_url, owner from deleted_sources order by 1')).toEqual([
    { normalized_url: 'https://x.example/5', owner: 'member' },
    { normalized_url: 'https://x.example/6', owner: 'marketplace' },
    { normalized_url: 'https://x.example/7', owner: 'marketplace' },
  ]);
  expect(await rows('select id, seller_id, source, boat, sources from listings order by 1')).toEqual([
    { id: 'by_admin', seller_id: 'admin', source: 'scraped', boat: null, sources: null },
    {
      id: 'by_scraper',
      seller_id: 'once',
      source: 'scraped',
      boat: { brand: 'Hanse', price_history: [] },
      sources: null,
    },
    { id: 'forged', seller_id: 'member', source: 'api', boat: { brand: 'Hanse' }, sources: null },
    {
      id: 'taken_over',
      seller_id: 'member',
      source: 'scraped',
      boat: null,
      sources: { original_urls: ['https://x.example/1'], dedup_id: 'g' },
    },
  ]);
  expect(await rows('select source_url from listing_images')).toEqual([{ source_url: 'HTTPS://x.example/1.jpg' }]);
});
