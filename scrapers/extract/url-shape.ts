import { memoizeText } from '../../shared/kit/memoize-text.ts';

const ID = /\d{4,}|[0-9a-f]{8}-[0-9a-f]{4}/i;
const TRACKING = /^(?:utm_|mtm_|pk_|gclid|fbclid|msclkid|ref$|src$|source$|position$|pos$)/i;
const WORD = /^[\p{L}_-]{1,24}$/u;

/** How an address is built, as far as the pages of one kind share it. */
export type UrlShape = {
  /** Host, first folder, kind of the last part (words with their depth), and names of the query: equal for the pages of one kind. */
  key: string;
  /** True when it holds a number long enough to name one thing. */
  hasId: boolean;
};

/** The shape of an absolute address: what changes from thing to thing is left out, what names the kind of page stays. */
export const shapeOf: (url: string) => UrlShape = memoizeText(readShape);

function readShape(url: string): UrlShape {
  const { hostname, pathname, searchParams } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  const first = parts.length > 1 && WORD.test(parts[0] ?? '') ? parts[0] : parts.length > 1 ? '*' : '';
  const extension = /\.[a-z]{2,5}$/i.exec(last)?.[0].toLowerCase() ?? '';
  const query = [...searchParams.entries()].flatMap(([name, value]) =>
    value === '' || TRACKING.test(name) ? [] : [queryPart(name, value)],
  );
  // A script's name stays: it is the kind of page that it shows.
  const isScript = query.length > 0 && /^\.(?:php|aspx?|jsp|cgi|mvc|dll)$/.test(extension);
  const tail = isScript ? last : kindOf(last.slice(0, last.length - extension.length), parts, first === '') + extension;
  const key = [hostname.replace(/^(?:www|m)\./, ''), first, tail, query.toSorted().join('&')].join('|');
  return { key, hasId: ID.test(pathname) || [...searchParams.values()].some((value) => ID.test(value)) };
}

/** A number or words; at the top of a site, where any page may stand, words that hold a number are a kind of their own. */
function kindOf(last: string, parts: string[], isTop: boolean): string {
  if (/^\d+$/.test(last)) return last.length >= 4 ? 'number' : 'count';
  if (isTop && ID.test(parts.join('/'))) return 'coded';
  return last === '' ? '' : `words${parts.length}`;
}

function queryPart(name: string, value: string): string {
  return /\d/.test(value) || value.length > 24 ? `${name}=*` : `${name}=${value.toLowerCase()}`;
}
