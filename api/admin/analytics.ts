import { addMilliseconds, DAY_MS, dayOf } from '../../shared/kit/clock.ts';
import { readFigures, type Count, type Figures } from '../../shared/tracking/figures.ts';
import { readFailedSearches, readSlowSearches } from '../../shared/tracking/search-trouble.ts';
import type { Handler } from '../handler.ts';

/** What happened on the last days, day by day (UTC), with the pages, searches and listings most looked at. */
export const getAnalytics: Handler<'getAnalytics'> = async (services, { query: { days = 30 } }) => {
  const { pool, clock, tracker, views, searchTerms } = services;
  // What this process has counted a moment ago is told, too.
  await Promise.all([tracker.flush(), views.flush(), searchTerms.flush()]);
  const now = clock.now();
  const range = Array.from({ length: days }, (_, n) => dayOf(addMilliseconds(now, (n + 1 - days) * DAY_MS)));
  const from = range[0] ?? dayOf(now);
  const [figuresOf, zeroHits, slowest] = await Promise.all([
    readFigures(pool, days, now),
    readFailedSearches(pool, from),
    readSlowSearches(pool, from),
  ]);
  const sums = ({ byDay }: Figures) => {
    const counts = range.map((date) => ({ date, count: byDay.get(date) ?? 0 }));
    return { total: counts.reduce((sum, { count }) => sum + count, 0), byDay: counts };
  };
  const top = <Name extends string>(name: Name, { top: counts }: Figures) =>
    counts.map((each: Count) => ({ [name]: each.name, count: each.count }) as Record<Name, string> & { count: number });
  const [searches, listingViews] = [figuresOf('search'), figuresOf('listing_view')];
  return {
    status: 200,
    body: {
      range: { days, from, to: dayOf(now) },
      pageViews: { ...sums(figuresOf('page_view')), topPaths: top('path', figuresOf('page_view')) },
      signups: sums(figuresOf('signup')),
      listingsCreated: sums(figuresOf('listing_created')),
      searches: { total: sums(searches).total, topQueries: top('query', searches), zeroHits, slowest },
      listingViews: { total: sums(listingViews).total, topListings: top('listing_id', listingViews) },
      generatedAt: now.toISOString(),
    },
  };
};
