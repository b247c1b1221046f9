import type { Page, Route } from 'playwright';
import { FetchError } from '../../shared/adapters/fetch-guard.ts';
import type { FetchedResponse } from '../../shared/adapters/fetch.ts';
import { deadlinesOf } from '../../shared/kit/deadlines.ts';
import { isOnSite, isWithinSite, type SiteScope } from '../../shared/scrapers/site.ts';
import { loadDocument, MAX_PAGE_BYTES, readAnswer, type Loaded, type PageSource } from './http-page.ts';

/** Nothing that a record is read from. */
const needless = new Set(['image', 'media', 'font', 'texttrack', 'manifest', 'ping', 'other']);

/**
 * Renders one page in a browser that has no network: the page itself comes the way of `loadPage`, with its politeness,
 * guard and size limit, and what its scripts ask for is fetched for them, from the site and its subdomains alone.
 */
export async function renderInBrowser(
  page: Page,
  url: string,
  source: PageSource,
  signal: AbortSignal,
): Promise<Loaded> {
  const { pageRendering, pageQuiet } = source.deadlines ?? deadlinesOf();
  const document = await loadDocument(url, source, signal);
  if ('kind' in document) return document;
  const loaded = readAnswer(document, source.now());
  if (loaded.kind !== 'page') return loaded;
  await page.route('**/*', (route) => answer(route, document, source, signal));
  try {
    await page.goto(document.url, { waitUntil: 'domcontentloaded', timeout: pageRendering });
    await page.waitForLoadState('networkidle', { timeout: pageQuiet }).catch(() => undefined);
    const html = await page.content();
    if (html.length > MAX_PAGE_BYTES)
      return { kind: 'failed', message: 'The rendered page is too large.', retry: false };
    return {
      kind: 'page',
      url: page.url().startsWith('http') && isOnSite(page.url(), source.scope) ? page.url() : document.url,
      html,
    };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'failed', message: `The page could not be rendered: ${firstLine(error)}`, retry: true };
  }
}

async function answer(
  route: Route,
  document: FetchedResponse,
  { fetch, politeness, scope }: PageSource,
  signal: AbortSignal,
): Promise<void> {
  const request = route.request();
  const url = request.url();
  if (request.isNavigationRequest() && request.frame().parentFrame() === null && url === document.url)
    return fulfill(route, document);
  if (request.isNavigationRequest() || needless.has(request.resourceType()) || !isAllowed(url, scope))
    return route.abort();
  try {
    if (!(await politeness.allows(url, signal))) return await route.abort();
    const { accept, 'content-type': contentType, 'x-requested-with': requestedWith } = request.headers();
    const given = { accept, 'content-type': contentType, 'x-requested-with': requestedWith };
    const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >;
    const options = {
      signal,
      headers,
      method: request.method(),
      deadline: 'page' as const,
      maxBytes: MAX_PAGE_BYTES,
    };
    await fulfill(route, await fetch.fetch(url, { ...options, body: request.postDataBuffer() ?? undefined }));
  } catch (error) {
    if (!(error instanceof FetchError) && !signal.aborted) throw error;
    await route.abort();
  }
}

const isAllowed = (url: string, scope: SiteScope) =>
  isOnSite(url, scope) || isWithinSite(URL.parse(url)?.hostname ?? '', scope.site);

/** The body is decompressed already; what described its coding would mislead. */
function fulfill(route: Route, { status, headers, body }: FetchedResponse): Promise<void> {
  const { 'content-encoding': _encoding, 'content-length': _length, 'transfer-encoding': _transfer, ...rest } = headers;
  return route.fulfill({ status, headers: rest, body });
}

const firstLine = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
