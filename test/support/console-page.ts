import type { BrowserContextOptions, Page } from 'playwright';
import type { TestApp, TestUser } from './app.ts';
import { openPage, type OpenPage } from './browser.ts';

export type Console = {
  /** Opens a page of the console anew, whatever was left open or told before: `#/jobs`. The console itself is loaded once. */
  visit(hash: string): Promise<void>;
  /** Loads the console anew at one of its pages. */
  load(hash: string): Promise<void>;
  /** Waits for the page of that name. */
  heading(name: string): Promise<void>;
  /** Waits until the console says so of what was done. */
  told(text: string): Promise<void>;
};

export type ConsolePage = OpenPage & Console;

/** The console in a context of its own, in the session of an administrator. */
export async function openConsole(
  app: Pick<TestApp, 'url'>,
  admin: TestUser,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const opened = await openPage(app, options);
  const { page } = opened;
  const session = { token: admin.token, email: admin.email, profile: 'nautical', role: admin.role };
  // Any page of its origin holds the storage: this one loads nothing.
  await page.goto(`${app.url}/robots.txt`);
  await page.evaluate((text) => sessionStorage.setItem('quayside.console', text), JSON.stringify(session));
  return { ...opened, ...useConsole(app, page) };
}

let loads = 0;

/** The console in a page, in the session that its tab has. */
export function useConsole(app: Pick<TestApp, 'url'>, page: Page): Console {
  async function load(hash: string) {
    // Another query makes it another document, which keeps its renderer process: by about:blank it takes twice as long.
    loads += 1;
    await page.goto(`${app.url}/admin?load=${loads}${hash}`);
  }
  return {
    load,
    async visit(hash) {
      const isLoaded = page.url().startsWith(`${app.url}/admin`);
      // A change of the address takes a fifth of the processor time of a load.
      if (!isLoaded || !(await page.evaluate<boolean>(`${turn}(${JSON.stringify(hash)})`))) await load(hash);
    },
    heading: (name) => page.getByRole('heading', { level: 1, name }).waitFor(),
    told: (text) => page.getByRole('status').getByText(text).first().waitFor(),
  };
}

/**
 * It runs in the page: closes what is open over it, dismisses what it tells, and goes to the address by way of another, so that all
 * of it is made anew. It ends when the effects of what is shown have run, which Preact does after a frame; false where there is no
 * console but its login.
 */
const turn = `(async (hash) => {
  const go = (to) =>
    new Promise((resolve) => {
      addEventListener('hashchange', () => requestAnimationFrame(resolve), { once: true });
      location.hash = to;
    });
  const links = [...document.querySelectorAll('nav[aria-label=Console] a:not([aria-current])')];
  const elsewhere = links.findLast((link) => link.hash !== hash.split('?')[0]);
  if (!elsewhere) return false;
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  for (const button of document.querySelectorAll('.notices [aria-label=Dismiss]')) button.click();
  await go(elsewhere.hash);
  await go(hash);
  await new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => setTimeout(resolve))));
  return true;
})`;
