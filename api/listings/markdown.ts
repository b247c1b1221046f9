import type { Catalog } from '../../shared/catalog/tree.ts';
import type { Links } from '../http/links.ts';
import { renderFrontMatter } from './front-matter.ts';
import { escapeBlock, escapeLine } from './markdown-escape.ts';
import type { Listing, ListingItem } from './present.ts';
import { readSpecifications } from './specifications.ts';

export const MARKDOWN = 'text/markdown; charset=utf-8';

/** How much of a description a catalog shows, in characters. */
const EXCERPT = 280;

/** The parameters of a search as they were read, `attr` as an object. */
type Query = Record<string, unknown>;

type Catalogue = {
  results: ListingItem[];
  pagination: { page: number; pages: number; total: number };
  warnings?: string[];
};

/** One listing as Markdown: YAML front matter with the facts, then the sections Description and Specifications. */
export function renderListing(listing: Listing, catalog: Catalog): string {
  const specifications = readSpecifications(listing, catalog).map(
    ({ label, value }) => `- **${escapeLine(label)}**: ${escapeLine(value)}`,
  );
  return [
    `---\n${renderFrontMatter(listing)}---`,
    '## Description',
    escapeBlock(listing.description),
    ...(listing.long_description ? [escapeBlock(listing.long_description)] : []),
    '## Specifications',
    specifications.length > 0 ? specifications.join('\n') : 'None given.',
  ]
    .join('\n\n')
    .concat('\n');
}

/**
 * A page of listings as a Markdown catalog: each with a link to its own page, and links to the pages before and after, which
 * keep the filters of the query.
 */
export function renderCatalog({ results, pagination, warnings = [] }: Catalogue, query: Query, links: Links): string {
  const { page, pages, total } = pagination;
  const neighbours = [
    ...(page > 1 && pages > 0 ? [`[Previous page](${addressOf(query, Math.min(page - 1, pages), links)})`] : []),
    ...(page < pages ? [`[Next page](${addressOf(query, page + 1, links)})`] : []),
  ];
  return [
    '# Listings',
    total === 0
      ? 'No listings match.'
      : `Page ${page} of ${pages}, ${total} ${total === 1 ? 'listing' : 'listings'} in all.`,
    ...warnings.map((warning) => `Note: ${escapeLine(warning)}`),
    ...results.flatMap((listing) => renderEntry(listing, links)),
    ...(neighbours.length > 0 ? [neighbours.join(' | ')] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Another page of the same search; every character that Markdown or an address gives a meaning is escaped. */
function addressOf(query: Query, page: number, links: Links): string {
  const pairs = Object.entries({ ...query, page }).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null) return [];
    if (typeof value !== 'object' || Array.isArray(value)) return [[name, String(value)]];
    return Object.entries(value).map(([key, inner]) => [`${name}[${key}]`, String(inner)]);
  });
  return `${links.base}/api/listings.md?${new URLSearchParams(pairs).toString()}`;
}

function renderEntry(
  { title, slug, price, condition, type, location, category, description }: ListingItem,
  links: Links,
): string[] {
  const facts = [
    [
      'Price',
      price.amount === 0 ? 'on request' : `${price.amount} ${price.currency}${price.negotiable ? ', negotiable' : ''}`,
    ],
    ['Condition', condition.replaceAll('_', ' ')],
    ...(type === 'wanted' ? [['Type', 'wanted']] : []),
    ['Location', escapeLine(`${location.city}, ${location.country}`)],
    ['Category', category.path.map(escapeLine).join(' > ')],
  ];
  return [
    `## [${escapeLine(title)}](${links.base}/api/listings/${slug}.md)`,
    facts.map(([label, value]) => `- **${label}**: ${value}`).join('\n'),
    escapeLine(excerpt(description)),
  ];
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= EXCERPT) return line;
  const cut = line.slice(0, EXCERPT);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), EXCERPT - 40)).toWellFormed()}…`;
}
