import type { JournalEntry } from '../journal/reader.ts';
import { convertAmount, type ExchangeRates } from '../rates/exchange-rates.ts';
import { readRatesWithin } from '../rates/stored-rates.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';

/** A listing that may be news, and why; `previous_price` is what its price has dropped from. */
export type NewsCandidate = { listing_id: string; reason: 'new' | 'price_drop'; previous_price?: number };

type Price = { amount: number; currency: string };

/** Listings per transaction: others wait for it. */
const CHUNK = 20;

/** Queues matching, in the reader's transaction, of the listings that these events made public or cheaper. */
export async function queueMatching(
  { jobs }: { jobs: Pick<Jobs, 'enqueueAll'> },
  tx: Tx,
  events: readonly JournalEntry[],
): Promise<void> {
  const candidates = findNews(events, await readRatesWithin(tx));
  const chunks = Array.from({ length: Math.ceil(candidates.length / CHUNK) }, (_, index) => ({
    payload: { candidates: candidates.slice(index * CHUNK, (index + 1) * CHUNK) },
  }));
  await jobs.enqueueAll(tx, 'match-saved-searches', chunks);
}

/** Finds the news in events, one per listing: what became public is new, whatever its price did. */
export function findNews(
  events: readonly Pick<JournalEntry, 'type' | 'subject' | 'data' | 'previous'>[],
  rates: ExchangeRates,
): NewsCandidate[] {
  const found = new Map<string, NewsCandidate>();
  for (const { type, subject, data, previous } of events) {
    const isPublished = type === 'listing.published';
    const isBack = type === 'listing.updated' && data['status'] === 'active' && previous?.['status'] !== undefined;
    const dropped = type === 'listing.updated' ? readDrop(data, previous, rates) : undefined;
    const known = found.get(subject);
    if (isPublished || isBack) found.set(subject, { listing_id: subject, reason: 'new' });
    else if (dropped !== undefined && known?.reason !== 'new') {
      const previous_price = Math.max(dropped, known?.previous_price ?? 0);
      found.set(subject, { listing_id: subject, reason: 'price_drop', previous_price });
    }
  }
  return [...found.values()];
}

/**
 * The price that a lower one has taken the place of, converted when it was in another currency; no price at all (0) is neither
 * lower nor higher, and neither is one that cannot be converted.
 */
function readDrop(
  data: JournalEntry['data'],
  previous: JournalEntry['previous'],
  rates: ExchangeRates,
): number | undefined {
  const now = data['price'] as Price | undefined;
  const before = previous?.['price'] as Price | undefined;
  if (!now || !before || now.amount <= 0) return undefined;
  const amount = convertAmount(rates, before.amount, before.currency, now.currency);
  return amount !== undefined && now.amount < amount ? amount : undefined;
}
