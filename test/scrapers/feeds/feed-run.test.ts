import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type Json, type TestApp } from '../../support/app.ts';
import { openMarine } from '../../shared/feeds/support.ts';
import { startFleet, until, type Fleet } from '../run-support.ts';
import { endOfRun, newFeed, oneTo, read, runOf, table, upload } from './support.ts';

let app: TestApp;
let admin: Client;
let fleet: Fleet;

beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  admin = app.as(await app.createUser({ role: 'admin' }));
  fleet = await startFleet(app);
});
afterAll(async () => {
  await fleet.stop();
  await app.close();
});

const query = async (text: string, ...values: unknown[]): Promise<Json[]> =>
  (await app.database.pool.query(text, values)).rows;
/** The listings of a scraper by status. */
const listings = async (scraperId: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await query(
        `select l.status, count(*)::int as n from listing_sources s join listings l on l.id = s.listing_id
         where s.scraper_id = $1 group by 1`,
        scraperId,
      )
    ).map(({ status, n }) => [status, n]),
  );
const live = (fields: Json = {}) => newFeed(admin, { site: 'boats.example.com', auto_publish: true, ...fields });
/** A feed whose listings are on show. Each test has pages of its own, as a page belongs to who read it last. */
async function shown(
  n: number,
  fields: Json = {},
): Promise<{ id: string; boats: (refs: readonly number[], more?: Record<string, string>) => string }> {
  const id = await live(fields);
  const own = id.slice(-12).toLowerCase();
  const boats = (refs: readonly number[], more?: Record<string, string>) =>
    table(refs, more).replaceAll('/boats/', `/${own}/`);
  await read(admin, id, boats(oneTo(n)));
  await until(
    () => listings(id),
    (found) => found['active'] === n,
  );
  return { id, boats };
}

test('an upload becomes listings that are live, and nothing of it stays in the storage', async () => {
  const { id } = await shown(4);
  expect(await runOf(admin, id)).toMatchObject({
    status: 'succeeded',
    trigger: 'manual',
    records_found: 4,
    created: 4,
    failed: 0,
    withdrawn: 0,
    errors: [],
  });
  await until(
    async () => readdirSync(`${app.dataDir}/private/feeds`),
    (files) => files.length === 0,
  );
});

test('OpenMarine, gzipped: boats with their facts, prices and places; one that is sold is none', async () => {
  const id = await newFeed(admin, { site: 'brokers.example.com', feed: { preset: 'openmarine' } });
  const run = await read(admin, id, gzipSync(openMarine));
  expect(run).toMatchObject({ status: 'succeeded', records_found: 4, created: 2, skipped: 2, failed: 0 });
  const [boat] = await query(
    `select l.* from listings l join listing_sources s on s.listing_id = l.id where s.scraper_id = $1 and s.url like '%kestrel-36'`,
    id,
  );
  expect(boat).toMatchObject({ price_amount: 54_900, price_currency: 'EUR', country: 'DE', city: 'Kiel', year: 2004 });
});

test('the same feed again is unchanged, without a job for any item; one that differs in a row updates that row', async () => {
  const { id, boats } = await shown(3);
  expect(await read(admin, id, boats(oneTo(3)))).toMatchObject({ status: 'succeeded', records_found: 3, unchanged: 3 });
  const changed = boats(oneTo(3)).replace('40002', '39000');
  const before = await query(`select count(*)::int as n from pgboss.job where name = 'ingest-record'`);
  const run = await read(admin, id, changed);
  expect(run).toMatchObject({ status: 'succeeded', records_found: 3, unchanged: 2, updated: 1 });
  const after = await query(`select count(*)::int as n from pgboss.job where name = 'ingest-record'`);
  expect(after[0].n - before[0].n).toBe(1);
});

test('rows that cannot be read fail alone, with their reasons', async () => {
  const id = await live();
  const rows = [
    'url,title,price',
    'https://boats.example.com/mixed/1,Kestrel 36 one,4000 EUR',
    'not a url,Kestrel 36 two,4000 EUR',
    'https://elsewhere.example/3,Kestrel 36 three,4000 EUR',
    'https://boats.example.com/mixed/4,,4000 EUR',
    'https://boats.example.com/mixed/5,Kestrel 36 five,4000 EUR,too,many',
    'https://boats.example.com/mixed/1,Kestrel 36 one again,4000 EUR',
    'https://boats.example.com/mixed/7,Kestrel 36 seven,4000 EUR',
  ];
  const run = await read(admin, id, `${rows.join('\n')}\n`);
  expect(run).toMatchObject({ status: 'succeeded', records_found: 7, created: 2, failed: 4, skipped: 1 });
  expect(run.errors.map(({ message }: Json) => message)).toEqual([
    "The address 'not a url' is no http(s) URL.",
    'The address https://elsewhere.example/3 is not on the site boats.example.com.',
    'The row has 5 columns, its header 3.',
    'The item comes twice in the feed; the first counts.',
    'No listing can be made of it: no title was found.',
    expect.stringContaining('nobody can tell which listings they are'),
  ]);
});

