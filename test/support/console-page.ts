import type { BrowserContextOptions } from 'playwright';
import type { TestApp, TestUser } from './app.ts';
import { openPage, type OpenPage } from './browser.ts';

export type ConsolePage = OpenPage & {
  /** Opens a page of the console anew, whatever was left open before: `#/jobs`. */
  visit(hash: string): Promise<void>;
  /** Waits for the page of that name. */
  heading(name: string): Promise<void>;
  /** Waits until the console says so of what was done. */
  told(text: string): Promise<void>;
};

/** The console in a browser of its own, in the session of an administrator. */
export async function openConsole(
  app: Pick<TestApp, 'url'>,
  admin: TestUser,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const opened = await openPage(app, options);
  const { page } = opened;
  const session = { token: admin.token, email: admin.email, profile: 'nautical', role: admin.role };
  await page.goto(`${app.url}/admin`);
  await page.evaluate((text) => sessionStorage.setItem('quayside.console', text), JSON.stringify(session));
  return {
    ...opened,
    async visit(hash) {
      await page.goto('about:blank');
      await page.goto(`${app.url}/admin${hash}`);
    },
    heading: (name) => page.getByRole('heading', { level: 1, name }).waitFor(),
    told: (text) => page.getByRole('status').getByText(text).first().waitFor(),
  };
}
