import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { POSITION_PATTERN } from '../../db/wal-position.ts';
import { ServiceError, unauthorized } from '../../shared/kit/errors.ts';
import { pathTo, urlTo, type SitePage, type SiteValues } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Links } from '../http/links.ts';
import { requestLocale } from '../http/locale.ts';
import type { UploadedFile } from '../http/multipart.ts';
import type { Actor, Perform, PerformAs } from '../http/perform.ts';
import type { Services } from '../services.ts';
import type { Words } from './words/types.ts';
import { wordsIn } from './words/words.ts';

export const SESSION_COOKIE = 'session';
/** Holds what a standby has to have replayed for this browser, which has just written. */
const POSITION_COOKIE = 'position';

/** What a form of a page has sent: its fields, as many values as each has. */
export type FormFields = Record<string, string | string[] | undefined>;

/** One visit of a page: who comes, in what language, and what the page may do for them. */
export type Visit = {
  services: Services;
  request: Request;
  caller: Caller | undefined;
  /** The token of the session cookie, which forms carry a signature of. */
  csrfToken: string;
  locale: Locale;
  words: Words;
  links: Links;
  params: Record<string, string>;
  query: Record<string, unknown>;
  form: FormFields;
  /** Reads the files of a form of a page that takes some; what is wrong with them is a ServiceError. */
  readFiles(): Promise<UploadedFile[]>;
  /** The path of a page, in the language that was asked for by `lang`; its address where the site is the operator's own. */
  href<Page extends SitePage>(page: Page, values: SiteValues<Page> & Record<string, string | undefined>): string;
  /** The absolute address of a page, as search engines and previews are to know it. */
  url<Page extends SitePage>(page: Page, values: SiteValues<Page> & Record<string, string | undefined>): string;
  /** Performs an operation of the contract for whoever visits. */
  perform: PerformAs;
};

/** Reads who comes from the session cookie (a bad or ended one is nobody), and the language from `lang` or Accept-Language. */
export async function openVisit(
  services: Services,
  perform: Perform,
  request: Request,
  response: Response,
): Promise<Visit> {
  const token = readCookie(request, SESSION_COOKIE);
  const caller = token === undefined ? undefined : await findCaller(services, token);
  response.locals.userId = caller?.userId;
  const { query } = request;
  const locale = requestLocale(request, query, services.profile);
  const links = services.links.of(response.locals.proxied === true);
  const actor: Actor = {
    caller,
    network: response.locals.network as string,
    locale,
    links,
    requestId: response.locals.requestId as string,
    userAgent: request.headers['user-agent'] ?? '',
    position: readPosition(request),
  };
  const lang = typeof query.lang === 'string' ? locale : undefined;
  let csrfToken: string | undefined;
  const { site } = services.config;
  return {
    services,
    request,
    caller,
    get csrfToken() {
      return (csrfToken ??= signCsrf(services, caller ? token : undefined));
    },
    locale,
    words: wordsIn(locale),
    links,
    params: request.params as Record<string, string>,
    query,
    form: {},
    readFiles: async () => [],
    href: (page, values) =>
      site.isOwn
        ? `${links.path}${pathTo(site.paths, page, { ...values, lang })}`
        : urlTo(site, page, { ...values, lang }),
    url: (page, values) => urlTo(site, page, values),
    perform: async (id, input) => perform(actor, id, input),
  };
}

async function findCaller(services: Services, token: string): Promise<Caller | undefined> {
  try {
    return await services.authenticate(`Bearer ${token}`);
  } catch (error) {
    if ((error as { status?: number }).status === 401) return undefined;
    throw error;
  }
}

export function readCookie({ headers }: Request, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** The position of the last write of this browser, if it was a moment ago. */
export function readPosition(request: Request): string | undefined {
  const position = readCookie(request, POSITION_COOKIE);
  return position !== undefined && POSITION_PATTERN.test(position) ? position : undefined;
}

type Scope = { path: string; seconds: number };

/** A cookie for that many seconds under that path, which no script reads. */
export function writeCookie(
  { links }: Pick<Visit, 'links'>,
  name: string,
  value: string,
  { path, seconds }: Scope,
): string {
  const { protocol } = new URL(links.base);
  const parts = [`${name}=${value}`, `Path=${path}`, 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`];
  return [...parts, ...(protocol === 'https:' ? ['Secure'] : [])].join('; ');
}

/** No standby in rotation is that far behind. */
const POSITION_SECONDS = 60;

/** The position of what this browser has just written. */
export const writePosition = (visit: Visit, position: string): string =>
  writeCookie(visit, POSITION_COOKIE, position, { path: '/', seconds: POSITION_SECONDS });

/** The HMAC of a session: nobody else can know it, and it ends with the session. */
function signCsrf({ config }: Services, token: string | undefined): string {
  return createHmac('sha256', config.jwtSecrets[0] ?? '')
    .update(`csrf ${token ?? ''}`)
    .digest('base64url');
}

/** A form of another session, of none, or of another site. */
export class StaleForm extends ServiceError {
  constructor() {
    super('forbidden', 'This form is out of date: go back, reload the page and send it again.');
  }
}

/**
 * 403 for a form that another site has sent: the browser tells where it comes from (Sec-Fetch-Site, Origin), and it carries the
 * signature of the session.
 */
export function assertOwnForm({ request, csrfToken, links }: Visit, sent: unknown): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const isForeign =
    (site !== undefined && site !== 'same-origin' && site !== 'none') ||
    (origin !== undefined &&
      origin !== new URL(links.base).origin &&
      origin !== `${request.protocol}://${request.host}`);
  const given = Buffer.from(typeof sent === 'string' ? sent : '');
  const expected = Buffer.from(csrfToken);
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  if (isForeign || !isSigned) throw new StaleForm();
}

/** The visitor who has signed in; 401, which leads to the page for that, without one. */
export function requireCaller({ caller }: Visit): Caller {
  if (!caller) throw unauthorized();
  return caller;
}

/** The address of what is below a page, with further values in its query. */
export function addressBelow(page: string, part: string, values: Record<string, string> = {}): string {
  const [path = '', query] = page.split('?', 2);
  const all = new URLSearchParams([...new URLSearchParams(query), ...Object.entries(values)]);
  return `${path}/${part}${all.size > 0 ? `?${all.toString()}` : ''}`;
}
