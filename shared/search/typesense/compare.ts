import type { Pool } from 'pg';
import { readLines } from './client.ts';
import type { SearchIndex } from './collections.ts';
import { INDEXED } from './document.ts';
import { placeOf } from './encode.ts';
import { indexListings, type SyncDependencies } from './sync.ts';

const CHUNK = 5_000;

export type Comparison = { listings: number; documents: number; repaired: number };

type Versioned = { id: string; version: number };

/**
 * Holds a collection against the database, listing by listing, in the order of the ids, and repairs what differs: missing
 * documents, old versions, and documents whose listing is gone. Refused documents are not missed.
 */
export async function compareCollection(
  dependencies: SyncDependencies,
  collection: string,
  signal: AbortSignal,
): Promise<Comparison> {
  const { pool, index } = dependencies;
  const comparison = { listings: 0, documents: 0, repaired: 0 };
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const listings = await readVersions(pool, after);
    const last = listings.length === CHUNK ? listings.at(-1)?.id : undefined;
    const documents = await exportVersions(index, collection, after, last, signal);
    const different = differences(listings, documents);
    if (different.length > 0) await indexListings(dependencies, different, [collection]);
    comparison.listings += listings.length;
    comparison.documents += documents.length;
    comparison.repaired += different.length;
    if (last === undefined) return comparison;
    after = last;
  }
}

async function readVersions(pool: Pool, after: string): Promise<Versioned[]> {
  const { rows } = await pool.query<Versioned>({
    name: 'index-compare',
    text: `select l.id, l.version from listings l
           where l.id > $1 and ${INDEXED}
             and not exists (select from search_refusals r where r.listing_id = l.id and r.version = l.version)
           order by l.id limit ${CHUNK}`,
    values: [after],
  });
  return rows;
}

/** The documents whose ids are behind one and not behind another. */
async function exportVersions(
  { client }: SearchIndex,
  collection: string,
  after: string,
  last: string | undefined,
  signal: AbortSignal,
): Promise<Versioned[]> {
  const conditions = [
    ...(after === '' ? [] : [side(after, '>', '>')]),
    ...(last === undefined ? [] : [side(last, '<', '<=')]),
  ];
  const query = {
    include_fields: 'id,version',
    ...(conditions.length > 0 && { filter_by: conditions.join(' && ') }),
  };
  const limits = { signal, timeoutMs: 120_000 };
  return readLines(
    await client.ask((typesense) => typesense.collections(collection).documents().export(query), limits),
  );
}

function side(id: string, high: '>' | '<', low: '>' | '<='): string {
  const place = placeOf(id);
  return `(high:${high}${place.high} || (high:=${place.high} && low:${low}${place.low}))`;
}

function differences(listings: readonly Versioned[], documents: readonly Versioned[]): string[] {
  const indexed = new Map(documents.map(({ id, version }) => [id, version]));
  const stored = new Map(listings.map(({ id, version }) => [id, version]));
  const outdated = listings.filter(({ id, version }) => indexed.get(id) !== version);
  const orphans = documents.filter(({ id }) => !stored.has(id));
  return [...outdated, ...orphans].map(({ id }) => id);
}
