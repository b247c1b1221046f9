import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { offer } from '../../support/dedup-groups.ts';
import { createKey } from '../../support/openapi-cases-things.ts';
import { createPayment } from '../../support/recipes/premium.ts';
import { createPasskeyOf } from '../../support/recipes/sign-in.ts';

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let app: TestApp;
  let admin: TestUser;
  let seller: TestUser;
  let open: ConsolePage;
  let page: Page;
  beforeAll(async () => {
    app = await startApp();
    admin = await app.createUser({ role: 'admin', name: 'Ada' });
    seller = await app.createUser({ name: 'Wilhelmina Krabbe', email: 'krabbe@harbour.example' });
    open = await openConsole(app, admin);
    ({ page } = open);
  });
  afterAll(async () => {
    await open?.close();
    await app?.close();
  });
  beforeEach(() => {
    open.problems.length = 0;
  });
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const answer = (action: string) => page.getByRole('dialog').getByRole('button', { name: action }).click();

  test('somebody is found and looked at on a page of their own: listings, reports, sessions, keys, history and what the team did', async () => {
    const { id, title } = await offer(app, seller);
    const reporter = await app.createUser({ name: 'Bo' });
    await app.as(reporter).post(`/api/listings/${id}/flag`, { reason: 'fraud', description: 'Not hers.' });
    const about = { subject_type: 'user', subject_id: seller.id, reason: 'other', text: 'She shouts.' };
    await app.as(reporter).post('/api/reports', about);
    await createKey(app.services, seller, 'write');
    await app
      .as(seller)
      .get('/api/me/sessions', { headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' } });
    await app.as(admin).post(`/api/admin/users/${seller.id}/verify-email`);
    await createPayment(app.services, seller);

    await open.visit('#/people');
    await page.getByLabel('Search people').fill('krabbe@');
    await page.getByRole('table', { name: 'Accounts' }).getByRole('link', { name: 'Wilhelmina Krabbe' }).click();
    await open.heading('Wilhelmina Krabbe');
    expect(new URL(page.url()).hash).toBe(`#/people/${seller.id}`);
    await section('Listings').getByRole('link', { name: title }).waitFor();
    await section('Reports').getByText('Not hers.').waitFor();
    await section('Reports').getByText('Person: She shouts.').waitFor();
    await section('Payments').getByText('paid', { exact: true }).waitFor();
    await section('Signing in').getByText('Firefox, Linux').waitFor();
    await section('Signing in').getByText('svc_').waitFor();
    await section('History').getByText('Published').first().waitFor();
    await section('What the team did').getByText('took the address for proved').waitFor();
    await section('Listings').getByRole('link', { name: title }).click();
    await open.heading(title);
    await page.goBack();
    await open.heading('Wilhelmina Krabbe');
    expect(open.problems).toEqual([]);
  });

  test('lost second factors are removed after one question, and a suspension shows its reason until it is lifted', async () => {
    await createPasskeyOf(app.services, seller);
    await open.visit(`#/people/${seller.id}`);
    await page.getByText('Set up: a passkey.').waitFor();
    await page.getByRole('button', { name: 'Remove lost second factors' }).click();
    await answer('Remove them');
    await open.told('has no second factor any more');
    await section('Signing in').getByText('No second factor is set up.').waitFor();
    await section('What the team did').getByText('removed second factors').waitFor();

    await page.getByRole('button', { name: 'Suspend …' }).click();
    await page.getByLabel('Reason for the person').fill('Boats that do not exist.');
    await answer('Suspend');
    await section('Suspensions').getByText('Boats that do not exist.').waitFor();
    await page.getByRole('button', { name: 'Lift the suspension' }).click();
    await answer('Lift it');
    await open.told('Lifted: Wilhelmina Krabbe');
    expect((await app.as(admin).get(`/api/admin/users/${seller.id}`)).body.account.status).toBe('active');
    expect(open.problems).toEqual([]);
  });

  test('lists by cursor go on to the next page and back, and say what to do where nothing fits', async () => {
    for (let n = 0; n < 51; n += 1) await app.createUser({ name: `Crowd ${n}` });
    await open.visit('#/people?q=crowd');
    const rows = page.getByRole('table', { name: 'Accounts' }).getByRole('link');
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Previous' }).click();
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByLabel('Search people').fill('nobody is called so');
    await page.getByRole('button', { name: 'Show everybody' }).click();
    await expect.poll(() => rows.count()).toBe(50);
    await open.visit('#/people/usr_01K6Q8X0A2B4C6D8E0F2G4H6J8');
    await page.getByText('Nobody has this account').waitFor();
    expect(open.problems).toEqual([]);
  });
});
