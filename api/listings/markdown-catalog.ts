import type { Links } from '../http/links.ts';
import { renderFacts } from './front-matter.ts';
import { escapeLine } from './markdown-escape.ts';

/** The parameters of a search as they were read, `attr` as an object. */
export type Query = Record<string, unknown>;

type Catalog = {
  title: string;
  /** What its entries are called: one, and several. */
  names: readonly [string, string];
  /** The address of the catalog, below the base of the API. */
  path: string;
  query: Query;
  pagination: { page: number; pages: number; total: number; limit: number };
  warnings?: readonly string[];
  /** How the words of the query were corrected. */
  corrected?: { from: string; to: string };
  entries: readonly string[];
};

/**
 * A page of a Markdown catalog: YAML front matter with the query, the totals and the addresses of the pages before and after,
 * which keep the filters of the query; then the same for people around the entries.
 */
export function renderCatalogPage(catalog: Catalog, links: Links): string {
  const { title, names, query, pagination, warnings = [], corrected, entries } = catalog;
  const { page, pages, total, limit } = pagination;
  const { page: _page, limit: _limit, ...filters } = query;
  const addressOf = (number: number) => `${links.base}${catalog.path}?${writeQuery({ ...query, page: number })}`;
  const previous = page > 1 && pages > 0 ? addressOf(Math.min(page - 1, pages)) : null;
  const next = page < pages ? addressOf(page + 1) : null;
  const facts = {
    title,
    query: withoutUndefined(filters),
    ...(corrected && { corrected }),
    total,
    page,
    pages,
    limit,
    previous,
    next,
  };
  const neighbours = [
    ...(previous === null ? [] : [`[Previous page](${previous})`]),
    ...(next === null ? [] : [`[Next page](${next})`]),
  ];
  return [
    `---\n${renderFacts(facts)}---`,
    `# ${title}`,
    total === 0 ? `No ${names[1]} match.` : `Page ${page} of ${pages}, ${total} ${names[total === 1 ? 0 : 1]} in all.`,
    ...warnings.map((warning) => `Note: ${escapeLine(warning)}`),
    ...entries,
    ...(neighbours.length > 0 ? [neighbours.join(' | ')] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** The fact that names the first image, small where a small one is known, as an autolink; none where there is no image. */
export function renderPhoto([image]: readonly { url: string; thumbnail_url?: string | undefined }[]): string[][] {
  if (!image) return [];
  return [['Photo', `<${(image.thumbnail_url ?? image.url).replaceAll(/[<>\s]/g, encodeURIComponent)}>`]];
}

/** The query of another page of the same search; every character that Markdown or an address gives a meaning is escaped. */
function writeQuery(query: Query): string {
  const pairs = Object.entries(withoutUndefined(query)).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, String(value)]];
    return Object.entries(value).map(([key, inner]) => [`${name}[${key}]`, String(inner)]);
  });
  return new URLSearchParams(pairs).toString();
}

/** What was sent, lists as the comma lists that they may be sent as. */
const withoutUndefined = (query: Query): Query =>
  Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  );
