import { sql } from 'kysely';
import type { Tx } from '../jobs.ts';
import { HOT_KEY } from './blocking.ts';
import { keysOf } from './keys.ts';
import { wordsOf } from './look.ts';
import { copyOf, printOf, shelfOf, type Print, type Subject } from './print.ts';

/** A word of so many listings needs no more counting, and its row no more locking. */
const COMMON = 5_000;
/** A word of so many listings is no key: it would find nobody. */
const NO_KEY_FROM = 2 * HOT_KEY;

type Row = Omit<Subject, 'price' | 'place' | 'pictures'> & {
  version: number;
  known: number | null;
  price_amount: number;
  price_currency: string;
  country: string;
  city: string;
  lat: number | null;
  lng: number | null;
  pictures: string[] | null;
};

/**
 * Brings the prints and keys of these listings up to date, as far as they are offered or drafts; those of others are removed.
 * Answers how many have changed. Listings are told apart by whoever offers them: the site they are from, else the seller.
 */
export async function refreshPrints(tx: Tx, listingIds: readonly string[]): Promise<number> {
  const rows = await readStale(tx, listingIds);
  await sql`delete from dedup_prints p using listings l where p.listing_id = any(${listingIds}::text[]) and l.id = p.listing_id
    and l.status not in ('draft', 'active', 'paused')`.execute(tx);
  if (rows.length === 0) return 0;
  const prints = rows.map((row) => ({ row, print: printOf(toSubject(row)) }));
  await countWords(
    tx,
    prints.filter(({ row }) => row.known === null).map(({ print }) => print),
  );
  const common = await findCommon(
    tx,
    prints.flatMap(({ print }) => print.title.words),
  );
  await sql`delete from dedup_keys where listing_id = any(${rows.map(({ id }) => id)}::text[])`.execute(tx);
  const keys = prints.flatMap(({ print }) =>
    keysOf(print).flatMap((key) => (common.has(key) ? [] : [{ key, listing_id: print.id }])),
  );
  await sql`insert into dedup_keys (key, listing_id)
    select key, listing_id from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k (key text, listing_id text)
    order by key collate "C", listing_id collate "C" on conflict do nothing`.execute(tx);
  const written = prints.map(({ row, print }) => {
    const { type, serial, year, length_m } = print;
    const [shelf, copy] = [shelfOf(print), copyOf(print)];
    return { listing_id: print.id, version: row.version, print, type, serial, year, length_m, shelf, copy };
  });
  await sql`insert into dedup_prints (listing_id, version, print, type, serial, year, length_m, shelf, copy)
    select listing_id, version, print, type, serial, year, length_m, shelf, copy from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
      as p (listing_id text, version int, print jsonb, type text, serial text, year int, length_m float8, shelf text, copy text)
    order by listing_id collate "C"
    on conflict (listing_id) do update set (version, print, type, serial, year, length_m, shelf, copy) =
      (excluded.version, excluded.print, excluded.type, excluded.serial, excluded.year, excluded.length_m, excluded.shelf, excluded.copy)`.execute(
    tx,
  );
  return rows.length;
}

async function readStale(tx: Tx, listingIds: readonly string[]): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select l.id, l.title, l.description, l.version, p.version as known, coalesce('site:' || s.site, l.seller_id) as source,
      l.category_id as category, l.type, l.condition, l.attributes->>'brand' as brand, l.attributes->>'model' as model,
      l.boat->>'hull_id' as serial, l.year, l.length_m, l.price_amount, l.price_currency, l.country, l.city, l.lat, l.lng,
      (select array_agg(lpad(to_hex(i.dhash), 16, '0') order by i.sha256) from picture_uses u join images i using (sha256)
       where u.subject = l.id) as pictures
    from listings l left join listing_sources s on s.listing_id = l.id left join dedup_prints p on p.listing_id = l.id
    where l.id = any(${listingIds}::text[]) and l.status in ('draft', 'active', 'paused') and p.version is distinct from l.version
    order by l.id`.execute(tx);
  return rows;
}

function toSubject(row: Row): Subject {
  const { price_amount: amount, price_currency: currency, country, city, lat, lng, pictures } = row;
  const { id, title, description, source, category, type, condition, brand, model, serial, year, length_m } = row;
  return {
    ...known({ id, title, description, source, category, type, condition, brand, model, serial, year, length_m }),
    ...(amount > 0 && { price: { amount, currency } }),
    place: { country, city, ...(lat !== null && lng !== null && { lat, lng }) },
    pictures: pictures ?? [],
  };
}

const known = <Facts extends object>(facts: Facts) =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as Facts;

async function countWords(tx: Tx, prints: readonly Print[]): Promise<void> {
  const uses = new Map<string, number>();
  for (const print of prints) for (const word of wordsOf(print)) uses.set(word, (uses.get(word) ?? 0) + 1);
  const counted = [...uses].map(([word, listings]) => ({ word, listings }));
  await sql`insert into dedup_words as known (word, listings)
    select u.word, u.listings from jsonb_to_recordset(${JSON.stringify(counted)}::jsonb) as u (word text, listings int)
    where not exists (select 1 from dedup_words k where k.word = u.word and k.listings >= ${COMMON})
    order by u.word collate "C"
    on conflict (word) do update set listings = known.listings + excluded.listings`.execute(tx);
}

/** The keys of words that are in too many listings. */
async function findCommon(tx: Tx, words: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ word: string }>`
    select word from dedup_words where word = any(${[...new Set(words)]}::text[]) and listings > ${NO_KEY_FROM}`.execute(
    tx,
  );
  return new Set(rows.map(({ word }) => `w:${word}`));
}
