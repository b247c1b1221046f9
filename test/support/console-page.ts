import type { BrowserContextOptions } from 'playwright';
import type { TestApp, TestUser } from './app.ts';
import { openPage, type OpenPage } from './browser.ts';

export type ConsolePage = OpenPage & {
  /** Loads the console anew at one of its pages, whatever was left open before: `#/jobs`. */
  visit(hash: string): Promise<void>;
  /** Goes on to another of its pages as a link does, for a ninth of the processor time; what was told stays until it is told no more. */
  follow(hash: string): Promise<void>;
  /** Waits for the page of that name. */
  heading(name: string): Promise<void>;
  /** Waits until the console says so of what was done. */
  told(text: string): Promise<void>;
};

/** The console in a context of its own, in the session of an administrator. */
export async function openConsole(
  app: Pick<TestApp, 'url'>,
  admin: TestUser,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const opened = await openPage(app, options);
  const { page } = opened;
  const session = { token: admin.token, email: admin.email, profile: 'nautical', role: admin.role };
  let visits = 0;
  // Any page of its origin holds the storage: this one loads nothing.
  await page.goto(`${app.url}/robots.txt`);
  await page.evaluate((text) => sessionStorage.setItem('quayside.console', text), JSON.stringify(session));
  return {
    ...opened,
    async visit(hash) {
      // Another query makes it another document, which keeps its renderer process: by about:blank it takes twice as long.
      visits += 1;
      await page.goto(`${app.url}/admin?visit=${visits}${hash}`);
    },
    follow: (hash) => page.evaluate(`${follow}(${JSON.stringify(hash)})`),
    heading: (name) => page.getByRole('heading', { level: 1, name }).waitFor(),
    told: (text) => page.getByRole('status').getByText(text).first().waitFor(),
  };
}

/** It runs in the page, and ends once what the address shows is drawn. */
const follow = `(hash) => new Promise((resolve) => {
  addEventListener('hashchange', () => requestAnimationFrame(resolve), { once: true });
  location.hash = hash;
})`;
