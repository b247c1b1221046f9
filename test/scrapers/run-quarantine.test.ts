import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import type { CrawlNews } from '../../scrapers/crawl/spec.ts';
import { createKnownPages, rulesOf } from '../../scrapers/crawl/known-pages.ts';
import { publishScraped } from '../../scrapers/publish-scraped.ts';
import { storeNews, type RunBeingWorked } from '../../scrapers/crawl/run-news.ts';
import type { ScraperServices } from '../../scrapers/services.ts';
import type { IngestRecord } from '../../shared/normalize/record-type.ts';
import { newId } from '../../shared/kit/ids.ts';
import { advanceRun, openRun } from '../../shared/runs/runs.ts';
import { countFindings } from '../../shared/scrapers/findings.ts';
import { dropHeld, judgeCrawl, readHistory } from '../../shared/scrapers/quarantine.ts';
import { newScraperRun } from '../../shared/scrapers/runs.ts';
import { startApp, type Client, type Json, type TestApp } from '../support/app.ts';
import { sendEmail } from '../../workers/send-email.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let admin: Client;
let ownerId: string;
let scrapers = 0;

beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  const owner = await app.createUser({ role: 'admin' });
  ownerId = owner.id;
  admin = app.as(owner);
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const services = () => workers.services as never as ScraperServices;
const news = (records: IngestRecord[], gone: string[] = []): CrawlNews => ({
  counts: { pages_fetched: records.length },
  records,
  errors: [],
  gone,
  ...{ pages: [], verified: [], listed: [] },
  queue: { queued: [], visited: [], skipped: [] },
});

async function newScraper(fields: Json = {}): Promise<string> {
  scrapers += 1;
  const start = `https://site-${scrapers}.example/boats`;
  return (await admin.post('/api/admin/scrapers', { name: 'Boats', start_urls: [start], ...fields })).body.id;
}

const boat = (scraperId: string, i: number, fields: Partial<IngestRecord> = {}): IngestRecord => ({
  url: `https://${scraperId.toLowerCase()}.example/boats/${i}`,
  title: `Bavaria 37 Cruiser number ${i}`,
  description: 'A well kept cruising yacht with new sails, ready to go.',
  price: { amount: 45_000 + i, currency: 'EUR' },
  location: { country: 'DE', city: 'Kiel' },
  attributes: { brand: 'Bavaria', year: 2004 },
  ...fields,
});
const boats = (scraperId: string, n: number, fields: Partial<IngestRecord> = {}) =>
  Array.from({ length: n }, (_, i) => boat(scraperId, i, fields));

/** A run whose crawl reports this, in batches, and ends. */
async function crawl(scraperId: string, batches: CrawlNews[]): Promise<{ id: string; quarantined: string[] }> {
  const { db, jobs, clock } = services();
  const id = await inTransaction(db, (tx) =>
    openRun(tx, newScraperRun({ scraperId, trigger: 'manual', startedBy: ownerId }), clock.now()),
  );
  await db.updateTable('runs').set({ status: 'running' }).where('id', '=', id).execute();
  await db
    .updateTable('runs')
    .set({ params: JSON.stringify({ max_pages: 10 }) })
    .where('id', '=', id)
    .execute();
  const history = await readHistory(db, id, scraperId);
  const run: RunBeingWorked = { id, scraperId, ownerId, spec: {} as never, history, titles: new Set() };
  for (const batch of batches)
    await inTransaction(db, async (tx) => {
      const now = clock.now();
      await advanceRun(tx, id, await storeNews(tx, services(), run, batch, now), now);
    });
  const { quarantined } = await inTransaction(db, (tx) => judgeCrawl(tx, jobs, run, clock.now()));
  return { id, quarantined };
}

