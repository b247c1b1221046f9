import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright';
import { closeBrowser, openPage } from './support/browser.ts';
import { DEMO_SELLER, startDemo } from './support/demo-fleet.ts';
import { listViolations, measurePage } from './support/page-checks.ts';
import { findPages, kindOfPage, pageKinds, PATHS_BY_MAIL } from './support/page-kinds.ts';

// npm run look [-- general | nautical | URL …]: opens every page of a demo, signed out and signed in, in chromium, on three widths, light
// and dark; prints what axe, the console and a ruler find, and leaves a screenshot of each. Without a name it does both profiles.
const WIDTHS = [1440, 820, 390];
const SCHEMES = ['light', 'dark'] as const;
const OF_EACH_KIND = 2;
const MAX_SHIFT = 0.01;
const BEGINNINGS = ['/', '/search?q=boat&sort=price_asc', '/search?q=nothing-of-this-name', ...PATHS_BY_MAIL];

const folder = mkdtempSync(join(tmpdir(), 'quayside-look-'));
/** What is wrong, as page and fault, with where it was seen. */
const found = new Map<string, string[]>();
const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : ['nautical', 'general']) {
  const isUrl = URL.canParse(name);
  const demo = isUrl ? undefined : await startDemo({ MARKETPLACE_PROFILE: name });
  try {
    await lookAt(demo?.url ?? new URL(name).origin, isUrl ? `port-${new URL(name).port}` : name);
  } finally {
    await demo?.stop();
  }
}
for (const [what, places] of found) console.log(`${what}\n  ${places.join(', ')}`);
console.log(`${found.size} found; screenshots: ${folder}`);
if (found.size > 0) process.exitCode = 1;
await closeBrowser();

/** Finds the pages of each visitor by their links, and looks at each on every width in both schemes. */
async function lookAt(url: string, name: string): Promise<void> {
  const seen = new Set<string>();
  for (const visitor of ['signed-out', 'signed-in']) {
    const session = visitor === 'signed-in' ? await signIn(url) : {};
    const [cookie] = session.storageState?.cookies ?? [];
    const paths = await findPages({
      url,
      ...(cookie && { cookie: `${cookie.name}=${cookie.value}` }),
      beginnings: BEGINNINGS,
      ofEachKind: OF_EACH_KIND,
    });
    for (const path of paths) seen.add(kindOfPage(path));
    for (const colorScheme of SCHEMES)
      for (const width of WIDTHS) {
        const place = `${name}-${visitor}-${colorScheme}-${width}`;
        await lookAtAll(url, paths, { ...session, colorScheme, viewport: { width, height: 900 } }, place);
      }
    console.log(`${name}, ${visitor}: ${paths.length} pages x ${WIDTHS.length} widths x ${SCHEMES.length} schemes`);
  }
  const missing = pageKinds.filter((kind) => !seen.has(kind));
  console.log(`${name}: ${seen.size} kinds of pages; no link leads to: ${missing.join(', ') || 'none'}`);
}

type Session = { storageState?: Exclude<BrowserContextOptions['storageState'], string | undefined> };

async function signIn(url: string): Promise<Session> {
  const { page, close } = await openPage({ url });
  await page.goto(`${url}/sign-in`);
  const form = page.locator('form', { has: page.locator('[autocomplete="current-password"]') });
  await form.locator('[name=email]').fill(DEMO_SELLER.email);
  await form.locator('[name=password]').fill(DEMO_SELLER.password);
  await form.getByRole('button').click();
  await page.waitForURL(/\/my\//);
  const storageState = await page.context().storageState();
  await close();
  return { storageState };
}

async function lookAtAll(url: string, paths: string[], options: BrowserContextOptions, place: string): Promise<void> {
  mkdirSync(join(folder, place));
  const { page, problems, close } = await openPage({ url }, { reducedMotion: 'reduce', ...options });
  for (const [index, path] of paths.entries()) {
    const response = await page.goto(url + path, { waitUntil: 'load' });
    const isRefused = response !== null && response.status() < 500 && !response.ok();
    const wrong = problems.splice(0).filter((problem) => !(isRefused && problem.endsWith(url + path)));
    for (const fault of [...(await listFaults(page)), ...wrong]) {
      const what = `${path}: ${fault}`;
      found.set(what, [...(found.get(what) ?? []), place]);
    }
    const name = `${String(index).padStart(2, '0')}${path.replaceAll(/[^\w-]+/g, '_').slice(0, 60)}.jpg`;
    await page.screenshot({ path: join(folder, place, name), fullPage: true, type: 'jpeg', quality: 70 });
  }
  await close();
}

async function listFaults(page: Page): Promise<string[]> {
  const violations = await listViolations(page);
  const { beyond, small, shift } = await measurePage(page);
  return [
    ...violations,
    ...small.map((target) => `less than 44 pixels high: ${target}`),
    ...(beyond > 0 ? [`${beyond} pixels wider than the window`] : []),
    ...(shift > MAX_SHIFT ? [`moves while it loads: ${shift}`] : []),
  ];
}
