import type { Links } from '../http/links.ts';
import type { PerformAs } from '../http/perform.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Services } from '../services.ts';
import type { Listing, ListingItem } from './present.ts';

const MAX_SIMILAR = 4;
const CANDIDATES = '60';

type Reader = { services: Services; locale: Locale; links: Links; perform: PerformAs };

/**
 * Nearest neighbours of a listing among the newest of its category, by brand, price, length and year; what is read of a category
 * serves its listings for half a minute, as a page in the cache does.
 */
export async function findSimilar(reader: Reader, listing: Listing): Promise<ListingItem[]> {
  const candidates = await readCandidates(reader, listing.category.id);
  return candidates
    .filter(({ id }) => id !== listing.id)
    .map((item) => ({ item, distance: distanceOf(listing, item) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, MAX_SIMILAR)
    .map(({ item }) => item);
}

async function readCandidates(reader: Reader, category: string): Promise<ListingItem[]> {
  const { locale, links } = reader;
  const known = reader.services.pageCaches.similar;
  const key = `${category} ${locale} ${links.base}`;
  const found = known.get(key);
  if (found) return found;
  const reading = reader
    .perform('searchListings', { query: { category, type: 'sale', sort: 'newest', limit: CANDIDATES } })
    .then(({ body }) => body.results);
  known.set(key, reading);
  // What could not be read is read again by whoever comes next.
  reading.catch(() => known.delete(key));
  return reading;
}

/** How far two listings are apart: another brand counts as much as e times the price. */
function distanceOf(one: Listing, other: ListingItem): number {
  const [a, b] = [one.attributes, other.attributes] as Record<string, unknown>[];
  const brands = typeof a?.brand === 'string' && a.brand === b?.brand ? 0 : 1;
  const isComparable = one.price.currency === other.price.currency;
  return (
    brands +
    (isComparable ? ratio(one.price.amount, other.price.amount) : 1) +
    ratio(a?.length, b?.length) +
    Math.min(1, Math.abs(numberOf(a?.year) - numberOf(b?.year)) / 20)
  );
}

/** The logarithm of how many times one is the other, 1 at most and where one is unknown. */
function ratio(one: unknown, other: unknown): number {
  const [a, b] = [numberOf(one), numberOf(other)];
  return a > 0 && b > 0 ? Math.min(1, Math.abs(Math.log(a / b))) : 1;
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);
