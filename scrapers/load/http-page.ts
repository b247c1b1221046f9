import { FetchError } from '../../shared/adapters/fetch-guard.ts';
import type { FetchedResponse, GuardedFetch } from '../../shared/adapters/fetch.ts';
import { isOnSite, type SiteScope } from '../../shared/scrapers/site.ts';
import type { Deadlines } from '../../shared/kit/deadlines.ts';
import { readHtml } from '../../shared/kit/html/charset.ts';
import { retryAfterMs, type Politeness, type Refusal } from '../politeness/politeness.ts';

/** What became of asking for a page. */
export type Loaded =
  | LoadedPage
  | { kind: 'unchanged' }
  | { kind: 'skipped'; reason: 'elsewhere' | 'not_html'; message: string }
  | { kind: 'gone'; message: string }
  | Refusal;

export type LoadedPage = {
  kind: 'page';
  url: string;
  html: string;
  /** What to ask with whether it has changed, as far as the site says. */
  validators?: Validators;
  /** What is wrong with it, although it could be read. */
  problem?: string;
};

/** How a site names a version of a page: `ETag` and `Last-Modified`. */
export type Validators = { etag?: string; lastModified?: string };

const MAX_REDIRECTS = 5;
/** Counted after decompression. */
export const MAX_PAGE_BYTES = 10_485_760;
const MAX_BACK_OFF_MS = 600_000;
const MAX_VALIDATOR = 500;

/** Where pages come from, and how far a crawl goes. */
export type PageSource = {
  fetch: GuardedFetch;
  politeness: Politeness;
  scope: SiteScope;
  now: () => number;
  deadlines?: Deadlines | undefined;
};

/** What to ask for besides the address. */
export type DocumentOptions = {
  /** Ask only for what has changed since. */
  known?: Validators | undefined;
  accept?: string;
  maxBytes?: number;
};

const ACCEPT_PAGE = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.1';

/** As loadDocument, with the answer read: the text of a page, or why there is none. */
export async function loadPage(
  url: string,
  source: PageSource,
  signal: AbortSignal,
  known?: Validators,
): Promise<Loaded> {
  const loaded = await loadDocument(url, source, signal, { known });
  return 'kind' in loaded ? loaded : readAnswer(loaded, source.now());
}

/**
 * Loads one page for the crawl: waits for its slot, obeys robots.txt and follows redirects within the site (each hop is
 * asked for, paced and guarded like a page of its own). Every failure is an answer; only an abort throws.
 */
export async function loadDocument(
  url: string,
  { fetch, politeness, scope }: PageSource,
  signal: AbortSignal,
  { known = {}, accept = ACCEPT_PAGE, maxBytes = MAX_PAGE_BYTES }: DocumentOptions = {},
): Promise<FetchedResponse | Exclude<Loaded, { kind: 'page' }>> {
  let target = url;
  const headers = {
    ...(known.etag !== undefined && { 'if-none-match': known.etag }),
    ...(known.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
  };
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const address = target;
    const options = { maxRedirects: 0, maxBytes, deadline: 'page' as const, accept, headers, signal };
    let sent: Awaited<ReturnType<typeof politeness.request<FetchedResponse>>>;
    try {
      sent = await politeness.request(address, signal, () => fetch.fetch(address, options));
    } catch (error) {
      if (error instanceof FetchError) {
        const { message, retryable: retry, reason } = error;
        return { kind: 'failed', message, retry, ...(reason === 'proxy' && { blocked: true }) };
      }
      throw error;
    }
    if (!('answer' in sent)) return sent;
    const next = redirectOf(sent.answer, address);
    if (next === undefined) return sent.answer;
    if (!isOnSite(next, scope))
      return { kind: 'skipped', reason: 'elsewhere', message: 'This page redirects to another site.' };
    target = next;
  }
  return { kind: 'failed', message: `More than ${MAX_REDIRECTS} redirects.`, retry: false };
}

function redirectOf({ status, headers }: FetchedResponse, from: string): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || !headers['location']) return undefined;
  return URL.parse(headers['location'], from)?.href ?? '';
}

/** The page of an answer, or why there is none. */
export function readAnswer(response: FetchedResponse, now: number): Loaded {
  const refusal = refusalOf(response, now);
  if (refusal) return refusal;
  const { headers, body, url } = response;
  if (!isHtml(headers['content-type'], body))
    return { kind: 'skipped', reason: 'not_html', message: 'This is no HTML page.' };
  const { html, problem } = readHtml(body, headers['content-type']);
  const validators = validatorsOf(headers);
  return { kind: 'page', url, html, ...(validators && { validators }), ...(problem !== undefined && { problem }) };
}

function validatorsOf({ etag, 'last-modified': lastModified }: FetchedResponse['headers']): Validators | undefined {
  const isShort = (value: string | undefined) => value !== undefined && value !== '' && value.length <= MAX_VALIDATOR;
  if (!isShort(etag) && !isShort(lastModified)) return undefined;
  return { ...(isShort(etag) && { etag }), ...(isShort(lastModified) && { lastModified }) };
}

/**
 * Sorts an answer by its status: undefined for one that holds what was asked for. A site that refuses (403, 429, 503) says
 * how long it wants to be left alone, or gets some seconds.
 */
export function refusalOf(
  { status, headers }: FetchedResponse,
  now: number,
): Exclude<Loaded, { kind: 'page' }> | undefined {
  if (status === 304) return { kind: 'unchanged' };
  if (status === 404 || status === 410) return { kind: 'gone', message: `The page answered ${status}.` };
  if (status === 403 || status === 429 || status === 503) {
    const restMs = retryAfterMs(headers['retry-after'], now);
    const fatal = restMs !== undefined && restMs > MAX_BACK_OFF_MS;
    const wish = restMs === undefined ? '' : ` It asks to be left alone for ${Math.ceil(restMs / 1_000)} seconds.`;
    return {
      kind: 'failed',
      message: `The site refused the page with ${status}.${wish}`,
      retry: true,
      restMs: restMs ?? 0,
      blocked: true,
      fatal,
    };
  }
  if (status < 200 || status > 299)
    return { kind: 'failed', message: `The page answered ${status}.`, retry: status >= 500 || status === 408 };
  return undefined;
}

function isHtml(contentType: string | undefined, body: Buffer): boolean {
  if (contentType === undefined || contentType === '')
    return /^\s*<(?:!doctype html|html|head|body)/i.test(body.toString('latin1', 0, 512));
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType);
}
