import type { Pool } from 'pg';
import { readLines, TypesenseError } from './client.ts';
import { readTarget, unlessMissing, type SearchIndex } from './collections.ts';
import { INDEXED, readDocuments, type IndexDocument } from './document.ts';

export type SyncDependencies = { pool: Pool; index: SearchIndex; now: () => Date };
/** How many documents were written; `isMissing` when a collection was not there to take them. */
export type SyncResult = { indexed: number; removed: number; refused: number; isMissing: boolean };

/** So many documents are sent at a time. */
const MAX_DOCUMENTS = 500;
/** A listing that changes faster than it can be indexed is left to the job of its last change. */
const MAX_ROUNDS = 5;

const HOW = { action: 'upsert', dirty_values: 'coerce_or_reject' } as const;
type ImportLine = { success: boolean; error?: string; code?: number };

/**
 * Where changes go: the collection that searches read and, while another is being filled, that one too. By their own names: what
 * is written through an alias overtakes other writes when the server replays its log. The alias is read last, for a run that is
 * over by then has moved it before it ended.
 */
export async function readCollections(pool: Pool, index: SearchIndex): Promise<string[]> {
  const { rows } = await pool.query<{ collection: string }>({
    name: 'index-building',
    text: `select params ->> 'collection' as collection from runs where kind = 'reindex' and status in ('queued', 'running')`,
  });
  const target = await readTarget(index);
  const building = rows.map(({ collection }) => collection).filter(Boolean);
  return [...new Set([...(target === undefined ? [] : [target]), ...building])];
}

/**
 * Brings some listings up to date wherever changes go; where a collection is not there to take them, that is found out once
 * more. `isMissing` when there is none that searches read.
 */
export async function indexWherever(dependencies: SyncDependencies, ids: readonly string[]): Promise<SyncResult> {
  const { pool, index } = dependencies;
  const synced = await indexListings(dependencies, ids, await readCollections(pool, index));
  return synced.isMissing ? indexListings(dependencies, ids, await readCollections(pool, index)) : synced;
}

/**
 * Brings the documents of some listings up to date in these collections. Whoever writes last has looked again afterwards: what
 * has changed meanwhile is written once more, so that workers that overtake each other leave the last version there.
 */
export async function indexListings(
  dependencies: SyncDependencies,
  listingIds: readonly string[],
  collections: readonly string[],
): Promise<SyncResult> {
  const synced = { indexed: 0, removed: 0, refused: 0, isMissing: collections.length === 0 };
  for (let start = 0; start < listingIds.length; start += MAX_DOCUMENTS) {
    let ids: readonly string[] = [...new Set(listingIds.slice(start, start + MAX_DOCUMENTS))];
    for (let round = 0; ids.length > 0 && round < MAX_ROUNDS; round += 1)
      ids = await writeOnce(dependencies, ids, collections, synced);
    if (ids.length > 0) throw new Error(`${ids.length} listings change faster than they can be indexed`);
  }
  return synced;
}

/** Writes the listings as they are; answers those that have changed meanwhile. */
async function writeOnce(
  { pool, index, now }: SyncDependencies,
  ids: readonly string[],
  collections: readonly string[],
  synced: SyncResult,
): Promise<string[]> {
  const documents = await readDocuments(pool, ids, index.schema);
  const known = new Set(documents.map(({ id }) => id));
  const gone = ids.filter((id) => !known.has(id));
  const refused = new Map<string, string>();
  for (const collection of collections) {
    const failed = await importInto(index, collection, documents);
    synced.isMissing ||= failed === undefined;
    for (const [id, error] of failed ?? []) refused.set(id, error);
    await removeFrom(index, collection, [...gone, ...refused.keys()]);
  }
  await noteRefusals(pool, documents, refused, gone, now());
  synced.indexed += documents.length - refused.size;
  synced.removed += gone.length;
  synced.refused += refused.size;
  return changedSince(pool, ids, documents);
}

/** Why documents are refused; undefined when there is no such collection: the one that is built next reads everything. */
async function importInto(
  { client }: SearchIndex,
  collection: string,
  documents: readonly IndexDocument[],
): Promise<Map<string, string> | undefined> {
  if (documents.length === 0) return new Map();
  const body = documents.map(({ json }) => json).join('\n');
  const answer = await unlessMissing(
    client.ask((typesense) => typesense.collections(collection).documents().import(body, HOW)),
  );
  if (answer === undefined) return undefined;
  const lines = readLines<ImportLine>(answer);
  if (lines.length !== documents.length) throw new TypesenseError(0, 'the answer to an import is not complete');
  const failed = lines.flatMap((line, index): [string, string][] =>
    line.success ? [] : [[documents[index]!.id, `${line.code ?? ''} ${line.error ?? ''}`.trim().slice(0, 500)]],
  );
  const isBusy = lines.some(({ success, code = 0 }) => !success && code >= 500);
  if (isBusy) throw new TypesenseError(503, failed[0]?.[1] ?? 'cannot write');
  return new Map(failed);
}

/**
 * An id is letters, digits and an underscore: no quoting is needed, and none fails. By a filter even where it is one, for the
 * package remembers every id whose document it was asked for.
 */
async function removeFrom({ client }: SearchIndex, collection: string, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += 100) {
    const named = { filter_by: `id:=[${ids.slice(start, start + 100).join(',')}]` };
    await unlessMissing(client.ask((typesense) => typesense.collections(collection).documents().delete(named)));
  }
}

async function noteRefusals(
  pool: Pool,
  documents: readonly IndexDocument[],
  refused: ReadonlyMap<string, string>,
  gone: readonly string[],
  now: Date,
): Promise<void> {
  const taken = documents.map(({ id }) => id).filter((id) => !refused.has(id));
  await pool.query({
    name: 'index-taken',
    text: 'delete from search_refusals where listing_id = any($1::text[])',
    values: [[...taken, ...gone]],
  });
  if (refused.size === 0) return;
  const rows = documents
    .filter(({ id }) => refused.has(id))
    .map(({ id, version }) => ({ listing_id: id, version, error: refused.get(id), refused_at: now }));
  await pool.query(
    `insert into search_refusals (listing_id, version, error, refused_at)
     select * from jsonb_to_recordset($1::jsonb) as r (listing_id text, version integer, error text, refused_at timestamptz)
     on conflict (listing_id) do update set (version, error, refused_at) = (excluded.version, excluded.error, excluded.refused_at)`,
    [JSON.stringify(rows)],
  );
}

async function changedSince(
  pool: Pool,
  ids: readonly string[],
  documents: readonly IndexDocument[],
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; version: number }>({
    name: 'index-versions',
    text: `select l.id, l.version from listings l where l.id = any($1::text[]) and ${INDEXED}`,
    values: [ids],
  });
  const now = new Map(rows.map(({ id, version }) => [id, version]));
  const then = new Map(documents.map(({ id, version }) => [id, version]));
  return ids.filter((id) => now.get(id) !== then.get(id));
}
