import { MAGIC_LINK_MS } from '../../shared/accounts/account-tokens.ts';
import { firstText } from './forms.ts';
import { readCookie, SESSION_COOKIE, writeCookie, type Visit } from './visit.ts';

const NEXT_COOKIE = 'next';

/** The session of this browser for that many seconds; none with 0. */
export const writeSession = (visit: Visit, token: string, seconds: number): string =>
  writeCookie(visit, SESSION_COOKIE, token, { path: '/', seconds });

/** Where somebody wanted to go before signing in: a path of this site, or their listings. */
export function nextOf({ form, query, href }: Visit): string {
  const next = firstText(form.next) || (typeof query.next === 'string' ? query.next : '');
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.startsWith('/sign-') ? next : href('my_listings', {});
}

/** Where to go on to when the link of the mail is opened in this browser: the mail itself does not tell. */
export function keepNext(visit: Visit): string {
  const [path = '/'] = visit.href('sign_in_link', { token: '' }).split('?');
  return writeCookie(visit, NEXT_COOKIE, encodeURIComponent(nextOf(visit)), { path, seconds: MAGIC_LINK_MS / 1_000 });
}

/** What `keepNext` has kept; empty where it has kept nothing. */
export const readKeptNext = ({ request }: Pick<Visit, 'request'>): string =>
  new URLSearchParams(`next=${readCookie(request, NEXT_COOKIE) ?? ''}`).get('next') ?? '';
