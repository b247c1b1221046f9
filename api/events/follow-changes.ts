import type { Pool } from 'pg';
import type { LiveMarketplace } from '../../shared/catalog/marketplace.ts';
import { followJournal, type Follower } from '../../shared/journal/follower.ts';
import type { Logger } from '../../shared/kit/log.ts';
import type { CurrentRates } from '../../shared/rates/current-rates.ts';
import type { Searcher } from '../../shared/search/engine.ts';
import type { Reads } from '../http/read-database.ts';
import type { RecentRequests } from '../http/recent-requests.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import type { Subscriptions } from './subscriptions.ts';

type Followers = {
  config: { directDatabaseUrl: string };
  pool: Pool;
  log: Logger;
  subscriptions: Subscriptions;
  reads: Reads;
  searcher: Searcher;
  cache: ResponseCache;
  recentRequests: RecentRequests;
  rates: CurrentRates;
  marketplace: LiveMarketplace;
};

/** Follows the journal: whatever this process keeps or streams of what has changed hears of it, whichever process changed it. */
export async function followChanges(followers: Followers): Promise<Follower> {
  const { config, pool, log, subscriptions, reads, searcher, cache, recentRequests, rates, marketplace } = followers;
  return followJournal(
    { directDatabaseUrl: config.directDatabaseUrl, pool, log },
    async (events) => {
      subscriptions.notify(events);
      await reads.noteCommit();
      const changes = events.filter((event) => event.type.startsWith('listing.'));
      const listings = changes.map((event) => event.subject);
      if (changes.length > 0) searcher.noteChanges(changes.flatMap(({ owner_id: owner }) => owner ?? []));
      const rentals = events.filter((event) => event.type === 'rental.changed').map((event) => event.subject);
      if (listings.length > 0) cache.invalidate({ listings });
      if (rentals.length > 0) cache.invalidate({ rentals });
      // Any cached answer may show the user's name, as that of a seller.
      if (events.some((event) => event.type === 'user.changed' || event.type === 'user.left')) cache.clear();
      if (events.some((event) => event.type === 'user.left')) recentRequests.forget();
      if (events.some((event) => event.type === 'rates.changed')) {
        rates.forget();
        cache.clear();
      }
      if (events.some((event) => event.type === 'marketplace.changed'))
        marketplace.refresh().catch((error: unknown) => log.warn({ err: error }, 'the settings could not be read'));
    },
    () => {
      subscriptions.notifyAll();
      searcher.noteGap();
      reads.doubt();
      cache.clear();
    },
  );
}
