import { readScrapeStats } from '../../shared/admin/nautical.ts';
import { addMilliseconds, DAY_MS } from '../../shared/kit/clock.ts';
import { findListingsOfAll } from '../../shared/search/of-all.ts';
import { dayOf } from '../../shared/kit/clock.ts';
import { readFigures } from '../../shared/tracking/figures.ts';
import type { Handler } from '../handler.ts';
import { withAllPageClaims } from '../listings/page-claims.ts';
import { presentCard, viewOf } from '../listings/present.ts';
import { readSlowFigures } from './figures.ts';

/** What is on offer now, and at what prices. */
export const getNauticalAnalytics: Handler<'getNauticalAnalytics'> = async (services) => ({
  status: 200,
  body: await readSlowFigures(services, 'nautical'),
});

const tracked = {
  page_views: 'page_view',
  signups: 'signup',
  listings_created: 'listing_created',
  searches: 'search',
  listing_views: 'listing_view',
} as const;

/** The figures of the analytics, a row per day. */
export const getNauticalTracking: Handler<'getNauticalTracking'> = async (services, { query: { days = 30 } }) => {
  const { pool, clock, tracker, views, searchTerms } = services;
  // What this process has counted a moment ago is told, too.
  await Promise.all([tracker.flush(), views.flush(), searchTerms.flush()]);
  const now = clock.now();
  const figuresOf = await readFigures(pool, days, now);
  const countsOn = (date: string) => {
    const count = (name: keyof typeof tracked) => figuresOf(tracked[name]).byDay.get(date) ?? 0;
    return {
      page_views: count('page_views'),
      signups: count('signups'),
      listings_created: count('listings_created'),
      searches: count('searches'),
      listing_views: count('listing_views'),
    };
  };
  const by_day = Array.from({ length: days }, (_, n) => dayOf(addMilliseconds(now, (n + 1 - days) * DAY_MS))).map(
    (date) => ({ date, ...countsOn(date) }),
  );
  const totals = { page_views: 0, signups: 0, listings_created: 0, searches: 0, listing_views: 0 };
  for (const day of by_day)
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += day[name];
  const range = { days, from: by_day[0]?.date ?? dayOf(now), to: dayOf(now) };
  return { status: 200, body: { generated_at: now.toISOString(), range, totals, by_day } };
};

/** Scraped listings, and what the runs of the last 30 days have brought. */
export const getScrapeStats: Handler<'getScrapeStats'> = async ({ pool, clock }) => {
  const now = clock.now();
  const { by_site, ...stats } = await readScrapeStats(pool, now);
  const sites = by_site.map((site) => ({ ...site, last_scraped_at: site.last_scraped_at.toISOString() }));
  return { status: 200, body: { generated_at: now.toISOString(), ...stats, by_site: sites } };
};

const allButDeleted = ['draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'suspended'];

/** One page of everybody's listings in any status, the last created first. */
export const listNauticalListings: Handler<'listNauticalListings'> = async (services, request) => {
  const { status, source, category, site, page = 1, limit = 20 } = request.query;
  const { locale } = request;
  const filter = {
    statuses: status === undefined ? allButDeleted : [status],
    source,
    categoryIds: category === undefined ? undefined : services.catalog.descendantIds(category),
    site: site?.toLowerCase(),
  };
  const { rows, total } = await findListingsOfAll(services.db, filter, { offset: (page - 1) * limit, limit, locale });
  const view = viewOf(services, request);
  const body = {
    results: await withAllPageClaims(
      services.db,
      rows.map((row) => presentCard(row, view)),
    ),
    pagination: { page, limit, total, pages: Math.ceil(total / limit) },
  };
  return { status: 200, body, headers: { 'Content-Language': locale, Vary: 'Accept-Language' } };
};
