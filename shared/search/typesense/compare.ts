import { isCanary } from './canary.ts';
import { readLines } from './client.ts';
import type { SearchIndex } from './collections.ts';
import { INDEXED, readDocuments } from './document.ts';
import { encodeIdOrder } from './encode.ts';
import { indexListings, type SyncDependencies } from './sync.ts';

/** Documents as a whole are many bytes: fewer are held against the database at a time. */
const CHUNKS = { versions: 5_000, documents: 1_000 };

/** What is compared: the versions of listings, or all that documents hold. */
type Depth = keyof typeof CHUNKS;

/** `viewed` had other figures of views, which no change of a listing tells: they are brought up to date here. */
export type Comparison = { listings: number; documents: number; repaired: number; viewed: number };

type Versioned = { id: string; print: string; views?: number | undefined };

/**
 * Holds a collection against the database, listing by listing, in the order of the ids, and repairs what differs: missing
 * documents, old or altered ones, and those whose listing is gone. Refused documents are not missed.
 */
export async function compareCollection(
  dependencies: SyncDependencies,
  collection: string,
  signal: AbortSignal,
  depth: Depth,
): Promise<Comparison> {
  const { index } = dependencies;
  const comparison = { listings: 0, documents: 0, repaired: 0, viewed: 0 };
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const listings = await readListings(dependencies, after, depth);
    const last = listings.length === CHUNKS[depth] ? listings.at(-1)?.id : undefined;
    const documents = await exportDocuments(index, collection, { after, last, depth, signal });
    const { different, viewed } = differences(listings, documents);
    if (different.length + viewed.length > 0)
      await indexListings(dependencies, [...different, ...viewed], [collection]);
    comparison.listings += listings.length;
    comparison.documents += documents.length;
    comparison.repaired += different.length;
    comparison.viewed += viewed.length;
    if (last === undefined) return comparison;
    after = last;
  }
}

async function readListings({ pool, index }: SyncDependencies, after: string, depth: Depth): Promise<Versioned[]> {
  const { rows } = await pool.query<{ id: string; version: number }>({
    name: 'index-compare',
    text: `select l.id, l.version from listings l
           where l.id > $1 and ${INDEXED}
             and not exists (select from search_refusals r where r.listing_id = l.id and r.version = l.version)
           order by l.id limit $2`,
    values: [after, CHUNKS[depth]],
  });
  if (depth === 'versions') return rows.map(({ id, version }) => ({ id, print: String(version) }));
  const ids = rows.map(({ id }) => id);
  const documents = await readDocuments(pool, ids, index.schema);
  const prints = new Map(documents.map(({ id, json }) => [id, fingerprintOf(JSON.parse(json) as Exported)]));
  // One that has gone meanwhile is written once more, which takes it out.
  return ids.map((id) => prints.get(id) ?? { id, print: '' });
}

type Part = { after: string; last: string | undefined; depth: Depth; signal: AbortSignal };

/** The documents whose ids are behind one and not behind another. */
async function exportDocuments(
  { client }: SearchIndex,
  collection: string,
  { after, last, depth, signal }: Part,
): Promise<Versioned[]> {
  const conditions = [
    ...(after === '' ? [] : [side(after, '>', '>')]),
    ...(last === undefined ? [] : [side(last, '<', '<=')]),
  ];
  const query = {
    ...(depth === 'versions' && { include_fields: 'id,version' }),
    ...(conditions.length > 0 && { filter_by: conditions.join(' && ') }),
  };
  const limits = { signal, timeoutMs: client.deadlines.indexExport };
  const lines = readLines<Exported>(
    await client.ask((typesense) => typesense.collections(collection).documents().export(query), limits),
  );
  return lines
    .filter(({ id }) => !isCanary(id))
    .map((line) => (depth === 'versions' ? { id: line.id, print: String(line.version) } : fingerprintOf(line)));
}

type Exported = { id: string; version: number; views?: number };

/** Equal for documents that hold the same but for their views, in whatever order their fields are. */
function fingerprintOf({ views, ...document }: Exported): Versioned {
  const print = JSON.stringify(Object.entries(document).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { id: document.id, print, views };
}

function side(id: string, high: '>' | '<', low: '>' | '<='): string {
  const place = encodeIdOrder(id);
  return `(id_high:${high}${place.high} || (id_high:=${place.high} && id_low:${low}${place.low}))`;
}

function differences(listings: readonly Versioned[], documents: readonly Versioned[]) {
  const indexed = new Map(documents.map((each) => [each.id, each]));
  const stored = new Set(listings.map(({ id }) => id));
  const outdated = listings.filter(({ id, print }) => indexed.get(id)?.print !== print);
  const orphans = documents.filter(({ id }) => !stored.has(id));
  const viewed = listings.filter(({ id, print, views }) => {
    const document = indexed.get(id);
    return document?.print === print && document.views !== views;
  });
  const idsOf = (all: readonly Versioned[]) => all.map(({ id }) => id);
  return { different: idsOf([...outdated, ...orphans]), viewed: idsOf(viewed) };
}
