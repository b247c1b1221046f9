import { load } from 'cheerio';
import { pageRoutes } from '../../api/pages/routes.ts';

const kinds = pageRoutes
  .filter(({ show }) => show !== undefined)
  .map(({ path }) => ({ path, matches: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) }));

/** The kinds of pages for people, as their paths with placeholders. */
export const pageKinds: readonly string[] = kinds.map(({ path }) => path);

/** The kind of page that is at a path; empty where there is none. */
export const kindOfPage = (path: string): string =>
  kinds.find(({ matches }) => matches.test(path.split('?')[0] ?? ''))?.path ?? '';

/** What no link leads to but one of a mail, with tokens of nobody; and an address without a page. */
export const PATHS_BY_MAIL = [
  '/sign-in/link?token=of-nobody',
  '/sign-in/link/leave?token=of-nobody',
  '/sign-in/verify?token=of-nobody',
  '/sign-in/reset?token=of-nobody',
  '/my/export?token=of-nobody',
  '/unsubscribe?token=of-nobody',
  '/oauth/authorize',
  '/nowhere',
];

type Crawl = { url: string; cookie?: string; beginnings: readonly string[]; ofEachKind: number };

/** Breadth-first search over the links of the pages: the beginnings, and so many addresses of each kind as are linked to. */
export async function findPages({ url, cookie = '', beginnings, ofEachKind }: Crawl): Promise<string[]> {
  const paths = [...beginnings];
  const counts = new Map<string, number>();
  for (const path of paths) {
    const $ = load(await readText(url + path, cookie));
    for (const link of $('a[href]').toArray()) {
      const { origin, pathname, search } = new URL(String(link.attribs['href']), url + path);
      const kind = kindOfPage(pathname);
      const count = counts.get(kind) ?? 0;
      const isKnown = paths.includes(pathname + search) || search.includes('lang=');
      if (origin !== url || kind === '' || count >= ofEachKind || isKnown) continue;
      counts.set(kind, count + 1);
      paths.push(pathname + search);
    }
  }
  return paths;
}

/** The text of a page; a machine that is too busy (503) is asked again. */
async function readText(address: string, cookie: string): Promise<string> {
  for (;;) {
    const response = await fetch(address, { headers: { Accept: 'text/html', Cookie: cookie } });
    const text = await response.text();
    if (response.status !== 503) return text;
  }
}
