import type { Database } from '../../db/client.ts';
import { readPageClaims, type PageClaim } from '../../shared/ingest/page-claims.ts';
import type { ListingItem } from './present.ts';

type Claimable = { id: string; meta: ListingItem['meta'] };

/** Listings as administrators are shown them: scraped ones with all who have ingested the same page. */
export async function withAllPageClaims<T extends Claimable>(db: Database, listings: readonly T[]): Promise<T[]> {
  const scraped = listings.filter(({ meta }) => meta.source === 'scraped').map(({ id }) => id);
  const claims = scraped.length > 0 ? await readPageClaims(db, scraped) : new Map<string, PageClaim[]>();
  return listings.map((listing) => {
    const claimed_by = claims.get(listing.id) as ListingItem['meta']['claimed_by'];
    return claimed_by ? { ...listing, meta: { ...listing.meta, claimed_by } } : listing;
  });
}

/** As withAllPageClaims, for one listing. */
export async function withPageClaims<T extends Claimable>(db: Database, listing: T): Promise<T> {
  const [shown = listing] = await withAllPageClaims(db, [listing]);
  return shown;
}
