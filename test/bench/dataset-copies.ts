import type { Pool, PoolClient } from 'pg';

/** What a row of a copy has in place of the original's value: SQL in which `k` is the number of the copy. */
type Changes = Record<string, string>;

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Two digits of the random part of a ULID, moved on by k below 1,024: a bijection, so copies never meet. Times stay, and with them the order. */
const FIRST_RANDOM = 'lst_'.length + 10 + 1;
const copiedId = (column: string) =>
  `overlay(${column} placing ${movedDigit(column, FIRST_RANDOM, 'k % 32')} || ${movedDigit(column, FIRST_RANDOM + 1, 'k / 32')} from ${FIRST_RANDOM})`;
const movedDigit = (column: string, at: number, by: string) =>
  `substr('${ALPHABET}', 1 + (strpos('${ALPHABET}', substr(${column}, ${at}, 1)) - 1 + ${by}) % 32, 1)`;
const later = (column: string) => `${column} + k * interval '7 minutes'`;

/** Slim copies have one image and a short text, and are neither suggested nor compared: what lists and searches read is whole. */
const slimmed: Changes = { description: 'left(description, 60)', images: `jsonb_path_query_array(images, '$[0]')` };
const onlyWhole = new Set(['suggestion_titles', 'listing_prices']);

/** Tables with rows for each listing. */
const copied: Record<string, Changes> = {
  listings: {
    id: copiedId('id'),
    slug: `slug || '-' || k`,
    price_amount: 'round(price_amount * (1 + k / 50.0))',
    created_at: later('created_at'),
    updated_at: later('updated_at'),
    published_at: later('published_at'),
    expires_at: `greatest(expires_at, now() + interval '1 year')`,
  },
  listing_search: {
    listing_id: copiedId('listing_id'),
    price_amount: 'round(price_amount * (1 + k / 50.0))',
    sort_at: later('sort_at'),
  },
  listing_prices: { listing_id: copiedId('listing_id'), price: 'round(price * (1 + k / 50.0))' },
  listing_views: { listing_id: copiedId('listing_id') },
  suggestion_titles: { listing_id: copiedId('listing_id') },
};
/** Tables that count listings. */
const counted: Record<string, string> = { listing_counts: 'n', listing_facet_counts: 'n', search_words: 'listings' };

/**
 * Makes `times` listings of each, with what the database derives from one, in a tenth of the time that inserting them takes: past
 * the triggers, and the indexes are built afterwards.
 */
export async function multiplyListings(pool: Pool, times: number, { isSlim }: { isSlim: boolean }): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set session_replication_role = replica; set maintenance_work_mem = '1GB';
      set max_parallel_maintenance_workers = 2; set synchronous_commit = off`);
    const indexes = await dropIndexes(client);
    for (const [table, changes] of Object.entries(copied)) {
      if (isSlim && onlyWhole.has(table)) continue;
      const all = isSlim && table === 'listings' ? { ...changes, ...slimmed } : changes;
      await timed(`copying ${table}`, () => copyRows(client, table, all, times));
    }
    for (const [table, column] of Object.entries(counted))
      await client.query(`update ${table} set ${column} = ${column} * $1`, [times]);
    for (const definition of indexes) await timed(definition, () => client.query(definition));
  } finally {
    // With what was set for the session.
    client.release(true);
  }
}

/** Copy after copy, so that those of one listing are far apart, as listings with the same words are. */
async function copyRows(client: PoolClient, table: string, changes: Changes, times: number): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  await client.query(`create temporary table originals as select * from ${table}`);
  for (let copy = 1; copy < times; copy += 1)
    await client.query(
      `insert into ${table} (${columns.join(', ')})
       select ${columns.map((name) => changes[name] ?? name).join(', ')} from originals, (select ${copy} as k) as copy`,
    );
  await client.query('drop table originals');
}

/** Drops the indexes that no primary key needs, and answers what makes them again. */
async function dropIndexes(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where not indisprimary and indrelid = any($1::regclass[])`,
    [Object.keys(copied)],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = Date.now();
  await work();
  console.error(`${what.slice(0, 100)}: ${Math.round((Date.now() - startedAt) / 1_000)} s`);
}
