import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFleet, type Fleet } from '../../scrapers/run-support.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { compileCache } from '../../support/processes.ts';
import { runProgram } from '../../support/run-program.ts';
import { startSite, type Route, type Site } from '../../support/site-server.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const program = join(repository, 'api/sdk/src/cli/main.ts');
const makes = ['Bavaria 37', 'Najad 380', 'Dehler 36', 'Contest 32', 'Moody 33', 'Halmatic 30'];

const thing = (make: string) =>
  `<title>${make}</title><script type="application/ld+json">${JSON.stringify({
    '@type': 'Product',
    name: `${make} for sale`,
    description: 'A well kept cruising yacht with new sails, ready to go.',
    offers: { '@type': 'Offer', price: 20_500, priceCurrency: 'EUR' },
  })}</script><h1>${make} for sale</h1><p>A sailing yacht.</p>`;
const list = `<title>Boats</title><main><h1>Boats for sale</h1><ul>${makes
  .map((make, n) => `<li><a href="/boats/400${n}.html"><h3>${make} for sale</h3></a> <span>€ 20.500</span></li>`)
  .join('')}</ul></main>`;
const routes: Record<string, Route> = {
  '/for-sale': list,
  ...Object.fromEntries(makes.map((make, n) => [`/boats/400${n}.html`, thing(make)])),
};

let app: TestApp;
let fleet: Fleet;
let admin: TestUser;
let site: Site;
let closed: Site;
const home = mkdtempSync(join(tmpdir(), 'quayside-scrape-'));
beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1', LOG_LEVEL: 'silent' } });
  admin = await app.createUser({ role: 'admin' });
  fleet = await startFleet(app);
  site = await startSite(routes);
  closed = await startSite({ ...routes, '/robots.txt': 'User-agent: *\nDisallow: /' });
});
afterAll(async () => {
  await fleet.stop();
  await site.close();
  await closed.close();
  await app.close();
  rmSync(home, { recursive: true, force: true });
});

const scrape = (args: string[], cwd: string, env: Record<string, string> = {}) =>
  runProgram(process.execPath, [program, 'scrape', '--dry', ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      QUAYSIDE_URL: app.url,
      QUAYSIDE_TOKEN: admin.token,
      ...compileCache,
      ...env,
    },
  });

test('outside the repository the server looks at the site, and tells the fields that it reads', async () => {
  const { code, stdout, stderr } = await scrape([`${site.url}/for-sale`], home);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d+ pages read, 0 failed$/m)]);
  expect(stdout).toMatch(/^title\t.*Bavaria 37 for sale/m);
  const learnt = await scrape([`${site.url}/for-sale`, '--json'], home);
  expect(JSON.parse(learnt.stdout)).toMatchObject({
    status: 'succeeded',
    proposal: { links: { records: expect.any(Number) } },
  });
  const { body } = await app.as(admin).get('/api/admin/scrapers');
  expect(body.results).toEqual([]);
});

test('a site that does not want it is exit code 1, and says why', async () => {
  const { code, stderr } = await scrape([`${closed.url}/for-sale`], home);
  expect([code, stderr]).toEqual([1, 'robots.txt does not allow this page.\n']);
});

test("in the repository a scraper is run by its name, and the marketplace's listings stay as they are", async () => {
  const { status } = await app.as(admin).post('/api/admin/scrapers', {
    name: 'Six boats',
    site: '127.0.0.1',
    kind: 'http',
    start_urls: [`${site.url}/for-sale`],
  });
  expect(status).toBe(201);
  const env = { DATABASE_URL: app.database.url, DATA_DIR: home, FETCH_ALLOW: '127.0.0.1', LOG_LEVEL: 'silent' };
  const { code, stdout } = await scrape(['Six boats', '--max-pages', '3', '--json'], repository, env);
  expect(code).toBe(0);
  expect(stdout).toContain('for sale');
  const { rows } = await app.database.pool.query('select count(*)::int as listings from listings');
  expect(rows).toEqual([{ listings: 0 }]);
  expect(await scrape(['No such scraper'], repository, env)).toMatchObject({ code: 1, stdout: '' });
});
