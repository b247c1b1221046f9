import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { renderTable } from '../../../scrapers/cli/print.ts';
import { scrape as runScrape } from '../../../scrapers/cli/run-scrape.ts';
import { readerOf } from '../../../scrapers/crawl/page-reader.ts';
import { inheritedEnvironment, readConfig } from '../../../shared/kit/config.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { compileCache } from '../../support/processes.ts';
import { runProgram } from '../../support/run-program.ts';
import { startSite, type Site } from '../../support/site-server.ts';
import { boatPage, listPage } from '../crawl/support.ts';
import { oneTo, table } from '../feeds/support.ts';
import { readerHere } from '../isolation.ts';

const program = fileURLToPath(new URL('../../../scrapers/cli/scrape.ts', import.meta.url));
let site: Site;
let dataDir: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'quayside-cli-'));
  site = await startSite({
    '/boats': listPage(['/boats/one', '/boats/two', '/boats/gone']),
    '/boats/one': boatPage('Bavaria 37 Cruiser'),
    '/boats/two': boatPage('Hanse \u001B[31m341 for sale'),
    '/trap': boatPage('Dehler 34').replace('</script>', `${'\t'.repeat(9_000)}-->${'\t'.repeat(9_000)}x</script>`),
    '/maze': `<h1>Maze</h1>${'<b>x</b>'.repeat(5_000)}`,
    '/stock.csv': table(oneTo(3)),
    '/about': '<html><body><p>About us</p></body></html>',
  });
});
afterAll(async () => {
  await site.close();
  rmSync(dataDir, { recursive: true, force: true });
});

afterEach(() => {
  vi.restoreAllMocks();
});

type Ended = { code: number | null; stdout: string; stderr: string };

