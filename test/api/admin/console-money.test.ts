import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeMetricSample } from '../../../shared/admin/metric-samples.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { offer } from '../../support/dedup-groups.ts';
import { createPayment } from '../../support/recipes/premium.ts';
import { createDeliveryOf, createWebhookOf } from '../../support/recipes/webhooks.ts';

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let app: TestApp;
  let admin: TestUser;
  let seller: TestUser;
  let open: ConsolePage;
  let page: Page;
  beforeAll(async () => {
    app = await startApp();
    admin = await app.createUser({ role: 'admin' });
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
