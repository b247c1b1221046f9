import { tmpdir } from 'node:os';
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

let launched: Promise<Browser> | undefined;

/**
 * A blank page of a context of its own, for one app, in the one chromium of this process. What the API refuses is no problem: a
 * wrong password is meant to be, and a machine that is too busy may say so.
 */
export async function openPage(app: Pick<TestApp, 'url'>, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const browser = await (launched ??= launch());
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
  return { page, problems, close: () => context.close() };
}

/** Ends the chromium of this process; where tests run, it ends with the process. */
export async function closeBrowser(): Promise<void> {
  await (await launched)?.close();
  launched = undefined;
}

/**
 * Its profile outlives the file that needs it first, whose temporary files go with it. It is killed when Vitest ends the process: one
 * that is asked to close takes longer than the half second that Vitest gives, and writes to its profile while the run's folder is removed.
 */
async function launch(): Promise<Browser> {
  const temporary = tmpdir();
  process.once('SIGTERM', () => process.exit());
  process.env['TMPDIR'] = process.env['TEST_FOLDER'] ?? temporary;
  try {
    return await chromium.launch({
      executablePath: browserPath ?? '',
      timeout: scaled(WAIT_MS),
      handleSIGTERM: false,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
  } finally {
    process.env['TMPDIR'] = temporary;
  }
}

const isOf = (own: string, url: string) => url.startsWith(`${own}/`) || /^(?:data|blob|about):/.test(url);