/** Three runs that found these boats: one that made listings of them, unless told otherwise, and rows of the others. */
async function goodRuns(scraperId: string, n: number, { listed = true } = {}): Promise<void> {
  const { db, clock } = services();
  for (let i = 0; i < (listed ? 2 : 3); i += 1) {
    const id = newId('run');
    const now = new Date(clock.now().getTime() - 1_000);
    const run = { id, kind: 'scraper', subject: scraperId, status: 'succeeded', created_at: now, updated_at: now };
    await db
      .insertInto('runs')
      .values({ ...run, params: JSON.stringify({ max_pages: 10 }) })
      .execute();
    const counts = JSON.stringify(countFindings(boats(scraperId, n), 0, new Set()));
    await db.insertInto('run_findings').values({ run_id: id, counts }).execute();
  }
  if (!listed) return;
  expect((await crawl(scraperId, [news(boats(scraperId, n))])).quarantined).toEqual([]);
  await workers.work('ingest-record');
}

const runOf = async (scraperId: string) =>
  (await admin.get(`/api/admin/scrapers/${scraperId}/runs?limit=1`)).body.results[0];
const count = async (text: string, ...values: unknown[]): Promise<number> =>
  (await app.database.pool.query<{ n: number }>(`select count(*)::int as n from ${text}`, values)).rows[0]!.n;
const listings = (scraperId: string, status = '%') =>
  count(
    'listings l join listing_sources s on s.listing_id = l.id where s.scraper_id = $1 and l.status like $2',
    scraperId,
    status,
  );
const eventsOf = (runId: string) => count('events where subject = $1', runId);
const queued = (scraperId: string, queue: string) =>
  count(`pgboss.job where name = $2 and state = 'created' and data->>'scraper_id' = $1`, scraperId, queue);
const accept = (scraperId: string, runId: string) =>
  admin.post(`/api/admin/scrapers/${scraperId}/runs/${runId}/accept`);

describe('administrators', () => {
  const mails = async (runId: string): Promise<Json[]> =>
    (
      await app.database.pool.query(
        `select data from pgboss.job where name = 'send-email' and data->'data'->>'run_id' = $1`,
        [runId],
      )
    ).rows.map(({ data }) => data);
  const broken = (scraperId: string) => [news(boats(scraperId, 30, { price: undefined }))];

  test('are told of a quarantine by one mail each, in their language, with a link to the run', async () => {
    const german = await app.createUser({ role: 'admin' });
    const gone = await app.createUser({ role: 'admin' });
    await app.database.pool.query(`update users set language = 'de' where id = $1`, [german.id]);
    await app.database.pool.query(`update users set disabled_at = now() where id = $1`, [gone.id]);
    const scraperId = await newScraper({ name: 'Ost <see>' });
    await goodRuns(scraperId, 30, { listed: false });
    const { id } = await crawl(scraperId, broken(scraperId));
    expect(new Set((await mails(id)).map(({ user_id }) => user_id))).toEqual(new Set([ownerId, german.id]));

    await workers.work('send-email');
    const folder = join(app.dataDir, 'outbox');
    const sent = await Promise.all(
      readdirSync(folder).map((name) => PostalMime.parse(readFileSync(join(folder, name)))),
    );
    const mail = sent.find(({ to }) => to?.[0]?.address === german.email);
    expect(mail?.subject).toBe('Ein Scraper braucht Sie: Ost <see>');
    expect(mail?.text).toContain('> Einträge mit Preis: 0\u00a0%, vorher 100\u00a0%');
    expect(mail?.text).toContain(`/admin#/scrapers?run=${scraperId}+${id}`);
  });

  test('are told once, however many runs a quarantine lasts, and anew of the next one', async () => {
    const scraperId = await newScraper();
    await goodRuns(scraperId, 30, { listed: false });
    const first = await crawl(scraperId, broken(scraperId));
    const second = await crawl(scraperId, broken(scraperId));
    expect([first.quarantined.length, second.quarantined.length]).toEqual([1, 1]);
    expect(await mails(second.id)).toEqual([]);
    expect((await crawl(scraperId, [news(boats(scraperId, 30))])).quarantined).toEqual([]);
    await workers.work('ingest-record');
    const third = await crawl(scraperId, broken(scraperId));
    expect((await mails(third.id)).length).toBe((await mails(first.id)).length);
  });

  test('are told nothing of a run that was accepted before its mail went out', async () => {
    const scraperId = await newScraper();
    await goodRuns(scraperId, 30, { listed: false });
    const { id } = await crawl(scraperId, broken(scraperId));
    expect((await accept(scraperId, id)).status).toBe(200);
    const [mail] = await mails(id);
    const context = { signal: new AbortController().signal, log: undefined as never, jobId: 'none', attempt: 0 };
    expect(await sendEmail(workers.services, mail as never, context)).toEqual({
      skipped: 'there is nothing left to tell',
    });
  });
});

