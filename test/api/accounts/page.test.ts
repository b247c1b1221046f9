import { chromium, type Browser, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountWords } from '../../../api/accounts/page-words.ts';
import { findBrowser } from '../../../scrapers/load/browser-launch.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { createPerson } from '../../support/openapi-cases-things.ts';
import { codeOf } from '../../support/recipes/sign-in.ts';
import { createAccountToken } from '../../../shared/accounts/account-tokens.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { createMailbox, freshAddress, password, readLink } from './links.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
});

test('the page is small, runs nothing but its own script, and says nothing of a query', async () => {
  const { status, headers, text } = await app.as().get('/account?utm_source=mail&token=abc');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'/,
  );
  expect(headers.get('cache-control')).toBe('no-store');
  expect(text).not.toContain('abc');
  expect(text.replace(`href="${app.url}/"`, '')).not.toMatch(/(src|href)="(https?:)?\/\//);
});

test('it speaks the language of its reader', async () => {
  const { headers, text } = await app.as().get('/account', { headers: { 'Accept-Language': 'ja, en;q=0.5' } });
  expect(headers.get('content-language')).toBe('ja');
  expect(headers.get('vary')).toContain('Accept-Language');
  expect(text).toContain('<html lang="ja">');
  expect(text).toContain(accountWords.ja.ask.logIn);
  expect(text).not.toContain(accountWords.en.ask.logIn);
});

const executablePath = await findBrowser(undefined).catch((error: unknown) => {
  console.warn(`skipped: the account page in a browser. ${error instanceof Error ? error.message : String(error)}`);
});

describe.skipIf(executablePath === undefined)('in a browser', () => {
  let workers: TestWorkers;
  let mailbox: ReturnType<typeof createMailbox>;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    workers = await startWorkers(app);
    mailbox = createMailbox(app, workers);
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await workers.close();
  });

  const status = () => page.getByRole('status');
  /** Follows the newest link as a mail program does, and waits for the page. */
  /** Where mails used to lead: the page stays for programs that link to it. */
  const addressOf = (link?: ReturnType<typeof readLink>) =>
    `${app.url}/account#token=${link?.token}&purpose=${link?.purpose}`;

  async function follow(url: string) {
    await page.goto('about:blank');
    await page.goto(url);
  }

  test('from the registration to a new password: the token leaves the address bar, and only the button redeems it', async () => {
    const email = freshAddress();
    const { body } = await app.as().post('/api/auth/register', { email, password });
    const [proof] = (await mailbox()).map(readLink);
    await follow(addressOf(proof));
    expect(new URL(page.url()).hash).toBe('');
    expect((await app.as(body.token).get('/api/me')).body.user.verified).toBe(false);
    await page.getByRole('button', { name: 'Confirm my address' }).click();
    await status().getByText(`${email} is confirmed`).waitFor();
    expect((await app.as(body.token).get('/api/me')).body.user.verified).toBe(true);

    await page.goto(`${app.url}/account`);
    await page.getByLabel('Your email address').fill('ü@bücher.example');
    await page.getByRole('button', { name: 'Log in by mail' }).click();
    await status().getByText('on its way').waitFor();
    await page.goto(`${app.url}/account`);
    await page.getByLabel('Your email address').fill(email);
    await page.getByRole('button', { name: 'Log in by mail' }).click();
    await status().getByText('on its way').waitFor();
    const [login] = (await mailbox()).map(readLink);
    await follow(addressOf(login));
    await page.getByRole('button', { name: 'Log in' }).click();
    await status().getByText(`logged in as ${email}`).waitFor();
    const token = await page.getByLabel('Session token').inputValue();
    expect((await app.as(token).get('/api/me')).body.user.email).toBe(email);

    await page.goto(`${app.url}/account`);
    await page.getByLabel('Your email address').fill(email);
    await page.getByRole('button', { name: 'Set a new password' }).click();
    await status().getByText('on its way').waitFor();
    const [reset] = (await mailbox()).map(readLink);
    await follow(addressOf(reset));
    await page.getByLabel('New password').fill('password123');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await status().getByText('would soon be guessed').waitFor();
    await page.getByLabel('New password').fill('another long password');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await status().getByText('Your password is changed').waitFor();
    expect((await app.as().post('/api/auth/login', { email, password: 'another long password' })).status).toBe(200);

    await follow(addressOf(login));
    await page.getByRole('button', { name: 'Log in' }).click();
    await status().getByText('has been used').waitFor();
    await page.getByRole('link', { name: 'Ask for a new link' }).click();
    await page.getByLabel('Your email address').waitFor();
  });

  test('a link of an account with an authenticator app asks for its code, and says when it is wrong', async () => {
    const person = await createPerson(app.services, 'user');
    const me = app.as(person.token);
    const { body } = await me.post('/api/me/totp');
    const now = app.services.clock.now();
    expect((await me.post('/api/me/totp/confirm', { code: codeOf(body.secret, now, -1) })).status).toBe(200);
    const token = await createAccountToken(app.services.db, { purpose: 'magic_link', user: person }, now);
    await follow(addressOf({ token, purpose: 'magic_link', url: '' }));
    await page.getByRole('button', { name: 'Log in' }).click();
    await status().getByText('asks for a code as well').waitFor();
    const code = page.getByLabel('Code of your authenticator app');
    await code.fill('000000');
    await page.getByRole('button', { name: 'Log in' }).click();
    await status().getByText('The code is wrong').waitFor();
    await code.fill(codeOf(body.secret, app.services.clock.now()));
    await page.getByRole('button', { name: 'Log in' }).click();
    await status().getByText(`logged in as ${person.email}`).waitFor();
  });

  test('what comes of a link is said in the language of the browser', async () => {
    const email = freshAddress();
    expect((await app.as().post('/api/auth/register', { email, password })).status).toBe(201);
    const proof = (await mailbox()).map(readLink).find(({ purpose }) => purpose === 'verify_email');
    const german = await browser.newPage({ locale: 'de-DE' });
    for (const outcome of [`${email} ist bestätigt`, 'wurde schon benutzt']) {
      await german.goto('about:blank');
      await german.goto(addressOf(proof));
      await german.getByRole('button', { name: 'Meine Adresse bestätigen' }).click();
      await german.getByRole('status').getByText(outcome).waitFor();
    }
    await german.getByRole('link', { name: 'Einen neuen Link anfordern' }).click();
    await german.getByLabel('Ihre E-Mail-Adresse').fill(email);
    await german.getByRole('button', { name: 'Per Mail anmelden' }).click();
    await german.getByRole('status').getByText('ist ein Link dorthin unterwegs').waitFor();
    await german.close();
  });

  test('a fragment is text: it makes no markup and no request', async () => {
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await follow(`${app.url}/account#token=<img src=x onerror=alert(1)>&purpose=constructor`);
    await page.getByLabel('Your email address').waitFor();
    expect(requests.filter((url) => !url.startsWith('about:') && !url.includes('favicon'))).toHaveLength(1);
  });
});
