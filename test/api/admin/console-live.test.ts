import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, describe } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { offer } from '../../support/dedup-groups.ts';

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let app: TestApp;
  let admin: TestUser;
  let seller: TestUser;
  let reader: TestUser;
  let open: ConsolePage;
  let page: Page;
  beforeAll(async () => {
    app = await startApp();
    admin = await app.createUser({ role: 'admin' });
    seller = await app.createUser();
    reader = await app.createUser();
    open = await openConsole(app, admin);
    ({ page } = open);
  });
  afterAll(async () => {
    await open?.close();
    await app?.close();
  });

  const flag = async (title: string) => {
    const { id } = await offer(app, seller, { title });
    const { status } = await app.as(reader).post(`/api/listings/${id}/flag`, { reason: 'fraud' });
    expect(status).toBe(201);
  };
  const shown = (title: string) => page.getByText(title).first();

  test('what changes is shown by the event alone: without one nothing is asked again', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open.visit('#/moderation?tab=reports');
    await page.getByText('No listing is reported.').waitFor();
    expect(asked.filter((path) => path === '/api/events/stream')).toHaveLength(1);
    const before = asked.filter((path) => path === '/api/admin/flagged').length;
    await flag('A boat that is reported while one looks');
    await shown('A boat that is reported while one looks').waitFor();
    expect(asked.filter((path) => path === '/api/admin/flagged').length).toBeGreaterThan(before);
    expect(open.problems).toEqual([]);
  });

  test('cut off, the console says that it is offline, and afterwards shows what it has missed', async () => {
    await open.visit('#/moderation?tab=reports');
    await shown('A boat that is reported while one looks').waitFor();
    await page.context().setOffline(true);
    await page.getByText('Offline: what is shown may be old.').waitFor();
    await flag('A boat that is reported meanwhile');
    await page.context().setOffline(false);
    await shown('A boat that is reported meanwhile').waitFor();
    await page.getByText('Offline: what is shown may be old.').waitFor({ state: 'detached' });
    expect(open.problems.filter((problem) => !problem.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });
});
