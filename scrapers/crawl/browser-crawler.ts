import type { Configuration, PlaywrightCrawlerOptions } from '@crawlee/playwright';
import type { Page } from 'playwright';
import { findBrowser, launchArguments, type BrowserSettings } from '../load/browser-launch.ts';

type Job = { url: string; uniqueKey: string; retryCount: number; userData: Record<string, unknown> };

/** A crawler whose pages are opened in one headless Chromium; an Error when no browser is installed. */
export async function createBrowserCrawler(
  { chromiumPath, userAgent }: BrowserSettings,
  options: PlaywrightCrawlerOptions,
  configuration: Configuration,
  handle: (request: Job, page: Page) => Promise<void>,
) {
  const executablePath = await findBrowser(chromiumPath);
  const { PlaywrightCrawler } = await import('@crawlee/playwright');
  const { chromium } = await import('playwright');
  return new PlaywrightCrawler(
    {
      ...options,
      headless: true,
      launchContext: {
        launcher: chromium,
        userAgent,
        useIncognitoPages: true,
        launchOptions: { executablePath, args: launchArguments, chromiumSandbox: false },
      },
      browserPoolOptions: {
        useFingerprints: false,
        prePageCreateHooks: [
          (_pageId, _controller, pageOptions) => {
            if (pageOptions)
              Object.assign(pageOptions, {
                userAgent,
                serviceWorkers: 'block',
                acceptDownloads: false,
                javaScriptEnabled: true,
              });
          },
        ],
      },
      requestHandler: ({ request, page }) => handle(request, page),
    },
    configuration,
  );
}
