import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApp, type Client, type Json, type TestApp } from '../../support/app.ts';
import { startSite, type Route, type Site } from '../../support/site-server.ts';
import { runToItsEnd, startFleet, until, type Fleet } from '../run-support.ts';
import { endOfRun, newFeed, oneTo, runOf, table } from './support.ts';

let app: TestApp;
let admin: Client;
let fleet: Fleet;
let site: Site;
const routes: Record<string, Route> = {};
let asked: Record<string, string | undefined>[] = [];

beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  admin = app.as(await app.createUser({ role: 'admin' }));
  fleet = await startFleet(app);
  site = await startSite(routes);
});
afterAll(async () => {
  await fleet.stop();
  await site.close();
  await app.close();
});
beforeEach(() => {
  asked = [];
});

let feeds = 0;
/** A scraper of a feed at an address of its own, whose listings lie on boats.example.com. */
async function newFeedAt(route: (path: string) => void, fields: Json = {}): Promise<string> {
  feeds += 1;
  const path = `/feed-${feeds}.csv`;
  route(path);
  const pace = { requests_per_minute: 6_000, respect_robots: false };
  return newFeed(admin, { start_urls: [`${site.url}${path}`], ...pace, ...fields });
}

/** Serves what `content` says, with an ETag, and 304 to whoever knows it. */
const serve = (content: () => string) => (path: string) => {
  routes[path] = (request, response) => {
    asked.push({ etag: request.headers['if-none-match'], agent: request.headers['user-agent'] });
    const etag = `"${content().length}"`;
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
    return response.writeHead(200, { etag, 'content-type': 'text/csv' }).end(content());
  };
};

test('a feed is fetched, then asked for with its ETag: one that has not changed is a run of unchanged items', async () => {
  const id = await newFeedAt(serve(() => table(oneTo(3))));
  expect(await runToItsEnd(admin, id)).toMatchObject({ status: 'succeeded', pages_fetched: 1, created: 3 });
  const second = await runToItsEnd(admin, id);
  expect(second).toMatchObject({ status: 'succeeded', pages_fetched: 1, records_found: 3, unchanged: 3, created: 0 });
  expect(asked.map(({ etag }) => etag)).toEqual([undefined, `"${table(oneTo(3)).length}"`]);
  expect(asked[0]?.agent).toMatch(/^QuaysideBot\//);
});

test('a changed mapping reads everything anew, whatever the server says has not changed', async () => {
  const id = await newFeedAt(serve(() => table([11, 12])));
  await runToItsEnd(admin, id);
  await admin.patch(`/api/admin/scrapers/${id}`, { feed: { preset: 'csv', fields: { title: 'description' } } });
  expect(await runToItsEnd(admin, id)).toMatchObject({ status: 'succeeded', updated: 2 });
  expect(asked.map(({ etag }) => etag)).toEqual([undefined, undefined]);
});

test('what a feed lacks is withdrawn when it is looked at a second time and has not changed', async () => {
  let refs = [21, 22, 23, 24, 25];
  const id = await newFeedAt(
    serve(() => table(refs)),
    { auto_publish: true },
  );
  await runToItsEnd(admin, id);
  await until(
    async () =>
      (
        await app.database.pool.query(
          `select count(*)::int as n from listings l join listing_sources s on s.listing_id = l.id where s.scraper_id = $1 and l.status = 'active'`,
          [id],
        )
      ).rows[0].n,
    (n) => n === 5,
  );
  refs = [21, 22, 23, 24];
  expect(await runToItsEnd(admin, id)).toMatchObject({ withdrawn: 0 });
  expect(await runToItsEnd(admin, id)).toMatchObject({ status: 'succeeded', unchanged: 4, withdrawn: 1 });
});

test.each([
  ['404', { status: 404 }, 'The feed answered 404; nothing is withdrawn.'],
  ['an HTML page', { body: '<html><body>Log in</body></html>' }, 'This is an HTML page, no feed.'],
  ['nothing', { body: '' }, 'The feed is empty.'],
])('a feed that answers %s fails and withdraws nothing', async (_what, answer, message) => {
  const id = await newFeedAt((path) => void (routes[path] = answer));
  const run = await runToItsEnd(admin, id);
  expect(run).toMatchObject({ status: 'failed', withdrawn: 0 });
  expect(run.errors[0].message).toContain(message);
});

test('robots.txt is obeyed, unless the scraper is told not to', async () => {
  routes['/robots.txt'] = 'User-agent: *\nDisallow: /feed-';
  const id = await newFeedAt(
    serve(() => table([31])),
    { respect_robots: true },
  );
  const run = await runToItsEnd(admin, id);
  expect(run).toMatchObject({ status: 'failed', errors: [{ message: 'robots.txt does not allow this page.' }] });
  expect(asked).toEqual([]);
});

test('a download that is cancelled stops within seconds', async () => {
  const gone = Promise.withResolvers<void>();
  const id = await newFeedAt((path) => {
    routes[path] = (request, response) => {
      response.writeHead(200).write('url,title\n');
      asked.push({});
      request.socket.once('close', () => gone.resolve());
    };
  });
  await admin.post(`/api/admin/scrapers/${id}/runs`);
  await until(
    async () => asked.length,
    (n) => n === 1,
  );
  const { id: runId } = await runOf(admin, id);
  expect((await admin.post(`/api/admin/scrapers/${id}/runs/${runId}/cancel`)).status).toBe(200);
  await gone.promise;
  expect((await endOfRun(admin, id)).status).toBe('cancelled');
});

test('a run of the schedule opens itself', async () => {
  const id = await newFeedAt(serve(() => table([41, 42])));
  await app.services.jobs.boss.send('run-scraper', { scraper_id: id });
  await until(
    () => runOf(admin, id),
    (run) => run?.status === 'succeeded',
  );
  expect(await runOf(admin, id)).toMatchObject({ trigger: 'schedule', created: 2 });
});