/** What `npm run scrape` says and how it ends, in this process. */
async function scrape(
  args: string[],
  environment: Record<string, string> = {},
  openReader: typeof readerOf = readerHere,
): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  vi.spyOn(console, 'log').mockImplementation((line) => void (said.stdout += `${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line) => void (said.stderr += `${line}\n`));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said.stderr += String(text))));
  const config = () => readConfig({ FETCH_ALLOW: '127.0.0.1', DATA_DIR: dataDir, ...environment });
  const code = await runScrape(args, config, openReader);
  return { code, ...said };
}

/** The same as a process of its own. */
function scrapeAsProcess(args: string[]): Promise<Ended> {
  const { PATH = '', HOME = '' } = inheritedEnvironment({});
  const env = { PATH, HOME, FETCH_ALLOW: '127.0.0.1', DATA_DIR: dataDir, ...compileCache };
  return runProgram(process.execPath, [program, ...args], { env, cwd: dataDir });
}

describe('--dry', () => {
  test('shows the record of a page as a table, with its progress on stderr, and needs no database', async () => {
    const { code, stdout, stderr } = await scrapeAsProcess([`${site.url}/boats/one`, '--dry']);
    const [header = '', row = '', ...rest] = stdout.trimEnd().split('\n');
    expect(header).toMatch(/^TITLE +PRICE +CATEGORY +IMAGES +URL$/);
    expect(row).toMatch(/^Bavaria 37 Cruiser +45,000 EUR +\S+ +0 +http/);
    expect(rest).toEqual([]);
    expect(stderr).toMatch(/^1 page, 1 record, 0 problems in \d+\.\d s\n$/);
    expect(code).toBe(0);
  });

  test('--json gives one record per line and nothing else', async () => {
    const { stdout } = await scrape([`${site.url}/boats`, '--dry', '--json', '--max-pages', '10']);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { title: string; price: object; raw_record: object });
    expect(records.map((record) => record.title).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'Bavaria 37 Cruiser',
      expect.stringContaining('341 for sale'),
    ]);
    expect(records[0]).toMatchObject({ price: { amount: 45_000, currency: 'EUR' }, raw_record: { price: '45000' } });
  });

  test('--max-pages follows the links of the site', async () => {
    const { code, stdout, stderr } = await scrape([`${site.url}/boats`, '--dry', '--max-pages', '10']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout).not.toContain('\u001B');
    expect(stderr).toContain(`${site.url}/boats/gone: The page answered 404.`);
    expect(code).toBe(0);
  });

  test('a page whose markup is a trap for regular expressions is read like any other', async () => {
    const { code, stdout } = await scrape([`${site.url}/trap`, '--dry']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Dehler 34')]);
  });

  test('a page without a record is no failure, and says what to try', async () => {
    const { code, stdout, stderr } = await scrape([`${site.url}/about`, '--dry']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('There is no record on this page; --max-pages 20 follows its links.');
  });

  test('a page that cannot be read is one: exit code 1 and the reason', async () => {
    const { code, stderr } = await scrapeAsProcess([`${site.url}/nowhere`, '--dry']);
    expect(code).toBe(1);
    expect(stderr).toContain('No page could be read. The page answered 404.');
  });
});

describe('a feed', () => {
  const file = () => join(dataDir, 'stock.csv');
  beforeAll(() => writeFileSync(file(), `${table(oneTo(60))}https://elsewhere.example/1,Lost boat,,1,EUR,Kiel,DE\n`));

  test('in a file is shown with what is wrong with it, by a preset and without a database', async () => {
    const { code, stdout, stderr } = await scrape([file(), '--feed', 'csv', '--site', 'boats.example.com', '--dry']);
    expect(code, stderr).toBe(0);
    const [header = '', first = '', ...rest] = stdout.trimEnd().split('\n');
    expect(header).toMatch(/^TITLE +PRICE +WHERE +CATEGORY +IMAGES +URL$/);
    expect(first).toMatch(/^Kestrel 36 number 1 +40,001 EUR +Kiel, DE /);
    expect(rest).toHaveLength(49);
    expect(stderr).toContain('item 61: The address https://elsewhere.example/1 is not on the site boats.example.com.');
    expect(stderr).toMatch(/61 items, 60 records, 0 deleted, 1 problems in [\d.]+ s/);
  });

  test('at an address is read by a mapping in a file; --json gives every record', async () => {
    const mapping = join(dataDir, 'mapping.json');
    writeFileSync(mapping, JSON.stringify({ preset: 'csv', fields: { title: 'city' } }));
    const args = [`${site.url}/stock.csv`, '--feed', mapping, '--site', 'boats.example.com', '--dry', '--json'];
    const { code, stdout, stderr } = await scrape(args);
    expect(code, stderr).toBe(0);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { title: string });
    expect(records.map(({ title }) => title)).toEqual(['Kiel', 'Kiel', 'Kiel']);
  });

  test.each([
    ['a file without a site', ['--feed', 'csv', '--dry'], '--site names the host'],
    [
      'an unknown preset',
      ['--feed', 'boats', '--site', 'a.example', '--dry'],
      "'boats' is neither a preset (openmarine",
    ],
    ['no --dry', ['--feed', 'csv', '--site', 'a.example'], 'A feed is ingested by a run'],
  ])('%s ends with one plain word on it', async (_, args, message) => {
    const { code, stderr } = await scrape([file(), ...args]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  test.each([
    ['missing', '/gone.csv', 'The feed answered 404.'],
    ['no feed', '/about', 'This is an HTML page, no feed.'],
  ])('that is %s ends with exit code 1 and the reason', async (_, path, message) => {
    const { code, stderr } = await scrape([site.url + path, '--feed', 'csv', '--dry']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

test.each([
  ['nothing', [], /npm run scrape -- <url or scraper id>/],
  ['an unknown option', ['https://example.com', '--wet'], /Unknown option '--wet'/],
  ['no URL', ['example', '--dry'], /'example' is neither an http\(s\) URL nor the id of a scraper/],
  ['a bad number', ['https://example.com', '--max-pages', 'many'], /--max-pages is a number/],
  ['a private address', ['http://10.0.0.1/', '--dry'], /private address\. FETCH_ALLOW/],
  ['no database', ['https://example.com/'], /There is no database: run `npm start` first/],
] as const)('%s ends with one plain word on it', async (_what, args, message) => {
  const { code, stdout, stderr } = await scrape([...args]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain('    at ');
});

describe('with a database', () => {
  let app: TestApp;
  let admin: TestUser;
  beforeAll(async () => {
    app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
    admin = await app.createUser({ role: 'admin' });
  });
  afterAll(() => app.close());

  const listings = async () =>
    (
      await app.database.pool.query(
        'select l.title, l.seller_id, s.scraper_id from listings l join listing_sources s on s.listing_id = l.id order by l.title',
      )
    ).rows;

  test('what is found becomes listings of the administrator, and is known the second time', async () => {
    const environment = { DATABASE_URL: app.services.config.databaseUrl };
    const first = await scrape([`${site.url}/boats/one`], environment);
    expect(first).toMatchObject({ code: 0, stdout: '1 created, 0 updated, 0 unchanged, 0 skipped, 0 failed\n' });
    expect(await listings()).toEqual([{ title: 'Bavaria 37 Cruiser', seller_id: admin.id, scraper_id: null }]);
    const second = await scrape([`${site.url}/boats/one`], environment);
    expect(second.stdout).toBe('0 created, 0 updated, 1 unchanged, 0 skipped, 0 failed\n');
  });

  test("a scraper's id crawls what the scraper says, for its owner", async () => {
    const { body } = await app.as(admin).post('/api/admin/scrapers', {
      name: 'Boats',
      start_urls: [`${site.url}/boats`],
      link_pattern: '/boats/two$',
      requests_per_minute: 6000,
    });
    const { code, stdout } = await scrape([body.id], { DATABASE_URL: app.services.config.databaseUrl });
    expect([code, stdout]).toEqual([0, '1 created, 0 updated, 0 unchanged, 0 skipped, 0 failed\n']);
    expect((await listings()).map((row) => row.scraper_id)).toContain(body.id);
  });

  test('a page that cannot be read in time is given up with its reason', async () => {
    const { body } = await app.as(admin).post('/api/admin/scrapers', {
      name: 'Maze',
      start_urls: [`${site.url}/maze`],
      extract: { mode: 'selectors', selectors: { title: 'i ~ b ~ b ~ b ~ b' } },
      requests_per_minute: 6000,
    });
    const environment = { DATABASE_URL: app.services.config.databaseUrl };
    const { code, stderr } = await scrape([body.id], environment, (spec, settings) =>
      readerOf(spec, { ...settings, pageTimeLimitMs: 100 }),
    );
    expect(code).toBe(1);
    expect(stderr).toContain(`${site.url}/maze: The page takes too long to read.`);
    expect(stderr).toContain('No page could be read. The page takes too long to read.');
  });

  test('a scraper that reads a feed shows a file as it would read it, and ingests none', async () => {
    const feed = { name: 'Stock', kind: 'feed', site: 'boats.example.com', feed: { preset: 'csv' } };
    const { body } = await app.as(admin).post('/api/admin/scrapers', feed);
    const environment = { DATABASE_URL: app.services.config.databaseUrl };
    const path = join(dataDir, 'three.csv');
    writeFileSync(path, table(oneTo(3)));
    const before = await listings();
    const { code, stdout, stderr } = await scrape([body.id, '--dry', '--from', path], environment);
    expect([code, stdout.trimEnd().split('\n').length], stderr).toEqual([0, 4]);
    const none = await scrape([body.id, '--dry'], environment);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('--from names the feed to read.')]);
    const ingesting = await scrape([body.id, '--from', path], environment);
    expect([ingesting.code, ingesting.stderr]).toEqual([1, expect.stringContaining('A feed is ingested by a run')]);
    expect(await listings()).toEqual(before);
  });

  test('an unknown scraper is one plain word', async () => {
    const { code, stderr } = await scrape(['scr_00000000000000000000000000'], {
      DATABASE_URL: app.services.config.databaseUrl,
    });
    expect([code, stderr]).toEqual([1, 'There is no scraper scr_00000000000000000000000000.\n']);
  });
});

test('a table is as wide as its letters, and leaves out what no record has', () => {
  const table = renderTable(
    [
      {
        url: 'https://example.com/1',
        title: 'ヨット',
        price: { amount: 1_234_567.5, currency: 'JPY' },
        attributes: { year: 1998, length: 9.5 },
        location: { city: 'Lindau', country: 'DE' },
      },
      { url: 'https://example.com/2', title: 'x'.repeat(60), condition: 'good', images: ['https://example.com/1.jpg'] },
    ],
    () => 'sailboats',
  );
  expect(table.split('\n')).toEqual([
    `TITLE${' '.repeat(55)}PRICE  CONDITION  YEAR  LENGTH  WHERE       CATEGORY   IMAGES  URL`,
    `ヨット${' '.repeat(44)}1,234,567.5 JPY             1998   9.5 m  Lindau, DE  sailboats       0  https://example.com/1`,
    `${'x'.repeat(47)}…${' '.repeat(19)}good${' '.repeat(33)}sailboats       1  https://example.com/2`,
  ]);
});
