import type { PlaywrightCrawlerOptions } from '@crawlee/playwright';
import { existsSync } from 'node:fs';

export type BrowserSettings = { chromiumPath: string | undefined; userAgent: string };

const DEBIAN_CHROMIUM = '/usr/bin/chromium';

/** No network of its own: every request is answered by our guarded fetch, and what slips past that finds no host. */
export const launchArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--host-resolver-rules=MAP * ~NOTFOUND',
];

/** The browser to start: the configured one, else playwright's own, else Debian's; an Error that says what to do when there is none. */
export async function findBrowser(configured: string | undefined): Promise<string> {
  const { chromium } = await import('playwright');
  const candidates = configured === undefined ? [chromium.executablePath(), DEBIAN_CHROMIUM] : [configured];
  const found = candidates.find((path) => path !== '' && existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    `There is no browser for this scraper (looked for ${candidates.filter(Boolean).join(', ')}): install chromium or set CHROMIUM_PATH.`,
  );
}

/** What opens the pages of a crawl in one headless Chromium, each apart from the others; an Error when no browser is installed. */
export async function openBrowserOptions({
  chromiumPath,
  userAgent,
}: BrowserSettings): Promise<Partial<PlaywrightCrawlerOptions>> {
  const executablePath = await findBrowser(chromiumPath);
  const { chromium } = await import('playwright');
  const pageOptions = { userAgent, serviceWorkers: 'block', acceptDownloads: false, javaScriptEnabled: true };
  return {
    headless: true,
    launchContext: {
      launcher: chromium,
      userAgent,
      useIncognitoPages: true,
      launchOptions: { executablePath, args: launchArguments, chromiumSandbox: false },
    },
    browserPoolOptions: {
      useFingerprints: false,
      prePageCreateHooks: [(_pageId, _controller, options) => void (options && Object.assign(options, pageOptions))],
    },
  };
}