describe('a run that is unlike those before it', () => {
  test('too few records: nothing is published or due, the run says why, with one event', async () => {
    const scraperId = await newScraper({ auto_publish: true });
    await goodRuns(scraperId, 30);
    await app.database.pool.query(`delete from pgboss.job where name = 'publish-scraped'`);
    const missing = boats(scraperId, 30)
      .slice(3)
      .map(({ url }) => url);
    const { id } = await crawl(scraperId, [news(boats(scraperId, 3), missing)]);
    const reason = 'It found 3 records, where earlier runs found about 30.';
    expect(await runOf(scraperId)).toMatchObject({
      id,
      status: 'failed',
      records_found: 3,
      created: 0,
      updated: 0,
      quarantine: { reasons: [reason], accepted_at: null },
      errors: [{ message: expect.stringContaining(`In quarantine: ${reason}`), at: expect.any(String) }],
    });
    expect(await eventsOf(id)).toBe(1);
    expect(await count('listing_sources where scraper_id = $1 and misses > 0', scraperId)).toBe(0);
    expect(await queued(scraperId, 'ingest-record')).toBe(0);
    expect(await queued(scraperId, 'publish-scraped')).toBe(0);
    const late = await publishScraped(services(), { scraper_id: scraperId }, {
      signal: new AbortController().signal,
    } as never);
    expect(late).toEqual({ skipped: 'the last run is in quarantine' });
    expect(await listings(scraperId, 'active')).toBe(0);
  });

  test('records without prices never reach the listings, however many there are', async () => {
    const scraperId = await newScraper();
    await goodRuns(scraperId, 30, { listed: false });
    const broken = boats(scraperId, 30, { price: undefined, title: 'Please enable cookies' });
    const { id } = await crawl(scraperId, [news(broken.slice(0, 10)), news(broken.slice(10))]);
    expect((await runOf(scraperId)).quarantine.reasons).toEqual([
      '3 % of its records have a title of their own, where 100 % did before.',
      '0 % of its records have a price, where 100 % did before.',
    ]);
    await workers.work('ingest-record');
    expect(await count(`listings where title like 'Please%'`)).toBe(0);
    expect(await count('run_held where run_id = $1', id)).toBe(30);
  });

  test('one that begins well goes on at once, and is stopped where it turns odd', async () => {
    const scraperId = await newScraper();
    await goodRuns(scraperId, 40, { listed: false });
    const fresh = boats(scraperId, 40, { description: 'Now with another text, and new sails, and all that.' });
    const broken = boats(scraperId, 80, { price: undefined }).slice(40);
    const { id, quarantined } = await crawl(scraperId, [
      news(fresh.slice(0, 10)),
      news(fresh.slice(10)),
      ...[0, 10, 20, 30].map((from) => news(broken.slice(from, from + 10))),
    ]);
    expect(quarantined).toHaveLength(1);
    await workers.work('ingest-record');
    expect(await runOf(scraperId)).toMatchObject({ id, status: 'failed', records_found: 80 });
    expect(await listings(scraperId)).toBeGreaterThanOrEqual(40);
    expect(await listings(scraperId)).toBeLessThan(60);
    expect(await count('run_held where run_id = $1', id)).toBeGreaterThan(20);
  });

  test('accepted: what it held goes on, it has succeeded, it is the measure, and tells nothing twice', async () => {
    const scraperId = await newScraper({ auto_publish: true });
    await goodRuns(scraperId, 30);
    const sold = boats(scraperId, 30).at(-1)!.url;
    const few = boats(scraperId, 3, { description: 'Seen again, and described in another way than before.' });
    const { id } = await crawl(scraperId, [news(few, [sold])]);
    await app.database.pool.query(`delete from pgboss.job where name = 'publish-scraped'`);
    const replies = await Promise.all(Array.from({ length: 5 }, () => accept(scraperId, id)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 200)?.body).toMatchObject({
      status: 'succeeded',
      quarantine: { accepted_at: expect.any(String) },
      errors: [],
    });
    expect(await queued(scraperId, 'publish-scraped')).toBe(0);
    await workers.work('ingest-record');
    expect(await runOf(scraperId)).toMatchObject({ id, status: 'succeeded', updated: 3 });
    expect(await queued(scraperId, 'publish-scraped')).toBe(1);
    expect(await count('listing_sources where scraper_id = $1 and misses > 0', scraperId)).toBe(1);
    expect(await eventsOf(id)).toBe(1);
    for (let i = 0; i < 3; i += 1) {
      expect((await crawl(scraperId, [news(few)])).quarantined).toEqual([]);
      await workers.work('ingest-record');
    }
    expect((await crawl(scraperId, [news([])])).quarantined).toHaveLength(1);
  });

  test('409 for a run that is in none, and once another has begun; 404 for another scraper; 403 for a user', async () => {
    const scraperId = await newScraper();
    await goodRuns(scraperId, 12, { listed: false });
    expect((await accept(scraperId, (await runOf(scraperId)).id)).status).toBe(409);
    const { id } = await crawl(scraperId, [news([])]);
    expect((await accept(await newScraper(), id)).status).toBe(404);
    const stranger = app.as(await app.createUser());
    expect((await stranger.post(`/api/admin/scrapers/${scraperId}/runs/${id}/accept`)).status).toBe(403);
    const { id: next } = await crawl(scraperId, [news(boats(scraperId, 2))]);
    expect((await accept(scraperId, id)).status).toBe(409);
    await dropHeld(services().db);
    expect(await count('run_held where run_id = $1', id)).toBe(0);
    expect(await count('run_held where run_id = $1', next)).toBe(2);
  });

  test('a scraper that was told to crawl otherwise is not compared with what it did before', async () => {
    const scraperId = await newScraper();
    await goodRuns(scraperId, 30, { listed: false });
    await app.database.pool.query(
      `update runs set params = jsonb_set(params, '{max_pages}', '99') where subject = $1`,
      [scraperId],
    );
    expect((await crawl(scraperId, [news(boats(scraperId, 3))])).quarantined).toEqual([]);
  });
});

