import { CompiledQuery, sql } from 'kysely';
import { prepared } from '../../db/prepared.ts';
import type { Catalog } from '../catalog/tree.ts';
import { recordEvents, type NewEvent } from '../journal/events.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { filters, type Filter, type FilterKind } from '../search/filters.ts';
import type { NewsCandidate } from './find-news.ts';
import { BASE_CURRENCY } from '../rates/exchange-rates.ts';
import { readRatesWithin } from '../rates/stored-rates.ts';
import { nextDigestAt } from './digests.ts';
import { priceBand } from './filters.ts';

type Listing = {
  id: string;
  slug: string;
  title: string;
  category_id: string;
  price_amount: number;
  price_currency: string;
};
type Match = { saved_search_id: string; user_id: string; name: string; listing_id: string; reason: string };

/**
 * Percolation: finds the saved searches that these listings match, by the rules of the search, and stores each match once
 * per reason and price, with its event and the time of its mail. Owners are not told of their own listings. Answers how
 * many matches were new.
 */
export async function matchListings(
  tx: Tx,
  { catalog, jobs }: { catalog: Catalog; jobs: Pick<Jobs, 'enqueue'> },
  now: Date,
  candidates: readonly NewsCandidate[],
): Promise<number> {
  const listings = await lockActive(tx, candidates);
  const fresh = candidates.flatMap((candidate) => {
    const listing = listings.get(candidate.listing_id);
    const { previous_price: before } = candidate;
    if (!listing || (before !== undefined && listing.price_amount >= before)) return [];
    return [
      { ...candidate, path: catalog.everyIdAbove(listing.category_id), band: String(priceBand(listing.price_amount)) },
    ];
  });
  if (fresh.length === 0) return 0;
  const rates = { [BASE_CURRENCY]: 1, ...(await readRatesWithin(tx)).rates };
  // The cost of the pass is guessed far too high, and compiling it would take longer than running it.
  await sql`set local jit = off`.execute(tx);
  const keep = prepared(
    CompiledQuery.raw(keepMatches, [JSON.stringify(fresh), JSON.stringify(rates), now]) as CompiledQuery<Match>,
  );
  const { rows: matches } = await tx.executeQuery(keep);
  if (matches.length === 0) return 0;
  await setDue(tx, jobs, now, [...new Set(matches.map(({ saved_search_id: id }) => id))]);
  await recordEvents(tx, now, eventsOf(matches, listings));
  return matches.length;
}

