import { isDeepStrictEqual } from 'node:util';

/** One earlier price of a listing, as boat.price_history holds it; the date is YYYY-MM-DD. */
export type PricePoint = { date: string; amount: number; currency: string };

export type Boat = Record<string, unknown>;

const MAX_HISTORY = 1_000;

/** The boat with one more earlier price; a listing without a boat gets one that holds nothing else. */
export function withEarlierPrice(boat: Boat | null, point: PricePoint): Boat {
  return { ...boat, price_history: mergePrices(pricesOf(boat), [point]) };
}

/**
 * The boat that was sent, else the one that is known, with the earlier prices that the service knows and those that it adds.
 * What the service alone writes is not taken from what was sent. A boat of which nothing is left is null.
 */
export function replaceBoat(
  known: Boat | null,
  sent: Boat | undefined,
  prices: readonly PricePoint[] = [],
): Boat | null {
  const history = mergePrices(pricesOf(known), prices);
  const { price_history: _, ...facts } = sent ? withoutProvenance(sent) : (known ?? {});
  const boat = history.length > 0 ? { ...facts, price_history: history } : facts;
  return Object.keys(boat).length > 0 ? boat : null;
}

/** The part of a boat that its client may say: earlier prices, sources and words for search engines are the service's. */
function withoutProvenance({ price_history: _history, source: _source, seo: _seo, ...facts }: Boat): Boat {
  return facts;
}

/** What a boat is read with: the listing it belongs to. */
type BoatListing = { boat: Boat | null; type: string; condition: string; status: string };

/**
 * A boat as its listing answers it, before sources and rewritten texts. Where it repeats what the listing itself says it says
 * the same as the listing, but for a draft, which is still as it was sent. What has only earlier prices need not be a boat.
 */
export function readBoat({ boat, type, condition, status }: BoatListing): Boat {
  const sent = boat ?? {};
  return {
    ...(Object.keys(sent).some((key) => key !== 'price_history') && { type: 'boat' }),
    ...sent,
    ...(status !== 'draft' && {
      ...(sent['listing_type'] !== undefined && { listing_type: type }),
      ...(sent['condition'] !== undefined && { condition }),
      ...(sent['status'] !== undefined && { status }),
    }),
  };
}

/** True for a boat that says what its listing answers already. */
export function repeatsBoat(sent: Boat, listing: BoatListing): boolean {
  return isDeepStrictEqual(withoutProvenance(sent), withoutProvenance(readBoat(listing)));
}

/** Oldest first, each day and amount once, the newest thousand. */
function mergePrices(known: readonly PricePoint[], added: readonly PricePoint[]): PricePoint[] {
  const points = new Map(
    [...known, ...added].map((point) => [`${point.date} ${point.amount} ${point.currency}`, point]),
  );
  return [...points.values()].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)).slice(-MAX_HISTORY);
}

/** The earlier prices of a listing. */
export function pricesOf(boat: Boat | null | undefined): PricePoint[] {
  return (boat?.['price_history'] ?? []) as PricePoint[];
}
