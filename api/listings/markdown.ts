import type { Catalog } from '../../shared/catalog/tree.ts';
import type { Links } from '../http/links.ts';
import { renderFrontMatter } from './front-matter.ts';
import { renderCatalogPage, renderPhoto, type Query } from './markdown-catalog.ts';
import { escapeBlock, escapeLine } from './markdown-escape.ts';
import type { Listing, ListingItem } from './present.ts';
import { readSpecifications } from './specifications.ts';

export const MARKDOWN = 'text/markdown; charset=utf-8';

/** How much of a description a catalog shows, in characters. */
const EXCERPT = 280;

type Page = {
  results: ListingItem[];
  pagination: { page: number; pages: number; total: number; limit: number };
  warnings?: string[];
  corrected?: { from: string; to: string };
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

/** A page of listings as a Markdown catalog, each with a link to its own page. */
export function renderCatalog({ results, pagination, warnings, corrected }: Page, query: Query, links: Links): string {
  const catalog = {
    title: 'Listings',
    names: ['listing', 'listings'] as const,
    path: '/api/listings.md',
    query,
    pagination,
    ...(warnings && { warnings }),
    ...(corrected && { corrected }),
    entries: results.flatMap((listing) => renderEntry(listing, links)),
  };
  return renderCatalogPage(catalog, links);
}

function renderEntry(
  { title, slug, price, condition, type, location, category, description, attributes, images }: ListingItem,
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
    ...renderMainAttributes(attributes ?? {}),
    ...renderPhoto(images),
  ];
  return [
    `## [${escapeLine(title)}](${links.base}/api/listings/${slug}.md)`,
    facts.map(([label, value]) => `- **${label}**: ${value}`).join('\n'),
    escapeLine(excerpt(description)),
  ];
}

/** Make, model, year and length, as far as they are known. */
function renderMainAttributes({ brand, model, year, length }: Record<string, unknown>): string[][] {
  const make = [brand, model].filter((part) => typeof part === 'string' && part !== '').join(' ');
  return [
    ...(make === '' ? [] : [['Make', escapeLine(make)]]),
    ...(typeof year === 'number' ? [['Year', String(year)]] : []),
    ...(typeof length === 'number' ? [['Length', `${length} m`]] : []),
  ];
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= EXCERPT) return line;
  const cut = line.slice(0, EXCERPT);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), EXCERPT - 40)).toWellFormed()}…`;
}
