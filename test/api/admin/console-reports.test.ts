import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { offer } from '../../support/dedup-groups.ts';

describe.skipIf(browserPath === undefined)('the page Reports in a browser', () => {
  let app: TestApp;
  let moderator: TestUser;
  let seller: TestUser;
  let reader: TestUser;
  let open: ConsolePage;
  let page: Page;
  beforeAll(async () => {
    app = await startApp();
    moderator = await app.createUser({ role: 'moderator', name: 'Mo' });
    seller = await app.createUser({ name: 'Olga' });
    reader = await app.createUser({ name: 'Jonas Lind' });
    open = await openConsole(app, moderator);
    ({ page } = open);
  });
  afterAll(async () => {
    await open?.close();
    await app?.close();
  });

  const statusOf = async (id: string) => (await app.as(moderator).get(`/api/listings/${id}`)).body.status;

  test('a moderator opens what is reported, hides it with reasons that its owner gets, and finds it among the decisions', async () => {
    const { id, title } = await offer(app, seller, { title: 'A boat that is reported' });
    const report = { reason: 'fraud', description: 'Pay first? <img src=x onerror=alert(1)>' };
    await app.as(reader).post(`/api/listings/${id}/flag`, report);
    await open.visit('#/reports');
    await page.getByRole('table', { name: 'Reports' }).getByText(title).click();
    await page.getByRole('heading', { name: title }).waitFor();
    await page.getByText(report.description).waitFor();
    expect(await page.getByRole('button', { name: /Suspend/ }).count()).toBe(0);
    await page.getByRole('button', { name: /^Hide/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Facts/).fill('The photos show another boat.');
    await dialog.getByRole('button', { name: 'Hide', exact: true }).click();
    await page.getByText('No report of it is open.').waitFor();
    expect(await statusOf(id)).toBe('flagged');
    const { body } = await app.as(seller).get('/api/me/notices');
    expect(body.results[0]).toMatchObject({ rule: 'fraud', statement: { facts: 'The photos show another boat.' } });
    await open.visit('#/reports?state=decided');
    await page.getByRole('table', { name: 'Reports' }).getByText('hidden').first().waitFor();
    expect(open.problems).toEqual([]);
  });

  test('reports are dismissed with one press', async () => {
    await app.as(reader).post('/api/reports', { subject_type: 'user', subject_id: seller.id, reason: 'other' });
    await open.visit(`#/reports/${seller.id}`);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('No report of it is open.').waitFor();
    expect((await app.as(reader).get('/api/me/reports')).body.results[0]).toMatchObject({ outcome: 'no_action' });
    expect(open.problems).toEqual([]);
  });

  test('paging through the reports leaves the appeals as they are', async () => {
    const { id } = await offer(app, seller, { title: 'A boat whose owner appeals' });
    const other = await app.createUser({ role: 'moderator' });
    await app.as(reader).post(`/api/listings/${id}/flag`, { reason: 'spam' });
    await app.as(other).post(`/api/admin/reports/${id}/decide`, { action: 'hide', facts: 'It looks like spam.' });
    const { body: appeal } = await app.as(seller).post(`/api/listings/${id}/appeal`, { text: 'Look again.' });
    for (let n = 0; n < 26; n += 1) {
      const { id: subject_id } = await app.createUser();
      await app.as(reader).post('/api/reports', { subject_type: 'user', subject_id, reason: 'other' });
    }
    await open.visit('#/reports');
    const pages = page.getByRole('navigation', { name: 'Pages of the reports' });
    await pages.getByRole('button', { name: 'Next' }).click();
    await pages.getByText('2 / 2').waitFor();
    await page.getByRole('table', { name: 'Appeals' }).getByText('Look again.').waitFor();
    await app.as(moderator).post(`/api/admin/appeals/${appeal.id}/decide`, { outcome: 'refused' });
    expect(open.problems).toEqual([]);
  });

  test('an appeal is granted with an answer, and the listing is on show again', async () => {
    const { id } = await offer(app, seller, { title: 'A boat that is hidden' });
    const other = await app.createUser({ role: 'moderator' });
    await app.as(reader).post(`/api/listings/${id}/flag`, { reason: 'spam' });
    const hide = { action: 'hide', facts: 'It looks like spam.' };
    await app.as(other).post(`/api/admin/reports/${id}/decide`, hide);
    await app.as(seller).post(`/api/listings/${id}/appeal`, { text: 'She is real, and she is mine.' });
    await open.visit('#/reports');
    await page
      .getByRole('table', { name: 'Appeals' })
      .getByRole('button', { name: /Decide/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('She is real, and she is mine.').waitFor();
    await dialog.getByLabel(/Answer/).fill('You are right.');
    await dialog.getByRole('button', { name: 'Grant' }).click();
    await page.getByText('No appeal waits.').waitFor();
    expect(await statusOf(id)).toBe('active');
    expect(open.problems).toEqual([]);
  });
});
