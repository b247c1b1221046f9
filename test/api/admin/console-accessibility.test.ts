import type { RunOptions } from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { offer, storeGroup } from '../../support/dedup-groups.ts';
import { isSoak } from '../../support/lane.ts';
import { COLOURS, listViolations } from '../../support/page-checks.ts';
import { createJob, createKey, createRun, createScraper } from '../../support/openapi-cases-things.ts';
import { createPayment } from '../../support/recipes/premium.ts';
import { createQuarantinedRun } from '../../support/recipes/scrapers.ts';
import { createDeliveryOf, createWebhookOf } from '../../support/recipes/webhooks.ts';

type View = { width: number; colorScheme: 'light' | 'dark'; rules?: RunOptions };

const all: RunOptions = { rules: { 'target-size': { enabled: true } } };
/**
 * What a page holds is another on a phone than on a large screen, by style sheets that know two sizes; between them only the places of
 * things differ, and in the dark only colours, which are the same at each width. Lane soak looks at all of it.
 */
const views: View[] = isSoak
  ? [390, 820, 1440].flatMap((width) => [
      { width, colorScheme: 'light', rules: all },
      { width, colorScheme: 'dark', rules: COLOURS },
    ])
  : [
      { width: 1440, colorScheme: 'dark', rules: COLOURS },
      { width: 1440, colorScheme: 'light', rules: all },
      { width: 820, colorScheme: 'light', rules: { runOnly: ['target-size'] } },
      { width: 390, colorScheme: 'light', rules: all },
    ];

let app: TestApp;
let admin: TestUser;
let open: ConsolePage;
const pages: Record<string, string> = {};

beforeAll(async () => {
  app = await startApp();
  admin = await app.createUser({ role: 'admin' });
  const [seller, reporter] = [await app.createUser({ name: 'Olga' }), await app.createUser({ name: 'Bo' })];
  const description = 'She lies in Kappeln, well kept, with new sails and a serviced engine. '.repeat(40);
  const pair = [await offer(app, seller, { description }), await offer(app, reporter, { description })];
  const group = await storeGroup(
    app,
    pair.map(({ id }) => id),
  );
  const reported = [await offer(app, seller), await offer(app, seller)];
  for (const { id } of reported)
    await app.as(reporter).post(`/api/listings/${id}/flag`, { reason: 'fraud', description: 'Not hers.' });
  await createKey(app.services, seller, 'write');
  await app.as(seller).get('/api/me/sessions');
  await createPayment(app.services, seller);
  const webhook = await createWebhookOf(app.services, seller);
  await createDeliveryOf(app.services, webhook);
  await app.database.pool.query(`update webhooks set failing_since = now() - interval '25 minutes' where id = $1`, [
    webhook,
  ]);
  const scraper = await createScraper(app.services, admin);
  const run = await createRun(app.services, scraper, 'succeeded');
  await createQuarantinedRun(app.services, scraper);
  const job = await createJob(app.services, 'queued');
  const scammer = await app.createUser({ name: 'Sam' });
  await app.as(admin).post(`/api/admin/users/${scammer.id}/suspend`, { reason: 'Boats that do not exist.' });
  Object.assign(pages, {
    Overview: '#/overview',
    Listings: '#/listings',
    'a listing': `#/listings/${reported[0]!.id}`,
    People: '#/people',
    'a person': `#/people/${seller.id}`,
    'somebody suspended': `#/people/${scammer.id}`,
    Moderation: '#/moderation?tab=reports',
    'a reported listing': `#/moderation?tab=reports&id=${reported[0]!.id}`,
    Reports: '#/reports',
    'a report': `#/reports/${reported[0]!.id}`,
    Duplicates: '#/duplicates',
    'a group of duplicates': `#/duplicates?id=${group}`,
    Payments: '#/payments',
    Scrapers: '#/scrapers',
    'a scraper': `#/scrapers/${scraper}`,
    'a new scraper': '#/scrapers?making=1',
    Rewriting: '#/rewriting',
    Webhooks: '#/webhooks',
    'a webhook': `#/webhooks/${webhook}`,
    Runs: '#/runs',
    'a run': `#/runs/${run}`,
    Jobs: '#/jobs',
    'a job': `#/jobs/${job}`,
    Upkeep: '#/upkeep',
    Requests: '#/requests',
    Audit: '#/audit',
    Settings: '#/settings',
  });
  if (browserPath) open = await openConsole(app, admin);
});
afterAll(async () => {
  await open?.close();
  await app.close();
});

describe.skipIf(!browserPath)('in a browser', () => {
  test('no page of the console has a violation of axe or goes beyond the edge, at three widths, light and dark', async () => {
    const { page } = open;
    const found: Record<string, string[]> = {};
    for (const [name, hash] of Object.entries(pages)) {
      await open.visit(hash);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('#main > :not(h1, .offline)').first().waitFor();
      await page.getByText('loading …').first().waitFor({ state: 'detached' });
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      for (const view of views)
        for (const violation of await look(view))
          (found[violation] ??= []).push(`${name} ${view.width} ${view.colorScheme}`);
    }
    expect(found).toEqual({});
    expect(open.problems).toEqual([]);
  });
});

/** What axe finds, as rule and place, and how far the page is wider than the window. */
async function look({ width, colorScheme, rules }: View): Promise<string[]> {
  const { page } = open;
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  const violations = await listViolations(page, rules);
  const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  return beyond > 0 ? [...violations, `beyond the edge by ${beyond}`] : violations;
}
