import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath, openPage, type OpenPage } from '../../support/browser.ts';
import { useConsole } from '../../support/console-page.ts';
import { startSite, type Site } from '../../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { boatPage, listPage } from '../../scrapers/crawl/support.ts';
import { startFleet, until, type Fleet } from '../../scrapers/run-support.ts';

const password = 'a long password of the console';
let app: TestApp;
let admin: TestUser;

beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1', PROXY_BASE_URL: 'https://market.example.com/boats' } });
  admin = await app.createUser({ role: 'admin', email: 'harbour.master@example.com' });
  const hash = await app.services.passwords.hash(password);
  await app.database.pool.query('update users set password_hash = $1', [hash]);
});
afterAll(async () => {
  await app.close();
});

describe('what is served', () => {
  test('the page may run its own modules and nothing else, and talks to its own host alone', async () => {
    const { status, headers, text } = await app.as().get('/admin?utm_source=mail');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self'; img-src 'self' data:/,
    );
    for (const rule of [
      "connect-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy.split('; ')).toContain(rule);
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/(src|href)="(https?:)?\//);
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect((await app.as().get('/robots.txt')).text).toContain('Disallow: /admin\n');
  });

  test('the page and all it loads are less than 150 kB as they are sent', async () => {
    const { text } = await app.as().get('/admin');
    const paths = new Set([...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? ''));
    const files = await Promise.all(
      [...paths].map(async (path) => {
        const response = await fetch(`${app.url}/${path}`);
        expect(response.status, path).toBe(200);
        const kept = path.includes('/lib/') ? /immutable/ : /^no-cache$/;
        expect(response.headers.get('cache-control'), path).toMatch(kept);
        if (!path.includes('/lib/')) expect(response.headers.get('etag'), path).not.toBeNull();
        return Buffer.from(await response.arrayBuffer());
      }),
    );
    expect(files.length).toBeGreaterThan(20);
    const sent = [Buffer.from(text), ...files].map((file) => gzipSync(file).length);
    expect(sent.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
  });

  test('files beside those of the page are not there, and a slash at the end leads to the page', async () => {
    for (const path of [
      '/admin/assets/serve.ts',
      '/admin/assets/../serve.ts',
      '/admin/assets/%2e%2e/serve.ts',
      '/admin/x',
    ])
      expect((await fetch(app.url + path)).status, path).toBe(404);
    const response = await fetch(`${app.url}/boats/admin/`, { redirect: 'manual' });
    expect(response.status).toBe(308);
    expect(new URL(response.headers.get('location') ?? '', response.url).href).toBe(`${app.url}/boats/admin`);
    expect((await app.as().post('/admin')).status).toBe(405);
  });
});

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let fleet: Fleet;
  let workers: TestWorkers;
  let site: Site;
  let opened: OpenPage;
  beforeAll(async () => {
    fleet = await startFleet(app);
    workers = await startWorkers(app);
    site = await startSite({
      '/boats': listPage(['/boats/one', '/boats/gone']),
      '/boats/one': boatPage('Bavaria 37 Cruiser'),
      '/boats/gone': { status: 404 },
    });
    opened = await openPage(app);
  });
  afterAll(async () => {
    await opened?.close();
    await site.close();
    await workers.close();
    await fleet.stop();
  });
  beforeEach(() => {
    opened.problems.length = 0;
  });

  const heading = (name: string) => opened.page.getByRole('heading', { level: 1, name });
  const section = (name: string) => opened.page.getByRole('region', { name, exact: true });
  const told = (text: string) => opened.page.getByRole('status').getByText(text).waitFor();
  const answerYes = (action: string) => opened.page.getByRole('dialog').getByRole('button', { name: action }).click();
  /** A page of the console anew; the session of the tab stays. */
  async function open(path: string, title: string) {
    await useConsole(app, opened.page).visit(path);
    await heading(title).waitFor();
  }

  test('a wrong password is refused with what was typed kept, who is no administrator is told so, and a token is kept in this tab alone', async () => {
    const { page, problems } = opened;
    const user = await app.createUser();
    const hash = await app.services.passwords.hash(password);
    await app.database.pool.query('update users set password_hash = $1 where id = $2', [hash, user.id]);
    await page.goto(`${app.url}/admin#/jobs`);
    const [email, secret] = [page.getByLabel('Email'), page.getByLabel('Password')];
    await email.fill(admin.email);
    await secret.fill('another long password');
    await secret.press('Enter');
    await page.getByRole('alert').getByText('password').waitFor();
    expect(await email.inputValue()).toBe(admin.email);
    expect(await secret.inputValue()).toBe('another long password');

    await email.fill(user.email);
    await secret.fill(password);
    await secret.press('Enter');
    await page.getByRole('alert').getByText(`${user.email} is neither a moderator nor an administrator`).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);

    await email.fill(admin.email);
    await secret.press('Enter');
    await heading('Jobs and queues').waitFor();
    const { hash: fragment, search } = new URL(page.url());
    expect({ fragment, search }).toEqual({ fragment: '#/jobs', search: '' });
    expect(await page.evaluate('[sessionStorage.length, localStorage.length, document.cookie]')).toEqual([1, 0, '']);
    expect(problems).toEqual([]);
  });

  test('every page is reached by its keys, fills, and breaks no rule of the policy', async () => {
    const { page, problems } = opened;
    await open('', 'Overview');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    const shortcuts = await dialog.locator('dl > div').evaluateAll((rows) => rows.map((row) => row.textContent ?? ''));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const pages = shortcuts.flatMap((text) => {
      const [, key = '', title = ''] = /^g\s*(\w)\s*(.+)$/.exec(text.trim()) ?? [];
      return title === '' ? [] : [{ key, title }];
    });
    // Keys that two pages have are listed once.
    const titles = await page.getByRole('navigation', { name: 'Console' }).locator('a .not-phone').allTextContents();
    expect(pages.map(({ title }) => title)).toEqual(titles);
    for (const { key, title } of pages.toReversed()) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await heading(title).waitFor();
      await page.getByText('loading …').first().waitFor({ state: 'detached' });
      expect(await page.getByRole('alert').filter({ hasText: /./ }).allTextContents(), title).toEqual([]);
      expect(await page.title()).toBe(`${title} · Quayside console`);
    }
    expect(problems).toEqual([]);
  });

  test('the keyboard skips to the page, walks the rows, opens one, and comes back to it', async () => {
    const { page, problems } = opened;
    await app.as(admin).post('/api/admin/backup');
    await useConsole(app, page).load('#/jobs?queue=backup-database');
    await heading('Jobs and queues').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the page');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByLabel(/^All .*queues$/).check();
    await section('Queues').getByRole('row').nth(2).waitFor();
    await page.evaluate('document.activeElement.blur()');
    const focused = () => page.evaluate<string>("document.activeElement.closest('tr')?.textContent ?? ''");
    await page.keyboard.press('j');
    const first = await focused();
    await page.keyboard.press('j');
    await expect.poll(focused).not.toBe(first);
    await page.keyboard.press('k');
    await expect.poll(focused).toBe(first);

    const job = section('Jobs').getByRole('row').nth(1);
    await job.focus();
    await page.keyboard.press('Enter');
    await heading('Backup').waitFor();
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    // Enter answers the question, once it is asked.
    const dialog = page.getByRole('dialog', { name: 'Cancel this job?' });
    await dialog.getByRole('button', { name: 'Cancel the job' }).focus();
    await page.keyboard.press('Enter');
    await told('The job is cancelled.');
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await section('What it is given to do').textContent()).toContain('run_id');
    await page.goBack();
    await heading('Jobs and queues').waitFor();
    expect(problems).toEqual([]);
  });

  test('a queue is paused after one question, and resumed', async () => {
    const { page, problems } = opened;
    const paused = async () => (await app.database.pool.query('select name from paused_queues')).rows;
    await open('#/jobs', 'Jobs and queues');
    await section('Queues')
      .getByText('Nothing waits, runs or has failed')
      .or(section('Queues').getByRole('table'))
      .waitFor();
    await page.getByLabel(/^All .*queues$/).check();
    const pause = page.getByRole('button', { name: 'Pause send-email' });
    await pause.click();
    await answerYes('Keep as it is');
    expect(await paused()).toEqual([]);
    await pause.click();
    await answerYes('Pause');
    await told('send-email is paused.');
    expect(await paused()).toEqual([{ name: 'send-email' }]);
    await page.getByRole('button', { name: 'Resume send-email' }).click();
    await told('send-email runs again.');
    expect(await paused()).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('the search for duplicates is started, stopped, started again and seen to end', async () => {
    const { problems } = opened;
    const client = app.as(admin);
    const status = async () => (await client.get('/api/admin/dedup/job/status')).body;
    await open('#/runs', 'Runs');
    const duplicates = section('Duplicates');
    await duplicates.getByRole('button', { name: 'Start' }).click();
    await told('Duplicates: queued.');
    await duplicates.getByRole('progressbar').waitFor();
    expect(await status()).toMatchObject({ running: true });
    await duplicates.getByRole('button', { name: 'Stop' }).click();
    await answerYes('Stop it');
    await told('Duplicates: stopping.');
    await workers.work('dedup-scan');
    await duplicates.getByRole('button', { name: 'Start' }).click();
    await until(status, ({ running }) => running);
    while ((await workers.work('dedup-scan')).length > 0);
    expect(await status()).toMatchObject({ running: false, state: 'completed' });
    await duplicates.getByText('completed').first().waitFor();
    const score = duplicates.getByLabel('From score');
    await score.fill('1.5');
    await duplicates.getByRole('button', { name: 'Start' }).click();
    await opened.page.getByRole('alert').getByText('threshold').first().waitFor();
    await score.fill('0.99');
    await duplicates.getByLabel('Merge what is certain').check();
    await duplicates.getByRole('button', { name: 'Start' }).click();
    await opened.page.getByRole('dialog').getByText('a confidence from 0.99 on').waitFor();
    await answerYes('Start');
    await until(status, ({ running }) => running);
    const { rows } = await app.database.pool.query(
      `select params from runs where kind = 'dedup' order by created_at desc, id desc limit 1`,
    );
    expect(rows[0].params).toMatchObject({ mergeFrom: 0.99 });
    while ((await workers.work('dedup-scan')).length > 0);
    expect(problems).toEqual([]);
  });

  test('a scraper is made, run, and its run is seen with what it brought and what went wrong', async () => {
    const { page, problems } = opened;
    await open('#/scrapers', 'Scrapers');
    await page.keyboard.press('n');
    const form = page.getByRole('dialog', { name: 'New scraper' });
    await form.getByLabel('Name').fill('Harbour <b>boats</b>');
    await form.getByLabel('Start addresses').fill(`${site.url}/boats`);
    await form.getByLabel('Pages with a record').fill('(');
    await form.getByLabel('Requests a minute').fill('6000');
    await form.getByRole('button', { name: 'Make the scraper' }).click();
    await form.getByRole('alert').getByText('link_pattern').waitFor();
    await form.getByLabel('Pages with a record').fill('/boats/[a-z]+$');
    await form.getByRole('button', { name: 'Make the scraper' }).click();
    await form.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Run Harbour <b>boats</b>' }).click();
    await told('Harbour <b>boats</b>: queued.');
    await until(
      async () => (await app.as(admin).get('/api/admin/runs')).body.results[0],
      (run) => run.status === 'succeeded',
    );
    await page.getByText('Bavaria 37 Cruiser').first().waitFor();
    await section('How full its fields are').getByText('title').waitFor();
    await page.getByLabel('Address of the page').fill(`${site.url}/boats/one`);
    await page.getByRole('button', { name: 'Read it' }).click();
    await page.getByText('One record, read in').waitFor();
    expect(await page.getByRole('table', { name: 'Records of the page' }).textContent()).toContain(
      'Bavaria 37 Cruiser',
    );
    await section('Runs').getByRole('row').filter({ hasText: 'succeeded' }).first().click();
    await heading('Scraper: Harbour <b>boats</b>').waitFor();
    await section('What it did').getByText('created', { exact: true }).waitFor();
    await page.getByText('The page answered 404.').waitFor();
    await open('#/runs', 'Runs');
    await section('All runs').getByText('Scraper: Harbour <b>boats</b>').click();
    await section('What it did').getByRole('link', { name: 'Harbour <b>boats</b>' }).click();
    await heading('Harbour <b>boats</b>').waitFor();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await answerYes('Delete the scraper');
    await told('Harbour <b>boats</b> is deleted.');
    await heading('Scrapers').waitFor();
    expect((await app.as(admin).get('/api/admin/scrapers')).body.results).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('when the API does not answer, what was loaded stays with its age, and it goes on once there is an answer', async () => {
    const { page } = opened;
    await open('#/requests', 'Recent requests');
    const rows = section('The last requests').getByRole('row');
    await rows.nth(1).waitFor();
    await page.route('**/api/admin/recent-requests', (route) => route.abort());
    await page.getByText('The server does not answer.').waitFor();
    expect(await rows.count()).toBeGreaterThan(1);
    await page.unroute('**/api/admin/recent-requests');
    await page.getByRole('button', { name: 'Try again' }).click();
    await section('The last requests').getByText('live', { exact: true }).waitFor();
    const { body } = await app.as(admin).get('/api/admin/recent-requests');
    const paths: string[] = body.results.map((request: { path: string }) => request.path);
    expect(paths).toContain('/admin');
    expect(paths.filter((path) => /\.(js|css|svg|mjs)$/.test(path))).toEqual([]);
  });

  test('behind a path prefix it works as well', async () => {
    const { page, problems } = opened;
    await page.goto(`${app.url}/boats/admin`);
    await heading('Overview').waitFor();
    await page.getByText('healthy').first().waitFor();
    expect(problems).toEqual([]);
  });

  test('the general marketplace offers nothing of boats', async () => {
    const general = await startApp({ profile: 'general' });
    const { email } = await general.createUser({ role: 'admin' });
    const hash = await app.services.passwords.hash(password);
    await general.database.pool.query('update users set password_hash = $1', [hash]);
    const { page, problems, close } = await openPage(general);
    try {
      const requests: string[] = [];
      page.on('request', (request) => requests.push(new URL(request.url()).pathname));
      await page.goto(`${general.url}/admin`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('profile general').waitFor();
      await page.getByText('loading …').first().waitFor({ state: 'detached' });
      expect(await page.getByText('market of boats').count()).toBe(0);
      expect(requests).not.toContain('/api/admin/nautical/analytics');
      expect(problems).toEqual([]);
    } finally {
      await close();
      await general.close();
    }
  });

  test('a session that ends asks for the password over the page, and what was typed on it is kept', async () => {
    const { page, problems } = opened;
    await open('#/scrapers?making=1', 'Scrapers');
    await page.getByLabel('Name').fill('Half a scraper');
    await app.as(admin).post('/api/auth/logout-all');
    const dialog = page.getByRole('dialog', { name: 'Log in again' });
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Half a scraper');
    expect(problems).toEqual([]);
  });

  test('logging out forgets the session', async () => {
    const { page, problems } = opened;
    await open('', 'Overview');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log out here' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(problems).toEqual([]);
  });
});
