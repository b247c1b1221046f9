import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { personalTables } from '../../../shared/leaving/personal-tables.ts';
import { movableClock } from '../../api/rentals/fixture.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  findMarkedFiles,
  findMarks,
  leave,
  MARK,
  marked,
  plant,
  SECOND_SWEEP_MS,
  workUntilIdle,
  type Planted,
} from '../../support/leaving.ts';
import { startTypesenseServer, type TypesenseServer } from '../../support/typesense-server.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

const clock = movableClock();
let app: TestApp;
let index: TypesenseServer;
let workers: TestWorkers;
let planted: Planted;

/** What processes hold back for a moment is written. */
async function flush(): Promise<void> {
  await Promise.all([app.services.searchTerms.flush(), app.services.tracker.flush(), app.services.views.flush()]);
}

async function workAll(): Promise<void> {
  await flush();
  await workUntilIdle(workers);
}

const send = (queue: 'sweep-leavings' | 'reconcile-search-index' | 'refresh-suggestions') =>
  inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, queue, {}));

beforeAll(async () => {
  index = await startTypesenseServer();
  const env = {
    TYPESENSE_URL: index.url,
    TYPESENSE_API_KEY: index.key,
    TYPESENSE_COLLECTION: 'leaving',
    FETCH_ALLOW: '127.0.0.1',
  };
  app = await startApp({ clock, env });
  workers = await startWorkers(app);
  await send('reconcile-search-index');
  await workUntilIdle(workers);
  planted = await plant(app, workAll);
  await send('refresh-suggestions');
  await workAll();
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await index.close();
});

const documents = () =>
  inspect([...index.collections.values()], { depth: 8, maxArrayLength: null, maxStringLength: null });

test('what a person has planted is everywhere before they leave', async () => {
  const tables = new Set((await findMarks(app.database.pool)).map((found) => found.split(':', 1)[0]));
  expect([...tables]).toEqual(
    expect.arrayContaining([
      'pgboss.job_common',
      'public.account_tokens',
      'public.api_keys',
      'public.bookings',
      'public.contact_requests',
      'public.conversations',
      'public.dedup_keys',
      'public.dedup_prints',
      'public.dedup_words',
      'public.events',
      'public.flags',
      'public.listing_images',
      'public.listing_price_brands',
      'public.listing_prices',
      'public.listing_search',
      'public.listing_sources',
      'public.listings',
      'public.newsletter_subscribers',
      'public.payments',
      'public.rentals',
      'public.reviews',
      'public.saved_search_filters',
      'public.saved_searches',
      'public.search_queries',
      'public.search_words',
      'public.suggestion_titles',
      'public.tracked_days',
      'public.tracked_events',
      'public.users',
      'public.webhook_deliveries',
      'public.webhooks',
    ]),
  );
  expect(findMarkedFiles(app.dataDir).some((path) => path.includes('/private/exports/'))).toBe(true);
  expect(documents()).toContain(marked('title'));
});

test('after they have left, nothing of it is in the database, on disk, in the search index or in any answer', async () => {
  const { person, friend, admin, listing, rental, conversation, exportUrl } = planted;
  const stream = await leave(app, person);
  expect(stream.status, stream.text).toBe(200);
  expect((await app.as(person).get('/api/me')).status).toBe(401);
  await workAll();
  expect(await findMarks(app.database.pool)).toEqual([]);
  clock.move(SECOND_SWEEP_MS);
  await send('sweep-leavings');
  await send('refresh-suggestions');
  await workAll();
  await app.services.recentRequests.stop();

  expect(await findMarks(app.database.pool)).toEqual([]);
  // Mails that others have got are theirs.
  const files = findMarkedFiles(app.dataDir).filter((path) => !path.includes('/outbox/'));
  expect(files).toEqual([]);
  expect(documents()).not.toContain(MARK);

  const paths = [
    `/api/listings?q=${marked('title')}`,
    `/api/listings/${listing.id}`,
    `/api/listings/${listing.id}.md`,
    `/api/users/${person.id}`,
    `/api/search/suggest?q=${MARK}`,
    `/api/rentals/${rental}`,
    '/api/rentals',
    '/feeds/listings.atom',
    '/sitemap.xml',
    '/llms.txt',
    new URL(exportUrl).pathname,
  ];
  for (const path of paths) {
    const { text } = await app.as().get(path);
    // What was asked for may be told again.
    expect(text.replaceAll(marked('title'), ''), path).not.toMatch(new RegExp(`${MARK}\\w`, 'i'));
  }
  for (const path of [
    `/api/conversations/${conversation}`,
    '/api/conversations',
    '/api/me/bookings',
    '/api/events?limit=1000',
  ])
    expect((await app.as(friend).get(path)).text, path).not.toContain(MARK);
  for (const path of ['/api/events?limit=1000', '/api/admin/jobs?limit=100'])
    expect((await app.as(admin).get(path)).text, path).not.toContain(MARK);
});

test('the other side reads on what was said, with a deleted user', async () => {
  const { body } = await app.as(planted.friend).get(`/api/conversations/${planted.conversation}`);
  expect(body.seller.name).toBe('Deleted user');
  expect(body.messages.results.map(({ content }: { content: string }) => content)).toContain('On Saturday.');
});

test('the change feed tells consumers which listings are gone, and nothing else of them', async () => {
  const { body } = await app.as(planted.admin).get(`/api/events?subject=${planted.listing.id}`);
  expect(body.results).toMatchObject([
    {
      type: 'listing.deleted',
      data: { listing_id: planted.listing.id, title: 'Deleted listing', slug: planted.listing.id },
    },
  ]);
});

test('what is said to be deleted refers to the person in no row', async () => {
  const { rows } = await app.database.pool.query<{ name: string; column: string }>(
    `select c.table_name as name, c.column_name as column from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = 'text'`,
  );
  const left: string[] = [];
  for (const { name, column } of rows) {
    const { rowCount } = await app.database.pool.query(`select from ${name} where "${column}" = $1 limit 1`, [
      planted.person.id,
    ]);
    if (rowCount !== 0 && personalTables[name]?.leaving === 'deleted') left.push(`${name}.${column}`);
  }
  expect(left).toEqual([]);
});

test('the same address can register anew, and is somebody else', async () => {
  const { status, body } = await app
    .as()
    .post('/api/auth/register', { email: planted.person.email, password: 'correct horse battery staple' });
  expect(status).toBe(201);
  expect(body.user.id).not.toBe(planted.person.id);
});
