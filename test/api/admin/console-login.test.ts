import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { browserPath, openPage } from '../../support/browser.ts';
import { createPerson, password } from '../../support/openapi-cases-things.ts';
import { startWorkers } from '../../support/workers.ts';
import { loadMagicLink } from '../../../workers/emails/magic-link.ts';
import { codeOf } from '../../support/recipes/sign-in.ts';
import { movableClock } from '../rentals/fixture.ts';

let app: TestApp;
beforeAll(async () => {
  // Time stands still: codes stay good however slow the browser is.
  app = await startApp({ clock: movableClock() });
});
afterAll(() => app.close());

/** An administrator with an authenticator app. */
async function createAdmin() {
  const admin = await createPerson(app.services, 'admin');
  const me = app.as(admin.token);
  const { body } = await me.post('/api/me/totp');
  const now = app.services.clock.now();
  expect((await me.post('/api/me/totp/confirm', { code: codeOf(body.secret, now, -1) })).status).toBe(200);
  return { ...admin, code: () => codeOf(body.secret, app.services.clock.now()) };
}

describe.skipIf(browserPath === undefined)('the login of the console', () => {
  test('asks for the code after a right password, says when it is wrong, and ends the session when it logs out', async () => {
    const admin = await createAdmin();
    const { page, problems, close } = await openPage(app);
    await page.goto(`${app.url}/admin`);
    await page.getByLabel('Email').fill(admin.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    const code = page.getByLabel('Code of your authenticator app');
    await code.fill('000000');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('The code is wrong').waitFor();
    await code.fill(admin.code());
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    const token = await page.evaluate(
      () => (JSON.parse(sessionStorage.getItem('quayside.console') ?? '{}') as { token: string }).token,
    );
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log out here' }).click();
    await page.getByLabel('Password').waitFor();
    expect((await app.as(token).get('/api/me')).status).toBe(401);
    expect(problems).toEqual([]);
    await close();
  });

  test('takes a mailed link, with the code as well, and leads to a new password', async () => {
    const admin = await createAdmin();
    const workers = await startWorkers(app);
    const { page, problems, close } = await openPage(app);
    await page.goto(`${app.url}/admin`);
    expect(await page.getByRole('link', { name: 'Forgot password' }).getAttribute('href')).toBe(`${app.url}/account`);
    await page.getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByLabel('Email').fill(admin.email);
    await page.getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByRole('status').getByText('a mail is on its way').waitFor();
    await workers.work('mail-account-link');
    const { rows } = await app.database.pool.query<{ data: { data: Record<string, unknown> } }>(
      `select data from pgboss.job where name = 'send-email' and data ->> 'template' = 'magic-link'`,
    );
    const { url } = (await loadMagicLink(workers.services, rows[0]?.data.data ?? {}, admin.id)) ?? {};
    expect(url).toMatch(/^https?:\/\/[^/]+\/admin#\/login\?token=/);
    await page.goto('about:blank');
    await page.goto(`${app.url}/admin${new URL(url ?? '').hash}`);
    const logIn = page.getByRole('button', { name: 'Log in', exact: true });
    await logIn.click();
    await page.getByLabel('Code of your authenticator app').fill(admin.code());
    expect(page.url()).not.toContain('token');
    await logIn.click();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    await workers.close();
    expect(problems).toEqual([]);
    await close();
  });

  test('whoever has a role and no second factor sets one up there where roles need it, also when the pages for people are elsewhere', async () => {
    const strict = await startApp({
      clock: movableClock(),
      env: { REQUIRE_SECOND_FACTOR: 'true', SITE_URL: 'https://boats.example.com' },
    });
    const admin = await createPerson(strict.services, 'moderator');
    const { page, problems, close } = await openPage(strict);
    await page.goto(`${strict.url}/admin`);
    await page.getByLabel('Email').fill(admin.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('button', { name: 'Use an authenticator app' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    const key = (await page.locator('code.key').textContent()) ?? '';
    const code = page.getByLabel('Code of the app');
    await code.fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').getByText('The code is wrong').waitFor();
    await code.fill(codeOf(key.replaceAll(' ', ''), strict.services.clock.now()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('shown this once').waitFor();
    expect(await page.locator('.codes li').count()).toBe(10);
    await page.getByRole('button', { name: 'open the console' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    expect(problems).toEqual([]);
    await close();
    await strict.close();
  });
});
