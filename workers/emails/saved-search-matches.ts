import { sql } from 'kysely';
import { z } from 'zod';
import { signUnsubscribe } from '../../shared/accounts/unsubscribe-token.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import { shownRewrite, type StoredImage } from '../../shared/listings/card.ts';
import { outgoingLocale } from '../../shared/profiles/locale.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import { toQueryString, type SavedQuery } from '../../shared/saved-searches/query.ts';
import type { WorkerServices } from '../services.ts';
import { cardFields, formatAmount, imageUrlOf, toCard, sampleImage } from './card.ts';
import type { Message } from './layout.ts';
import { savedSearchWords } from './saved-search-words.ts';

const MAX_SHOWN = 10;

const reference = z.object({ saved_search_id: z.string(), notified_at: z.iso.datetime() });
const link = z.url({ protocol: /^https?$/ });
const listing = cardFields.extend({
  url: link,
  /** Of a listing that has become cheaper: what it has cost. */
  previous_amount: z.number().nullable(),
});
const fields = z.object({
  name: z.string(),
  count: z.int(),
  search_url: link,
  unsubscribe_token: z.string(),
  listings: z.array(listing).min(1),
});

type Found = Omit<z.infer<typeof listing>, 'url' | 'image_url'> & {
  slug: string;
  images: StoredImage[];
  count: number;
};

/** The news of `{saved_search_id, notified_at}` that can still be read; null when none can, or nobody wants them any more. */
export async function loadSavedSearchMatches(
  { db, config }: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
  userId: string,
): Promise<Record<string, unknown> | null> {
  const { saved_search_id: id, notified_at: at } = reference.parse(data);
  const search = await db
    .selectFrom('saved_searches as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.name', 's.query_params', 'u.language'])
    .where('s.id', '=', id)
    .where('s.user_id', '=', userId)
    .where('s.notify', '<>', 'off')
    .executeTakeFirst();
  if (!search) return null;
  const { rows } = await sql<Found>`
    select coalesce(r.title, l.title) as title, l.slug, l.city as place, l.images, l.price_amount as amount, l.price_currency as currency,
      m.previous_price as previous_amount, count(*) over ()::int as count
    from (
      select distinct on (listing_id) listing_id, previous_price, matched_at from saved_search_matches
      where saved_search_id = ${id} and notified_at = ${at} order by listing_id, matched_at desc,
        previous_price desc nulls last) as m
    join listings l on l.id = m.listing_id and l.status = 'active'
    left join listing_rewrites r on r.listing_id = l.id and r.locale = ${outgoingLocale(search.language)}
      and ${sql.raw(shownRewrite('r'))}
    order by m.matched_at desc, l.id desc limit ${MAX_SHOWN}`.execute(db);
  const listings = rows.map(({ slug, images, ...row }) => ({
    ...row,
    image_url: imageUrlOf(images, config, 'thumbnail'),
    url: urlTo(config.site, 'listing', { slug }),
  }));
  const [first] = rows;
  if (!first) return null;
  return {
    name: search.name,
    count: first.count,
    search_url: urlTo(config.site, 'search', queryOf(search.query_params as SavedQuery)),
    unsubscribe_token: signUnsubscribe(config.jwtSecrets, { kind: 'saved_search', id }),
    listings,
  };
}

const queryOf = (query: SavedQuery) => Object.fromEntries(new URLSearchParams(toQueryString(query)));

/** Tells what was found for a saved search: `{name, count, listings, search_url, unsubscribe_token}`. */
export function renderSavedSearchMatches(data: Record<string, unknown>, locale: Locale): Message {
  const { name, count, listings, search_url, unsubscribe_token: unsubscribeToken } = fields.parse(data);
  const words = savedSearchWords[locale];
  const shown = listings.map((each) => {
    const card = toCard(each, locale);
    return { link: each.url, label: card.title, card: { ...card, price: describePrice(each, card.price, locale) } };
  });
  const parts = [{ paragraph: words.intro(name, count) }, ...shown, { link: search_url, label: words.all }];
  return { subject: words.subject(name, count), parts, unsubscribeToken };
}

function describePrice(
  { amount, currency, previous_amount: before }: z.infer<typeof listing>,
  price: string,
  locale: Locale,
): string {
  const isCheaper = before !== null && amount > 0 && amount < before;
  return isCheaper ? savedSearchWords[locale].reduced(price, formatAmount(locale, before, currency)) : price;
}

/** What previews and tests show. */
export const sampleMatches = {
  name: 'Cruisers near Kiel',
  count: 12,
  search_url: 'https://boats.example.com/search?category=cruising&near=54.32%2C10.14',
  unsubscribe_token: 'saved_search.svs_01K6QA1B2C3D4E5F6G7H8J9K0M.x',
  listings: [
    {
      title: 'Hallberg-Rassy 36 Mk II',
      url: 'https://boats.example.com/listings/hallberg-rassy-36-mk-ii',
      image_url: sampleImage,
      place: 'Flensburg',
      amount: 118_000,
      currency: 'EUR',
      previous_amount: 129_500,
    },
    {
      title: 'Bavaria 37 Cruiser',
      url: 'https://boats.example.com/listings/bavaria-37-cruiser',
      place: 'Kiel',
      amount: 0,
      currency: 'EUR',
      previous_amount: null,
    },
  ],
};
