import { z } from 'zod';

/**
 * The pages that people are sent to, by kind, and their built-in addresses below BASE_URL. SITE_PATHS replaces them, one by one,
 * where SITE_URL names another front end.
 */
export const sitePaths = {
  home: '/',
  search: '/search',
  listing: '/listings/{slug}',
  seller: '/sellers/{id}',
  rentals: '/rentals',
  rental: '/rentals/{slug}',
  sign_in: '/sign-in',
  sign_out: '/sign-out',
  forgot_password: '/sign-in/forgot',
  sign_in_link: '/sign-in/link?token={token}',
  verify_email: '/sign-in/verify?token={token}',
  reset_password: '/sign-in/reset?token={token}',
  account: '/my/account',
  data_export: '/my/export?token={token}',
  sell: '/sell',
  my_listings: '/my/listings',
  edit_listing: '/my/listings/{id}',
  promote: '/my/listings/{id}/promote',
  favorites: '/my/favorites',
  saved_searches: '/my/searches',
  inbox: '/inbox',
  conversation: '/inbox/{id}',
  bookings: '/my/bookings',
  reviews: '/my/reviews',
  report: '/report',
  reports: '/my/reports',
  notices: '/my/notices',
  unsubscribe: '/unsubscribe?token={token}',
} as const;

export type SitePage = keyof typeof sitePaths;
export type SitePaths = Record<SitePage, string>;

type Placeholders<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;
/** What the address of a page is made from: its placeholders, and anything else as its query. */
export type SiteValues<Page extends SitePage> = Record<Placeholders<(typeof sitePaths)[Page]>, string>;

/** Reads `kind=/path/{slug},…`; kinds that are not named keep their built-in path. */
export const sitePathsSetting = z.string().transform((text, context): SitePaths => {
  const paths: SitePaths = { ...sitePaths };
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const [, kind = '', path = ''] = /^([a-z_]+)=(.*)$/s.exec(part) ?? [];
    if (!isSitePage(kind)) {
      context.addIssue(`has no page '${kind || part}': pages are ${Object.keys(sitePaths).join(', ')}`);
      return z.NEVER;
    }
    const unknown = placeholdersOf(path).find((name) => !placeholdersOf(sitePaths[kind]).includes(name));
    if (!/^\/[\x21-\x7e]*$/.test(path) || unknown !== undefined) {
      const names = placeholdersOf(sitePaths[kind]).map((name) => `{${name}}`);
      context.addIssue(`'${part}': a path begins with / and may hold ${names.join(', ') || 'no placeholder'}`);
      return z.NEVER;
    }
    paths[kind] = path;
  }
  return paths;
});

const isSitePage = (kind: string): kind is SitePage => Object.hasOwn(sitePaths, kind);
const placeholders = new Map<string, string[]>();

/** The names in braces of a path: paths are few, and each link of a page asks for those of its own. */
function placeholdersOf(path: string): string[] {
  let names = placeholders.get(path);
  if (!names) placeholders.set(path, (names = [...path.matchAll(/\{(\w*)\}/g)].map(([, name = '']) => name)));
  return names;
}

/** Where pages are: the base of the site, and its paths. */
export type Site = { url: string; paths: SitePaths };

/** The path of a page with its placeholders filled in, and further values as its query. */
export function pathTo<Page extends SitePage>(
  paths: SitePaths,
  page: Page,
  values: SiteValues<Page> & Record<string, string | undefined>,
): string {
  const path = paths[page];
  const own = [...placeholdersOf(path), ...placeholdersOf(sitePaths[page])];
  const filled =
    own.length === 0
      ? path
      : path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const rest = Object.entries(values).filter(
    ([name, value]) => value !== undefined && value !== '' && !own.includes(name),
  );
  if (rest.length === 0) return filled;
  return `${filled}${filled.includes('?') ? '&' : '?'}${new URLSearchParams(rest as [string, string][]).toString()}`;
}

/** The absolute address of a page, for mails, feeds and redirects. */
export const urlTo = <Page extends SitePage>(
  { url, paths }: Site,
  page: Page,
  values: SiteValues<Page> & Record<string, string | undefined>,
): string => `${url}${pathTo(paths, page, values)}`;