describe('a full feed', () => {
  test('withdraws a listing that two feeds in a row lack, and brings it back when it is there again', async () => {
    const { id, boats } = await shown(5);
    expect(await read(admin, id, boats([1, 2, 3, 4]))).toMatchObject({
      status: 'succeeded',
      unchanged: 4,
      withdrawn: 0,
    });
    expect(await listings(id)).toEqual({ active: 5 });
    expect(await read(admin, id, boats([1, 2, 3, 4], { model: 'Kestrel' }))).toMatchObject({
      status: 'succeeded',
      withdrawn: 1,
    });
    expect(await listings(id)).toEqual({ active: 4, expired: 1 });
    const expired = await query(
      `select e.type from events e join listing_sources s on s.listing_id = e.subject where s.scraper_id = $1 and e.type = 'listing.expired'`,
      id,
    );
    expect(expired).toHaveLength(1);
    expect(await read(admin, id, boats(oneTo(5)))).toMatchObject({ status: 'succeeded' });
    expect(await listings(id)).toEqual({ active: 5 });
  });

  test('that is uploaded once more as it was is the second look', async () => {
    const { id, boats } = await shown(5);
    await read(admin, id, boats([1, 2, 3, 4]));
    expect(await read(admin, id, boats([1, 2, 3, 4]))).toMatchObject({
      status: 'succeeded',
      unchanged: 4,
      withdrawn: 1,
    });
    expect(await listings(id)).toEqual({ active: 4, expired: 1 });
  });

  test('a listing that was missing once and is there again counts anew', async () => {
    const { id, boats } = await shown(5);
    await read(admin, id, boats([1, 2, 3, 4]));
    await read(admin, id, boats(oneTo(5)));
    expect(await read(admin, id, boats([1, 2, 3, 4], { model: 'Kestrel' }))).toMatchObject({ withdrawn: 0 });
    expect(await listings(id)).toEqual({ active: 5 });
  });

  test.each([
    ['cut off in a row', (all: string) => all.slice(0, -30), 'The CSV ends in the middle of a row.'],
    ['empty', () => '\n', 'The feed is empty.'],
    ['a header alone', (all: string) => `${all.split('\n')[0]}\n`, 'The feed holds no items; nothing is withdrawn.'],
    [
      'an error page',
      () => '<!doctype html><html><body>Internal error</body></html>',
      'This is an HTML page, no feed.',
    ],
    ['gzip that is cut off', (all: string) => gzipSync(all).subarray(0, 120), 'damaged or cut off'],
  ])('%s fails, says why, and withdraws nothing, however often it comes', async (_what, spoil, message) => {
    const { id, boats } = await shown(5);
    for (let i = 0; i < 3; i += 1) {
      const run = await read(admin, id, spoil(boats(oneTo(5))));
      expect(run).toMatchObject({
        status: 'failed',
        withdrawn: 0,
      });
      expect(run.errors[0].message).toContain(message);
    }
    expect(await listings(id)).toEqual({ active: 5 });
    expect(await query('select 1 from listing_sources where scraper_id = $1 and misses > 0', id)).toEqual([]);
  });

  test('that lacks half of the listings is in quarantine and withdraws nothing, unless an admin accepts it', async () => {
    const { id, boats } = await shown(6);
    for (const model of ['one', 'two']) {
      const run = await read(admin, id, boats([1, 2], { model }));
      expect(run).toMatchObject({
        status: 'failed',
        withdrawn: 0,
        quarantine: { reasons: ['4 of its 6 listings are missing from the feed.'], accepted_at: null },
      });
    }
    expect(await listings(id)).toEqual({ active: 6 });
    const { id: runId } = await runOf(admin, id);
    expect((await admin.post(`/api/admin/scrapers/${id}/runs/${runId}/accept`)).status).toBe(200);
    expect(await listings(id)).toEqual({ active: 6 });
    expect(await read(admin, id, boats([1, 2], { model: 'three' }))).toMatchObject({
      status: 'succeeded',
      withdrawn: 4,
    });
    expect(await listings(id)).toEqual({ active: 2, expired: 4 });
  });

  test('some of whose items nobody can tell apart withdraws nothing and says so', async () => {
    const { id, boats } = await shown(5);
    for (const model of ['one', 'two']) {
      const spoilt = boats(oneTo(5), { model }).replace(/https:\S*?\/5,/, 'no url,');
      const run = await read(admin, id, spoilt);
      expect(run).toMatchObject({ status: 'succeeded', withdrawn: 0, failed: 1 });
      expect(run.errors.at(-1).message).toBe(
        'Of 1 items nobody can tell which listings they are, so nothing is withdrawn.',
      );
    }
    expect(await listings(id)).toEqual({ active: 5 });
  });
});

