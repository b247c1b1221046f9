import { Document, isCollection } from 'yaml';
import type { Catalog } from '../../shared/catalog/tree.ts';
import type { Links } from '../http/links.ts';
import { escapeBlock, escapeLine } from './markdown-escape.ts';
import type { Listing, ListingItem } from './present.ts';
import { readSpecifications } from './specifications.ts';

export const MARKDOWN = 'text/markdown; charset=utf-8';

/** How much of a description a catalog shows, in characters. */
const EXCERPT = 280;

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
    `---\n${frontMatter(listing)}---`,
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
export function renderCatalog({ results, pagination, warnings = [] }: Catalogue, links: Links): string {
  const { page, pages, total } = pagination;
  return [
    '# Listings',
    total === 0
      ? 'No listings match.'
      : `Page ${page} of ${pages}, ${total} ${total === 1 ? 'listing' : 'listings'} in all.`,
    ...warnings.map((warning) => `Note: ${escapeLine(warning)}`),
    ...results.flatMap((listing) => renderEntry(listing, links)),
  ]
    .join('\n\n')
    .concat('\n');
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

/** The keys that the interface lists, no others. Strings that a reader of YAML 1.1 would take for something else are quoted. */
function frontMatter({
  id,
  slug,
  title,
  price,
  condition,
  type,
  status,
  category,
  location,
  seller,
  images,
  tags,
}: Listing): string {
  const facts = {
    id,
    slug,
    title,
    price: price.amount,
    currency: price.currency,
    negotiable: price.negotiable,
    condition,
    type,
    status,
    category: { id: category.id, name: category.name, path: category.path },
    location: { country: location.country, city: location.city, shipping: location.shipping },
    seller: {
      id: seller.id,
      name: seller.name,
      type: seller.type,
      verified: seller.verified,
      member_since: seller.member_since,
    },
    images: images.map(({ url, alt }) => (alt === undefined ? { url } : { url, alt })),
    tags,
  };
  const document = new Document(facts, { version: '1.1', aliasDuplicateObjects: false });
  for (const path of [['category', 'path'], ['tags']]) {
    const list = document.getIn(path, true);
    if (isCollection(list)) list.flow = true;
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false, directives: false });
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= EXCERPT) return line;
  const cut = line.slice(0, EXCERPT);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), EXCERPT - 40)).toWellFormed()}…`;
}