/** The lock keeps them from being deleted before their matches are there. */
async function lockActive(tx: Tx, candidates: readonly NewsCandidate[]): Promise<Map<string, Listing>> {
  const rows = await tx
    .selectFrom('listings')
    .select(['id', 'slug', 'title', 'category_id', 'price_amount', 'price_currency'])
    .where('id', '=', sql<string>`any(${candidates.map(({ listing_id: id }) => id)}::text[])`)
    .where('status', '=', 'active')
    .orderBy('id')
    .forKeyShare()
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The texts among the attributes, as the search looks through them. */
const texts = `lower(jsonb_path_query_array(l.attributes, '$.*[*] ? (@.type() == "string")')::text)`;

const rows: readonly Filter[] = filters;
const plainKinds = new Set<FilterKind>(['any', 'flag', 'text', 'range', 'price', 'time']);
const plain = rows.filter(({ kind, savedSearch }) => savedSearch !== undefined && plainKinds.has(kind));

/** What the listings are like, with large values in line, so that they are not fetched again for every search; see keysOf for the keys. */
const freshListings = `
  select l.id, c.reason, c.previous_price, c.path, l.lat, l.lng, l.price_currency, ${plain.map(listingColumn).join(', ')},
    ${texts} as texts, l.attributes || '{}' as attributes, s.words || ''::tsvector as words,
    array(select 'w:' || word from unnest(tsvector_to_array(s.words)) as word)
      || array(select 'k:' || category || '/' || country || '/' || band from unnest(c.path || '{*}') as category,
        unnest(array[l.country, '*']) as country, unnest(array[c.band, '*']) as band)
      || array['s:' || l.seller_id, 'c:' || lower(l.city)] as keys
  from (select listing_id, reason, previous_price, band, array(select jsonb_array_elements_text(path)) as path
    from jsonb_to_recordset($1::jsonb) as r (listing_id text, reason text, previous_price float8, path jsonb, band text)) as c
  join listings l on l.id = c.listing_id join listing_search s on s.listing_id = l.id`;

function listingColumn({ column, kind }: Filter): string {
  return kind === 'text' ? `lower(l.${column}) as ${column}` : `l.${column}`;
}

/** The price of listing n in the currency of saved search f, to the cent; null without a rate. Rates are $2, units for one euro by code. */
const comparedPrice = `(case when f.price_currency is null or f.price_currency = n.price_currency then n.price_amount
    else round((n.price_amount / (($2::jsonb) ->> n.price_currency)::float8 * (($2::jsonb) ->> f.price_currency)::float8)::numeric, 2)::float8 end)`;

/** Saved search f fits listing n in one filter: the condition of the search the other way round. */
function fitsFilter({ name, kind, column, type, savedSearch: wanted }: Filter): string {
  if (name === 'category') return `(f.${wanted} is null or f.${wanted} && n.path)`;
  switch (kind) {
    case 'any':
      return `(f.${wanted} is null or n.${column} = any(f.${wanted}))`;
    case 'range':
      return `(f.min_${wanted} is null or coalesce(n.${column}::${type}, '-infinity') >= f.min_${wanted})
  and (f.max_${wanted} is null or coalesce(n.${column}::${type}, 'infinity') <= f.max_${wanted})`;
    case 'price':
      return `(f.${wanted}_low is null or ${comparedPrice} between f.${wanted}_low and f.${wanted}_high or (f.unpriced and n.${column} = 0))`;
    case 'time':
      return `(f.${wanted} is null or n.${column} >= f.${wanted})`;
    default:
      return `(f.${wanted} is null or f.${wanted} = n.${column})`;
  }
}

/** Of each filter that compares a column. */
const fitsPlainly = `f.user_id <> n.seller_id and ${plain.map(fitsFilter).join('\n  and ')}`;

/** The conditions that take longer. */
const fitsClosely = `(f.near_km is null or (abs(n.lat - f.near_lat) * 111 <= f.near_km + 0.001
    and distance_km(n.lat, n.lng, f.near_lat, f.near_lng) <= f.near_km))
  and (f.west is null or (n.lat between f.south and f.north
    and case when f.west <= f.east then n.lng between f.west and f.east else n.lng >= f.west or n.lng <= f.east end))
  and (f.attribute_text is null or strpos(n.texts, f.attribute_text) > 0)
  and (f.words is null or n.words @@ f.words)
  and (f.attributes is null or n.attributes @@ f.attributes)`;

/** `case` fixes the order of evaluation, which the planner would choose by guessed costs. */
const fits = `case when ${fitsPlainly} then ${fitsClosely} else false end`;

/**
 * Pairs of a listing n (table `fresh`) and a matching saved search: one index lookup of keys per listing. A pair may come
 * twice.
 */
export const matchingPairs = `fresh n cross join lateral (
  select f.saved_search_id from saved_search_filters f where f.key = any(n.keys) and ${fits} offset 0) as f`;

/** $1 are the candidates with the paths of their categories and the bands of their prices, $2 the exchange rates. */
export const newsTable = `fresh as materialized (${freshListings})`;

/** Searches are locked, so that none is deleted and no digest of it is made up meanwhile. */
const keepMatches = `with ${newsTable},
  found as (
    select f.saved_search_id, n.id as listing_id, n.reason, n.price_amount, n.previous_price
    from ${matchingPairs} join saved_searches s on s.id = f.saved_search_id
    where s.notify <> 'off' for key share of s),
  kept as (
    insert into saved_search_matches (saved_search_id, listing_id, reason, price, previous_price, matched_at)
    select saved_search_id, listing_id, reason, price_amount, previous_price, $3 from found order by saved_search_id, listing_id
    on conflict do nothing returning saved_search_id, listing_id, reason)
  select kept.*, s.user_id, s.name from kept join saved_searches s on s.id = kept.saved_search_id`;

/** A statement of its own: it sees what a digest has left that was made up until the lock was free. */
async function setDue(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, now: Date, ids: string[]): Promise<void> {
  // In one order, so that two of these wait for each other rather than deadlock.
  const idle = tx
    .selectFrom('saved_searches')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .where('due_at', 'is', null)
    .where('notify', '<>', 'off')
    .orderBy('id')
    .forNoKeyUpdate();
  const instant = nextDigestAt('instant', now);
  const due_at = sql<Date>`case notify when 'instant' then ${instant}::timestamptz
    when 'weekly' then ${nextDigestAt('weekly', now)}::timestamptz else ${nextDigestAt('daily', now)}::timestamptz end`;
  const set = tx.updateTable('saved_searches').set({ due_at }).where('id', 'in', idle).returning('notify');
  const isInstant = (await set.execute()).some(({ notify }) => notify === 'instant');
  // The others are found by those that the clock sends.
  if (isInstant) await jobs.enqueue(tx, 'send-digests', {}, { key: instant.toISOString(), startAfter: instant });
}

/** One event per saved search, with all listings that were found for it at once. */
function eventsOf(matches: readonly Match[], listings: ReadonlyMap<string, Listing>): NewEvent[] {
  return [...Map.groupBy(matches, (match) => match.saved_search_id)].flatMap(([id, own]) => {
    const { user_id: ownerId, name } = own[0]!;
    const found = own.flatMap(({ listing_id, reason }) => {
      const listing = listings.get(listing_id);
      if (!listing) return [];
      const { slug, title, price_amount: amount, price_currency: currency } = listing;
      return [{ listing_id, slug, title, reason, price: { amount, currency } }];
    });
    return [
      { type: 'saved_search.matched', subject: id, ownerId, data: { saved_search_id: id, name, matches: found } },
    ];
  });
}
