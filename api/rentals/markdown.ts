import type { Links } from '../http/links.ts';
import type { Result } from '../http/types.ts';
import { renderFacts } from '../listings/front-matter.ts';
import { renderCatalogPage, renderPhoto, type Query } from '../listings/markdown-catalog.ts';
import { escapeBlock, escapeLine } from '../listings/markdown-escape.ts';
import type { Rental, RentalItem } from './present.ts';

/** One rental as Markdown: YAML front matter with the facts, then the sections Description and Booked times. */
export function renderRental({ description, unavailable, images, ...rental }: Rental): string {
  const facts = {
    id: rental.id,
    slug: rental.slug,
    title: rental.title,
    boat_type: rental.boat_type,
    price_per_day: rental.price_per_day,
    currency: rental.currency,
    status: rental.status,
    location: rental.location,
    availability: rental.availability,
    owner: rental.owner,
    images: images.map(({ url, alt }) => (alt === undefined ? { url } : { url, alt })),
  };
  const booked = unavailable.map(({ from, to }) => `- ${from} to ${to}`);
  return [
    `---\n${renderFacts(facts)}---`,
    '## Description',
    escapeBlock(description),
    '## Booked times',
    booked.length > 0 ? booked.join('\n') : 'None.',
  ]
    .join('\n\n')
    .concat('\n');
}

/** A page of rentals as a Markdown catalog, each with a link to its own page. */
export function renderRentals(
  { results, pagination }: Result<'listMyRentals', 200>,
  query: Query,
  links: Links,
): string {
  const catalog = {
    title: 'Boats for rent',
    names: ['rental', 'rentals'] as const,
    path: '/api/rentals.md',
    query,
    pagination,
    entries: results.flatMap((rental) => renderEntry(rental, links)),
  };
  return renderCatalogPage(catalog, links);
}

function renderEntry(rental: RentalItem, links: Links): string[] {
  const { price_per_day, currency, boat_type, location, availability } = rental;
  const place = [location.city, location.region, location.country].filter((part) => part !== undefined);
  const facts = [
    ['Price', `${price_per_day} ${currency} per day`],
    ['Boat type', escapeLine(boat_type)],
    ['Location', escapeLine(place.join(', '))],
    ['Available', `${availability.available_from} to ${availability.available_to}`],
    ...renderPhoto(rental.images),
  ];
  return [
    `## [${escapeLine(rental.title)}](${links.base}/api/rentals/${rental.slug}.md)`,
    facts.map(([label, value]) => `- **${label}**: ${value}`).join('\n'),
  ];
}
