import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath, openPage, type OpenPage } from '../../support/browser.ts';
import { COLOURS, listViolations, measurePage } from '../../support/page-checks.ts';
import { HOSTILE_TEXT, HOSTILE_TITLE, publishListing, uploadPhoto } from '../../support/public-pages.ts';

/** In the dark only colours differ; between a phone and a large screen all but colours does. */
const looks = [
  [1440, 'light', {}],
  [1440, 'dark', COLOURS],
  [820, 'light', { rules: { 'color-contrast': { enabled: false } } }],
  [390, 'light', {}],
  [390, 'dark', COLOURS],
] as const;

let app: TestApp;
let owner: TestUser;
let slug: string;

const pages: Record<string, () => string> = {
  'the first page': () => '/',
  'a search': () => '/search?category=cruising&country=ES&q=bavaria',
  'a search that finds nothing': () => '/search?country=JP',
  'a search with its filters open': () => '/search#filters',
  'a listing': () => `/listings/${slug}`,
  'a seller': () => `/sellers/${owner.id}`,
  'an address without a page': () => '/nowhere',
};

beforeAll(async () => {
  app = await startApp();
  owner = await app.createUser({ name: 'Anna' });
  const images = await Promise.all([uploadPhoto(app, owner, 900, 600), uploadPhoto(app, owner, 480, 640)]);
  const fields = { images: images.map((url) => ({ url })), attributes: { brand: 'Bavaria', year: 2012, length: 11 } };
  await publishListing(app, owner, { title: HOSTILE_TITLE, description: HOSTILE_TEXT });
  await publishListing(app, owner, { title: 'قارب شراعي للبيع', description: 'قارب شراعي بحالة ممتازة ومعدات كاملة' });
  await publishListing(app, owner, { ...fields, title: 'W'.repeat(119) });
  ({ slug } = await publishListing(app, owner, fields));
});
afterAll(closeApps);

describe.skipIf(!browserPath)('in a browser', () => {
  describe('with script', () => {
    let open: OpenPage;
    beforeAll(async () => {
      open = await openPage(app);
    });
    afterAll(() => open?.close());

    const show = async (width: number, colorScheme: 'light' | 'dark') => {
      await open.page.setViewportSize({ width, height: 900 });
      await open.page.emulateMedia({ colorScheme });
    };

    test.each(Object.keys(pages))(
      '%s has no violation of axe in light and dark, no errors, and at three widths nothing beyond the edge, small targets or moving parts',
      async (name) => {
        const { page, problems } = open;
        const address = app.url + pages[name]!();
        problems.length = 0;
        for (const width of [390, 820, 1440]) {
          // Parts move while a page loads: it is loaded at each width.
          await show(width, 'light');
          await (page.url() === address ? page.reload() : page.goto(address));
          expect.soft(await measurePage(page), `${width}`).toEqual({ beyond: 0, small: [], shift: 0 });
        }
        for (const [width, colorScheme, rules] of looks) {
          await show(width, colorScheme);
          expect.soft(await listViolations(page, rules), `${width} ${colorScheme}`).toEqual([]);
        }
        expect(problems.filter((problem) => !problem.endsWith('/nowhere'))).toEqual([]);
      },
    );

    test('the gallery is moved by its buttons and by the links of the small photos', async () => {
      const { page } = open;
      await show(1280, 'light');
      await page.goto(`${app.url}/listings/${slug}`);
      await page.click('.turn.on');
      await expect.poll(() => page.locator('.gallery .place', { hasText: '2 / 2' }).count()).toBe(1);
      await page.click('.small-photos li:first-child a');
      await expect.poll(() => page.locator('.gallery .place', { hasText: '1 / 2' }).count()).toBe(1);
    });
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
