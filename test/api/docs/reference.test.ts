import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath, openPage } from '../../support/browser.ts';
import { publishListing } from '../../support/public-pages.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let app: TestApp;
let owner: TestUser;
beforeAll(async () => {
  app = await startApp();
  owner = await app.createUser({ name: 'Anna' });
  for (let n = 0; n < 3; n++) await publishListing(app, owner);
});
afterAll(closeApps);

test('optional parameters are off in the reference, and each operation has the samples', async () => {
  const document = (await (await fetch(`${app.url}/api/docs/openapi.json`)).json()) as Json;
  const search = document.paths['/api/listings'].get;
  expect(search['x-codeSamples'][0].source).toContain(`createClient({ baseUrl: '${app.url}' })`);
  expect(document.components.parameters.Q.examples.example).toMatchObject({ 'x-disabled': true });
  expect(document.components.parameters.Category.examples.example).toEqual({
    value: ['sailboats'],
    'x-disabled': true,
  });
  expect(document.servers).toEqual([{ url: app.url }]);
});

describe.skipIf(!browserPath)('in a browser', () => {
  /** The section of an operation once the page has drawn it. */
  async function openOperation(page: Page, id: string) {
    await page.goto(`${app.url}/api/docs#tag/listings/${id}`);
    const section = page.locator(`[id$="listings/${id}"]`).first();
    await section
      .getByRole('button', { name: /Test Request/ })
      .first()
      .waitFor();
    return section;
  }

  test.each([
    ['light', 1440],
    ['dark', 820],
    ['dark', 390],
  ] as const)(
    'the reference in %s at %i pixels asks no other host, has no violation of axe and nothing beyond the edge',
    async (colorScheme, width) => {
      const { page, problems, close } = await openPage(app, { colorScheme, viewport: { width, height: 900 } });
      try {
        await openOperation(page, 'searchListings');
        await expect.poll(() => violationsOf(page), { timeout: 60_000 }).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
        expect(problems).toEqual([]);
      } finally {
        await close();
      }
    },
  );

  test('the first request that a reader sends finds something', async () => {
    const { page, problems, close } = await openPage(app, { viewport: { width: 1440, height: 900 } });
    try {
      const section = await openOperation(page, 'searchListings');
      await section
        .getByRole('button', { name: /Test Request/ })
        .first()
        .click();
      const answer = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/listings');
      await page.getByRole('button', { name: /^Send/ }).first().click();
      const body = (await (await answer).json()) as { results: unknown[] };
      expect(body.results.length).toBe(3);
      expect(problems).toEqual([]);
    } finally {
      await close();
    }
  });

  test("a reader's own key stands in the samples and goes with the requests, and is gone when the page is", async () => {
    const { page, close } = await openPage(app, { viewport: { width: 1440, height: 900 } });
    try {
      const section = await openOperation(page, 'createListing');
      await section
        .getByRole('button', { name: /Test Request/ })
        .first()
        .click();
      await page.getByRole('dialog').getByPlaceholder('Token').fill(owner.token);
      const request = page.waitForRequest((each) => new URL(each.url()).pathname === '/api/listings');
      await page.getByRole('button', { name: /^Send/ }).first().click();
      expect((await request).headers().authorization).toBe(`Bearer ${owner.token}`);
      await page.keyboard.press('Escape');
      // It is there to be copied, behind asterisks until the reader looks at it.
      await section.getByText(owner.token.slice(0, 20)).first().waitFor({ state: 'attached' });
      expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(owner.token);
    } finally {
      await close();
    }
  });

  test('addresses of operations as the page had them before still lead to them', async () => {
    const { page, close } = await openPage(app);
    try {
      await page.goto(`${app.url}/api/docs#/listings/searchListings`);
      await expect.poll(() => new URL(page.url()).hash, { timeout: 20_000 }).toBe('#tag/listings/searchListings');
    } finally {
      await close();
    }
  });

  test.each([
    ['light', 1440],
    ['light', 820],
    ['dark', 390],
  ] as const)(
    'the guides in %s at %i pixels have no violation of axe and nothing beyond the edge',
    async (colorScheme, width) => {
      const { page, problems, close } = await openPage(app, { colorScheme, viewport: { width, height: 900 } });
      try {
        for (const path of ['guides', 'guides/get-started', 'guides/errors', 'guides/events', 'guides/changelog']) {
          await page.goto(`${app.url}/api/docs/${path}`);
          expect.soft(await violationsOf(page), path).toEqual([]);
          expect.soft(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBe(0);
        }
        expect(problems).toEqual([]);
      } finally {
        await close();
      }
    },
  );
});

async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(`${axe};0`);
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

test('what the reference loads comes with its package: none of its files imports another', () => {
  const browser = join(dirname(createRequire(import.meta.url).resolve('@scalar/api-reference/style.css')), 'browser');
  const files = readdirSync(browser, { recursive: true, encoding: 'utf8' }).filter((name) => /\.m?js$/.test(name));
  expect(files.length).toBeGreaterThan(10);
  const bare = files.flatMap((name) =>
    [
      ...readFileSync(join(browser, name), 'utf8').matchAll(
        /(?:^|[;}])import\s*(?:[\w$*{},\s]*from)?\s*["']([^."'/][^"']*)["']/g,
      ),
    ].map(([, target]) => `${name}: ${target}`),
  );
  expect(bare).toEqual([]);
});
