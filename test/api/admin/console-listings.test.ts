import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { offer } from '../../support/dedup-groups.ts';

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
