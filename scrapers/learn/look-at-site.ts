import type { GuardedFetch } from '../../shared/adapters/fetch.ts';
import type { SiteProposal } from '../../shared/scrapers/proposal.ts';
import { defaultSettings, defaultSite } from '../../shared/scrapers/settings.ts';
import { findBrowser, launchArguments, type BrowserSettings } from '../load/browser-launch.ts';
import { loadPage, type Loaded } from '../load/http-page.ts';
import type { Pace } from '../politeness/pace.ts';
import { createPoliteness, type Sleep } from '../politeness/politeness.ts';
import type { RobotsStore } from '../politeness/robots.ts';
import type { PageAnalyst } from './page-analyst.ts';
import type { LookedAtPage } from './read-page-facts.ts';

/** What looking at a site works with: the same guard, pace and robots.txt as a crawl. */
export type LookPorts = {
  fetch: GuardedFetch;
  pace: Pace;
  robots: RobotsStore;
  analyst: PageAnalyst;
  browser: BrowserSettings;
  now: () => number;
  sleep: Sleep;
  signal: AbortSignal;
  /** Keeps a page that was looked at; false ends the looking. */
  keep: (page: LookedAtPage) => Promise<boolean>;
};

/** Thrown when the page that learning starts from cannot be had. */
export class StartUnreadable extends Error {}

/**
 * Looks at a start page and at most 20 others, each once, and proposes a scraper; `known` pages were looked at before, by a
 * process that was lost. A page that is empty without its scripts is rendered, and so are all that follow. Undefined when
 * `keep` ended it. Throws StartUnreadable.
 */
export async function lookAtSite(
  start: string,
  known: readonly LookedAtPage[],
  ports: LookPorts,
): Promise<SiteProposal | undefined> {
  const { analyst, keep, signal } = ports;
  const pages = [...known];
  const asked = new Set([start, ...pages.map(({ url }) => url)]);
  const load = createLoader(start, ports);
  if (pages.length === 0) {
    const first = await readStart(start, load, analyst);
    pages.push(first);
    if (!(await keep(first))) return undefined;
  }
  const [first] = pages;
  if (first?.html === undefined) throw new StartUnreadable(first?.problem ?? 'The page cannot be read.');
  for (;;) {
    const plan = await analyst.ask('plan', { pages, asked: [...asked] });
    if (plan.length === 0) break;
    for (const url of plan) {
      signal.throwIfAborted();
      asked.add(url);
      const page = await load(url, first.isRendered === true);
      pages.push(page);
      if (!(await keep(page))) return undefined;
    }
  }
  return analyst.ask('propose', { start, pages });
}

type LoadPage = (url: string, isRendered: boolean) => Promise<LookedAtPage>;

async function readStart(start: string, load: LoadPage, analyst: PageAnalyst): Promise<LookedAtPage> {
  const plain = await load(start, false);
  if (plain.html === undefined || !(await analyst.ask('isEmptyWithoutScripts', plain))) return plain;
  const rendered = await load(start, true);
  return rendered.html === undefined ? plain : { ...rendered, isRendered: true };
}

function createLoader(start: string, { fetch, pace, robots, browser, now, sleep, signal }: LookPorts): LoadPage {
  const intervalMs = 60_000 / defaultSettings.requests_per_minute;
  const politeness = createPoliteness({ fetch, robots, pace, intervalMs, now, sleep });
  const source = { fetch, politeness, scope: { site: defaultSite([start]), startUrls: [start] }, now };
  return async (url, isRendered) => {
    const loaded = isRendered ? await renderPage(url, source, browser, signal) : await loadPage(url, source, signal);
    if (loaded.kind === 'page') return { url, html: loaded.html, ...(isRendered && { isRendered }) };
    if (loaded.kind === 'failed' && loaded.restMs !== undefined) await politeness.backOff(url, loaded.restMs);
    return {
      url,
      problem: loaded.kind === 'unchanged' ? 'The page answered 304 without being asked.' : loaded.message,
    };
  };
}

/** One page in a browser of its own. */
async function renderPage(
  url: string,
  source: Parameters<typeof loadPage>[1],
  { chromiumPath, userAgent }: BrowserSettings,
  signal: AbortSignal,
): Promise<Loaded> {
  const { chromium } = await import('playwright');
  const { renderInBrowser } = await import('../load/browser-page.ts');
  const executablePath = await findBrowser(chromiumPath).catch(() => undefined);
  if (executablePath === undefined)
    return { kind: 'failed', message: 'The page needs a browser, and there is none.', retry: false };
  const browser = await chromium.launch({ executablePath, args: launchArguments });
  try {
    const context = await browser.newContext({ userAgent, serviceWorkers: 'block' });
    return await renderInBrowser(await context.newPage(), url, source, signal);
  } finally {
    await browser.close();
  }
}
