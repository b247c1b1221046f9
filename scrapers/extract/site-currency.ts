import { currencyOfCountry } from '../../shared/normalize/currency-countries.ts';
import { isCurrency } from '../../shared/kit/codes.ts';
import { normalizePrice } from '../../shared/normalize/price.ts';
import type { MetaTags } from './opengraph.ts';
import type { Page } from './page.ts';

const MAX_SCRIPT_CHARS = 400_000;
const NAMED = /currency(?:_?code|_?iso)?["']?\s{0,3}[:=]\s{0,3}["']([A-Z]{3})["']/gi;
/** Domains of countries that anybody takes. */
const ANYBODYS = new Set(['ai', 'bz', 'cc', 'co', 'fm', 'gg', 'io', 'la', 'me', 'ms', 'sh', 'to', 'tv', 'ws']);
/** Languages spoken with one currency. */
const BY_LANGUAGE = new Map(
  'bg:BG cs:CZ da:DK et:EE fi:FI he:IL hr:HR hu:HU hi:IN id:ID is:IS it:IT ja:JP ka:GE kk:KZ ko:KR lt:LT lv:LV ms:MY nb:NO nl:NL no:NO pl:PL ro:RO sk:SK sl:SI sr:RS sv:SE th:TH tr:TR uk:UA vi:VN'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

/**
 * The currency of a printed price: by its own sign; a sign that several countries use, or none, is settled by the codes that
 * the page names for its scripts, then by the country of the site: its domain, the region of its language.
 */
export function currencyOfPrinted(
  { text, hasSign }: { text: string; hasSign: boolean },
  page: Page,
  tags: MetaTags,
): string | undefined {
  const named = namedCurrency(page);
  // Codes begin with their country: a sign means the one named only where that country uses it.
  if (named !== undefined && normalizePrice(text, { country: named.slice(0, 2) })?.currency === named) return named;
  return normalizePrice(text, { country: countryOf(page, tags), currency: hasSign ? undefined : named })?.currency;
}

/** The code that most of the scripts' mentions of a currency name. */
function namedCurrency({ elements }: Page): string | undefined {
  const counts = new Map<string, number>();
  let left = MAX_SCRIPT_CHARS;
  for (const { name, attribs, children } of elements) {
    const [child] = children;
    if (name === 'meta' && attribs.itemprop === 'priceCurrency') add(counts, attribs.content);
    if (name !== 'script' || child?.type !== 'text' || left <= 0) continue;
    const source = child.data.slice(0, left);
    left -= source.length;
    for (const [, code] of source.matchAll(NAMED)) add(counts, code);
  }
  const [best] = [...counts].toSorted(([, a], [, b]) => b - a);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return best && best[1] > total / 2 ? best[0] : undefined;
}

function add(counts: Map<string, number>, code = ''): void {
  if (isCurrency(code)) counts.set(code, (counts.get(code) ?? 0) + 1);
}

/** The country of a site, two letters: of its domain, its folder (`/en-gb/`), or the region of its language. */
function countryOf({ url, elements }: Page, tags: MetaTags): string | undefined {
  const { hostname, pathname } = URL.canParse(url) ? new URL(url) : { hostname: '', pathname: '' };
  const top = hostname.slice(hostname.lastIndexOf('.') + 1).toUpperCase();
  if (top.length === 2 && !ANYBODYS.has(top.toLowerCase())) return top === 'UK' ? 'GB' : top;
  const html = elements.find(({ name }) => name === 'html')?.attribs;
  const said = [
    /^\/[a-z]{2}[-_]([a-z]{2})(?:\/|$)/i.exec(pathname)?.[1],
    ...[html?.lang, html?.['xml:lang'], tags.get('og:locale')?.[0], tags.get('content-language')?.[0]].map(
      (language) => /^[a-z]{2}[-_]([a-z]{2})\b/i.exec(language ?? '')?.[1],
    ),
  ].find((country) => country !== undefined && currencyOfCountry(country) !== undefined);
  return said?.toUpperCase() ?? BY_LANGUAGE.get((html?.lang ?? '').slice(0, 2).toLowerCase());
}
