import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { offer } from '../../support/dedup-groups.ts';
import { writeMetricSample } from '../../../shared/admin/metric-samples.ts';
import { createPayment } from '../../support/recipes/premium.ts';
import { createDeliveryOf, createWebhookOf } from '../../support/recipes/webhooks.ts';
import { createKey } from '../../support/openapi-cases-things.ts';
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
    await offer(app, await app.createUser(), { title: 'A skiff of somebody else' });
    for (let n = 1; n <= 60; n += 1) await offer(app, seller, { title: `Folkboat number ${n} of a long row` });
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

  describe('listings', () => {
    const rows = () => page.getByRole('table', { name: 'Listings' }).locator('tbody tr');

    test('a listing is found by its seller, paged to, and found by its title', async () => {
      await open.visit('#/listings');
      await page.getByText('61 listings').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('krabbe@harb');
      await page.getByText('60 listings').waitFor();
      expect(await rows().count()).toBe(50);
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('page 2').waitFor();
      await expect.poll(() => rows().count()).toBe(10);
      await page.getByLabel('Search listings').fill('number 7 of');
      await expect.poll(() => rows().count()).toBe(1);
      expect(page.url()).toContain('q=number+7+of');
      await page.getByLabel('Status').selectOption('draft');
      await page.getByText('No listing is like that.').waitFor();
      await page.getByRole('button', { name: 'Show all listings' }).click();
      await page.getByText('61 listings').waitFor();
      expect(open.problems).toEqual([]);
    });

    test('it is edited, paused and deleted, each of it is taken back, and the history says who did it', async () => {
      const { id } = await offer(app, seller, { title: 'A boat to be looked after' });
      await open.visit(`#/listings/${id}`);
      await open.heading('A boat to be looked after');
      await page.keyboard.press('e');
      const form = page.getByRole('dialog', { name: 'Edit the listing' });
      await form.getByLabel('Title').fill('A boat that is looked after');
      await form.getByLabel('Price').fill('4321');
      await form.getByRole('button', { name: 'Save' }).click();
      await open.heading('A boat that is looked after');
      const history = page.getByRole('region', { name: 'History' });
      await history.getByText('4321 EUR').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await open.told('Taken back.');
      await open.heading('A boat to be looked after');

      await page.getByRole('button', { name: 'Pause' }).click();
      await open.told('Paused: A boat to be looked after');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();

      await page.getByRole('button', { name: 'Delete …' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await open.told('Deleted: A boat to be looked after');
      await page.getByRole('button', { name: 'Restore' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      const name = (await app.as(admin).get(`/api/users/${admin.id}`)).body.name;
      await history.getByText(name).first().waitFor();
      expect((await app.as(admin).get(`/api/listings/${id}`)).body).toMatchObject({
        status: 'active',
        title: 'A boat to be looked after',
      });
      expect(open.problems).toEqual([]);
    });

    test('an address of nothing says so, and leads back', async () => {
      await open.visit('#/listings/lst_00000000000000000000000000');
      await page.getByText('There is no such listing.').waitFor();
      await page.getByRole('link', { name: 'Look for it' }).click();
      await open.heading('Listings');
      expect(new URL(page.url()).hash).toBe('#/listings');
    });
  });

  describe('money, webhooks and the first screen', () => {
    test('a payment is found and given back after one question', async () => {
      await createPayment(app.services, seller);
      await open.visit('#/payments');
      await page.getByLabel('Search payments').fill('krabbe');
      await page.getByRole('button', { name: 'Refund' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Give it back' }).click();
      await open.told('went back to Wilhelmina Krabbe.');
      await page.getByRole('table', { name: 'Payments' }).getByText('given back').waitFor();
      expect(open.problems).toEqual([]);
    });

    test('the first screen leads to a webhook that fails; its delivery is posted again, and it is paused', async () => {
      const id = await createWebhookOf(app.services, seller);
      await createDeliveryOf(app.services, id);
      await app.database.pool.query(`update webhooks set failing_since = now() - interval '25 minutes' where id = $1`, [
        id,
      ]);
      for (const ago of [3, 2, 1]) await writeMetricSample(app.database.pool, new Date(Date.now() - ago * 60_000));
      await open.visit('');
      await page
        .getByRole('img', { name: /^Requests since/ })
        .locator('canvas')
        .waitFor();
      await page.getByRole('link', { name: '1 webhook that fails' }).click();
      await page.getByRole('table', { name: 'Webhooks' }).getByRole('link', { name: '127.0.0.1' }).click();
      await page.getByText('It has failed since').waitFor();
      await page.getByRole('button', { name: 'Post again' }).click();
      await open.told('The delivery is posted again.');
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
      await open.told('The webhook is paused.');
      await page.getByRole('button', { name: 'Switch on' }).waitFor();
      expect(open.problems).toEqual([]);
    });

    test('the first screen leads to an appeal that waits', async () => {
      const { id } = await offer(app, seller, { title: 'A boat whose owner appeals' });
      const reader = await app.createUser();
      await app.as(reader).post(`/api/listings/${id}/flag`, { reason: 'spam' });
      await app.as(admin).post(`/api/admin/reports/${id}/decide`, { action: 'hide', facts: 'It looks like spam.' });
      await app.as(seller).post(`/api/listings/${id}/appeal`, { text: 'She is mine.' });
      await open.visit('');
      await page.getByRole('link', { name: '1 appeal' }).click();
      await open.heading('Reports');
      await page.getByRole('table', { name: 'Appeals' }).getByText('She is mine.').waitFor();
      expect(open.problems).toEqual([]);
    });

    test('the field to go anywhere has the focus before another key can be typed', async () => {
      await open.visit('#/jobs');
      await open.heading('Jobs and queues');
      const focused = await page.evaluate<string | null>(`(async () => {
      dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
      for (let turn = 0; turn < 20; turn += 1) await undefined;
      return document.activeElement.getAttribute('aria-label');
    })()`);
      expect(focused).toBe('Go to anything');
    });

    test('control and K lead to a page, to a listing by its title, and to an action', async () => {
      const { title } = await offer(app, seller, { title: 'Colin Archer of the north' });
      await open.visit('#/jobs');
      await open.heading('Jobs and queues');
      const go = async (text: string, option: RegExp) => {
        await page.keyboard.press('Control+k');
        await page.keyboard.type(text);
        await page.getByRole('listbox').getByRole('option', { name: option }).first().waitFor();
        await page.keyboard.press('Enter');
      };
      await go('dupl', /^Duplicates/);
      await open.heading('Duplicates');
      await go('archer of', /^Colin Archer/);
      await open.heading(title);
      await go('krabbe@harbour.example', /^Wilhelmina Krabbe/);
      await open.heading('Wilhelmina Krabbe');
      await go('back up', /^Back up the database/);
      await open.told('Backup: queued.');
      expect(open.problems).toEqual([]);
    });
  });

  describe('people', () => {
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
});
