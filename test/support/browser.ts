import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright';
import { findBrowser } from '../../scrapers/load/browser-launch.ts';
import type { TestApp } from './app.ts';
import { scaled } from './machine.ts';
import { WAIT_MS } from './waiting.ts';

/** What one step on a page may take on a quiet machine, as Playwright has it: a text that never comes is told soon. */
const STEP_MS = 30_000;

/** The chromium of this machine; undefined, with a line that says so, where there is none. */
export const browserPath = await findBrowser(undefined).catch((error: unknown) => {
  console.warn(`skipped: pages in a browser. ${error instanceof Error ? error.message : String(error)}`);
  return undefined;
});

export type OpenPage = {
  page: Page;
  /** What a reader of the developer tools would object to: errors, what the policy refused, what failed to load, requests elsewhere. */
  problems: string[];
  close(): Promise<void>;
};

/**
 * A blank page of a chromium of its own, for one app. What the API refuses is no problem: a wrong password is meant to be, and a
 * machine that is too busy may say so.
 */
export async function openPage(app: Pick<TestApp, 'url'>, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(scaled(STEP_MS));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!isOf(app.url, request.url())) problems.push(`request elsewhere: ${request.url()}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    const isOfApi = new URL(response.url()).pathname.startsWith('/api/');
    if (isOfApi ? status >= 500 && status !== 503 : status >= 400) problems.push(`${status}: ${response.url()}`);
  });
  return { page, problems, close: () => browser.close() };
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath ?? '',
    timeout: scaled(WAIT_MS),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

const isOf = (own: string, url: string) => url.startsWith(`${own}/`) || /^(?:data|blob|about):/.test(url);