test('a page is known once its record is stored, and one that has not changed counts as found and verified', async () => {
  const scraperId = await newScraper();
  const [record] = boats(scraperId, 1) as [IngestRecord];
  record.scraped_at = services().clock.now().toISOString();
  const page = {
    page: record.url,
    record: record.url,
    etag: '"1"',
    links: [`${record.url}0`],
    scrapedAt: record.scraped_at,
  };
  const rules = rulesOf({} as never);
  const readPages = createKnownPages(services().pool, services().clock, scraperId, rules);
  const readPage = async (page: string) => (await readPages([page]))[0];
  await crawl(scraperId, [{ ...news([record]), pages: [page] }]);
  expect(await readPage(record.url)).toBeUndefined();
  await workers.work('ingest-record');
  expect(await readPage(record.url)).toEqual({
    ...{ record: record.url, etag: '"1"', links: page.links },
    readAt: Date.parse(record.scraped_at),
  });
  const others = createKnownPages(services().pool, services().clock, scraperId, 'other rules');
  expect(await others([record.url])).toEqual([undefined]);
  await app.database.pool.query('update listing_sources set last_verified_at = null where scraper_id = $1', [
    scraperId,
  ]);
  await crawl(scraperId, [{ ...news([]), counts: { pages_fetched: 1 }, verified: [record.url] }]);
  expect(await runOf(scraperId)).toMatchObject({
    status: 'succeeded',
    records_found: 1,
    unchanged: 1,
    pages_fetched: 1,
  });
  expect(await count('listing_sources where scraper_id = $1 and last_verified_at is not null', scraperId)).toBe(1);
  await app.database.pool.query('update listing_sources set misses = 1 where scraper_id = $1', [scraperId]);
  expect(await readPage(record.url)).toBeUndefined();
});