describe('a delta feed', () => {
  test('changes only what is in it, and withdraws what it marks as deleted at once', async () => {
    const { id, boats } = await shown(5, { feed: { preset: 'csv', mode: 'delta' } });
    const delta = `${boats([1]).trim().replace('40001', '38000')}\n`;
    expect(await read(admin, id, delta)).toMatchObject({
      status: 'succeeded',
      records_found: 1,
      updated: 1,
      withdrawn: 0,
    });
    const [header] = boats([2], { action: 'delete' }).split('\n');
    expect(header).toContain('action');
    expect(await read(admin, id, boats([2, 3], { action: 'delete' }))).toMatchObject({
      status: 'succeeded',
      records_found: 2,
      skipped: 2,
      withdrawn: 2,
    });
    expect(await listings(id)).toEqual({ active: 3, expired: 2 });
  });

  test('that is empty is no fault', async () => {
    const { id, boats } = await shown(2, { feed: { preset: 'csv', mode: 'delta' } });
    expect(await read(admin, id, `${boats([1]).split('\n')[0]}\n`)).toMatchObject({
      status: 'succeeded',
      records_found: 0,
    });
    expect(await listings(id)).toEqual({ active: 2 });
  });
});

test('an item that says it is sold is withdrawn at once, also by a full feed', async () => {
  const { id, boats } = await shown(3);
  const sold = `${boats([1, 2], { availability: 'in_stock' })}${boats([3], { availability: 'sold' }).split('\n')[1]}\n`;
  expect(await read(admin, id, sold)).toMatchObject({ status: 'succeeded', updated: 1 });
  expect(await listings(id)).toEqual({ active: 2, expired: 1 });
});

test('a listing of a feed is not looked at by the refreshes of pages', async () => {
  const { id } = await shown(2);
  await query(`update listing_sources set due_at = now() - interval '1 day' where scraper_id = $1`, id);
  const { body } = await admin.get('/api/ingest/refresh/next?limit=100');
  const own = await query('select url from listing_sources where scraper_id = $1', id);
  const due = new Set(body.results.map(({ url }: Json) => url));
  expect(own.filter(({ url }) => due.has(url))).toEqual([]);
});

describe('one run at a time', () => {
  test('409 for an upload while a run is live, which goes on', async () => {
    const id = await live();
    await query(
      `insert into runs (id, kind, subject, status, created_at, updated_at) values ('run_' || right($1, 26), 'scraper', $1, 'running', now(), now())`,
      id,
    );
    expect((await upload(admin, id, table([1]))).status).toBe(409);
    expect((await admin.post(`/api/admin/scrapers/${id}/runs`)).status).toBe(409);
  });

  test('409 for a run of a feed that has no address, and for a feed of a scraper of pages', async () => {
    const id = await live();
    expect((await admin.post(`/api/admin/scrapers/${id}/runs`)).status).toBe(409);
    const { body } = await admin.post('/api/admin/scrapers', {
      name: 'Pages',
      start_urls: ['https://example.com/boats'],
    });
    expect((await upload(admin, body.id, table([1]))).status).toBe(409);
    expect((await upload(admin, 'scr_none', table([1]))).status).toBe(404);
  });

  test('a run that is cancelled in the middle stops, and withdraws nothing', async () => {
    const { id, boats } = await shown(5);
    await upload(admin, id, boats([...oneTo(4), ...oneTo(3_000).map((n) => n + 10)]));
    await until(
      () => runOf(admin, id),
      (run) => run.records_found > 0,
    );
    const { id: runId } = await runOf(admin, id);
    const cancelled = await admin.post(`/api/admin/scrapers/${id}/runs/${runId}/cancel`);
    if (cancelled.status === 200) expect((await endOfRun(admin, id)).status).toBe('cancelled');
    expect(await query('select 1 from listing_sources where scraper_id = $1 and misses > 0', id)).toEqual([]);
  });
});
