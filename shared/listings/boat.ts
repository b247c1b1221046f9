/** One earlier price of a listing, as boat.price_history holds it; the date is YYYY-MM-DD. */
export type PricePoint = { date: string; amount: number; currency: string };

export type Boat = Record<string, unknown>;

const LONGEST_HISTORY = 1_000;

/** The boat with one more earlier price; a listing without a boat gets one that holds nothing else. */
export function withEarlierPrice(boat: Boat | null, point: PricePoint): Boat {
  return { ...boat, price_history: mergePrices(pricesOf(boat), [point]) };
}

/** A boat as it reads now, with the earlier prices that either of the two knows and those that came with the price. */
export function replaceBoat(
  known: Boat | null,
  sent: Boat | undefined,
  prices: readonly PricePoint[] = [],
): Boat | null {
  const history = mergePrices(pricesOf(known), [...pricesOf(sent ?? null), ...prices]);
  const boat = sent ?? known;
  return history.length > 0 ? { ...boat, price_history: history } : boat;
}

/** Oldest first, each day and amount once, the newest thousand. */
function mergePrices(known: readonly PricePoint[], added: readonly PricePoint[]): PricePoint[] {
  const points = new Map(
    [...known, ...added].map((point) => [`${point.date} ${point.amount} ${point.currency}`, point]),
  );
  return [...points.values()].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)).slice(-LONGEST_HISTORY);
}

function pricesOf(boat: Boat | null): PricePoint[] {
  return (boat?.['price_history'] ?? []) as PricePoint[];
}
