import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath, openPage, type OpenPage } from '../../support/browser.ts';
import { listViolations } from '../../support/page-checks.ts';
import { publishListing } from '../../support/public-pages.ts';

/** The guidelines, and what axe holds for good practice. */
const rules: RunOptions = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };

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
  // The page is large: it is loaded once, and looked at by each test as the one before has left it.
  let open: OpenPage;
  let page: Page;
  beforeAll(async () => {
    open = await openPage(app, { viewport: { width: 1440, height: 900 } });
    ({ page } = open);
    await page.goto(`${app.url}/api/docs#/listings/searchListings`);
  });
  afterAll(() => open?.close());

  /** The section of an operation once the page has drawn it. */
  async function showOperation(id: string) {
    await page.evaluate(`location.hash = ${JSON.stringify(`#tag/listings/${id}`)}`);
    const section = page.locator(`[id$="listings/${id}"]`).first();
    await section
      .getByRole('button', { name: /Test Request/ })
      .first()
      .waitFor();
    return section;
  }

  async function show(colorScheme: 'light' | 'dark', width: number): Promise<void> {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
  }

  const measureBeyond = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

  test('addresses of operations as the page had them before still lead to them', async () => {
    await expect.poll(() => new URL(page.url()).hash).toBe('#tag/listings/searchListings');
  });

  test.each([
    ['light', 1440],
    ['dark', 820],
    ['dark', 390],
  ] as const)(
    'the reference in %s at %i pixels asks no other host, has no violation of axe and nothing beyond the edge',
    async (colorScheme, width) => {
      await show(colorScheme, width);
      await showOperation('searchListings');
      await page.locator(`body.${colorScheme}-mode`).waitFor();
      await expect.poll(() => listViolations(page, rules)).toEqual([]);
      expect(await measureBeyond()).toBe(0);
      expect(open.problems).toEqual([]);
    },
  );

  test('the first request that a reader sends finds something', async () => {
    await show('light', 1440);
    const section = await showOperation('searchListings');
    await section
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    const answer = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/listings');
    await page.getByRole('button', { name: /^Send/ }).first().click();
    const body = (await (await answer).json()) as { results: unknown[] };
    expect(body.results.length).toBe(3);
    expect(open.problems).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test("a reader's own key stands in the samples and goes with the requests, and is gone when the page is", async () => {
    const section = await showOperation('createListing');
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
  });

  test.each(['guides', 'guides/get-started', 'guides/errors', 'guides/events', 'guides/changelog'])(
    '%s has no violation of axe and nothing beyond the edge, in light at 1440 and 820 pixels, in dark at 390',
    async (path) => {
      open.problems.length = 0;
      await page.goto(`${app.url}/api/docs/${path}`);
      for (const [colorScheme, width] of [
        ['light', 1440],
        ['light', 820],
        ['dark', 390],
      ] as const) {
        await show(colorScheme, width);
        expect.soft(await listViolations(page, rules), `${colorScheme} ${width}`).toEqual([]);
        expect.soft(await measureBeyond(), `${colorScheme} ${width}`).toBe(0);
      }
      expect(open.problems).toEqual([]);
    },
  );
});

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
