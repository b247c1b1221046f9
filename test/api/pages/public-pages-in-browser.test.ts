import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { browserPath, openPage } from '../../support/browser.ts';
import { listViolations, measurePage } from '../../support/page-checks.ts';
import { HOSTILE_TEXT, HOSTILE_TITLE, publishListing, uploadPhoto } from '../../support/public-pages.ts';

let app: TestApp;
let paths: string[];
let slug: string;

beforeAll(async () => {
  app = await startApp();
  const owner = await app.createUser({ name: 'Anna' });
  const images = await Promise.all([uploadPhoto(app, owner, 900, 600), uploadPhoto(app, owner, 480, 640)]);
  const fields = { images: images.map((url) => ({ url })), attributes: { brand: 'Bavaria', year: 2012, length: 11 } };
  await publishListing(app, owner, { title: HOSTILE_TITLE, description: HOSTILE_TEXT });
  await publishListing(app, owner, { title: 'قارب شراعي للبيع', description: 'قارب شراعي بحالة ممتازة ومعدات كاملة' });
  await publishListing(app, owner, { ...fields, title: 'W'.repeat(119) });
  ({ slug } = await publishListing(app, owner, fields));
  paths = [
    '/',
    '/search?category=cruising&country=ES&q=bavaria',
    '/search?country=JP',
    '/search#filters',
    `/listings/${slug}`,
    `/sellers/${owner.id}`,
    '/nowhere',
  ];
});
afterAll(closeApps);

describe.skipIf(!browserPath)('in a browser', () => {
  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 820],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'public pages in %s at %i pixels have no violation of axe, nothing beyond the edge, small targets, moving parts or errors',
    async (colorScheme, width) => {
      const { page, problems, close } = await openPage(app, { colorScheme, viewport: { width, height: 900 } });
      try {
        for (const path of paths) {
          await page.goto(app.url + path, { waitUntil: 'load' });
          expect.soft(await listViolations(page), path).toEqual([]);
          expect.soft(await measurePage(page), path).toEqual({ beyond: 0, small: [], shift: 0 });
        }
        expect(problems.filter((problem) => !problem.endsWith('/nowhere'))).toEqual([]);
      } finally {
        await close();
      }
    },
  );

  test('the gallery is moved by its buttons and by the links of the small photos', async () => {
    const { page, close } = await openPage(app);
    try {
      await page.goto(`${app.url}/listings/${slug}`);
      await page.click('.turn.on');
      expect(await page.locator('.gallery .place', { hasText: '2 / 2' }).elementHandle()).not.toBeNull();
      await page.click('.small-photos li:first-child a');
      expect(await page.locator('.gallery .place', { hasText: '1 / 2' }).elementHandle()).not.toBeNull();
    } finally {
      await close();
    }
  });

  test('without script, the small photos lead to the large ones, filters open on a phone, and the map is there', async () => {
    const { page, close } = await openPage(app, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    try {
      await page.goto(`${app.url}/listings/${slug}`);
      await page.click('.small-photos li:last-child a');
      await page.waitForURL(/#photo-2$/);
      await page.goto(`${app.url}/search`);
      expect(await page.isVisible('.filters')).toBe(false);
      await page.click('.open-filters');
      expect(await page.isVisible('.filters')).toBe(true);
      await page.check('.filters input[value="ES"]');
      await page.click('.filters .actions button');
      await page.waitForURL(/country=ES/);
      expect(await page.isVisible('.map a')).toBe(true);
    } finally {
      await close();
    }
  });
});
