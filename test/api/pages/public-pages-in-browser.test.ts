import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { browserPath, openPage } from '../../support/browser.ts';
import { HOSTILE_TEXT, HOSTILE_TITLE, publishListing, uploadPhoto } from '../../support/public-pages.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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
          expect.soft(await violationsOf(page), path).toEqual([]);
          expect.soft(await page.evaluate(measure), path).toEqual({ beyond: 0, small: [], shift: 0 });
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

/** What axe finds, as rule and place. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary ?? ''}`),
  );
}

/**
 * How far the page is wider than the window, which targets are less than 44 pixels high (the whole of a card is that of its link), and
 * how far things moved while it loaded. It runs in the page.
 */
const measure = `(async () => {
  const heightOf = (element) => (element.closest('.card') ?? element).getBoundingClientRect().height;
  const small = [...document.querySelectorAll('a, button, summary, select, .check, input:not([type=hidden], [type=checkbox])')].filter(
    (target) =>
      target.checkVisibility() &&
      target.getBoundingClientRect().width > 1 &&
      !target.matches('.skip, p.note a, svg a') &&
      heightOf(target) < 43.5,
  );
  const shift = await new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(Math.round(sum * 100) / 100)));
  });
  return {
    beyond: document.documentElement.scrollWidth - window.innerWidth,
    small: small.map((target) => target.outerHTML.slice(0, 120) + ' ' + heightOf(target)),
    shift,
  };
})()`;
