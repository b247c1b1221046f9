import { randomUUID } from 'node:crypto';
import { readLines, TypesenseError, type Limits } from './client.ts';
import type { SearchIndex } from './collections.ts';
import { toJson } from './encode.ts';
import type { Field } from './schema.ts';

const PREFIX = 'canary_';

/** Whether a document is one that was written to be read back: no listing. */
export const isCanary = (id: string) => id.startsWith(PREFIX);

/** Deletes what canaries have left that nobody waited for any more. */
export async function dropCanaries({ client }: SearchIndex, collection: string): Promise<void> {
  const left = { filter_by: 'status:=canary' };
  await client.ask((typesense) => typesense.collections(collection).documents().delete(left));
}

/** Writes that are read back: what the server has queued before them is done then. Each waits for its own queue alone. */
export function createCanary({ client, alias, schema }: SearchIndex, limits?: Limits) {
  const nonce = `${PREFIX}${randomUUID().replaceAll('-', '')}`;

  function check(isBack: boolean): void {
    if (!isBack) throw new TypesenseError(503, 'a write was acknowledged and is not there');
  }

  return {
    /** Through the queue of all aliases. */
    async throughAliases(): Promise<void> {
      const name = `${alias}_canary`;
      await client.ask((typesense) => typesense.aliases().upsert(name, { collection_name: nonce }), limits);
      const found = await client.ask((typesense) => typesense.aliases(name).retrieve(), limits);
      check(found.collection_name === nonce);
    },

    /** Through the queue of a collection; a TypesenseError with 404 where there is none. */
    async throughCollection(collection: string): Promise<void> {
      const line = toJson({ ...plainDocument(schema.fields), id: nonce, status: 'canary' });
      const documents = await client.ask(
        (typesense) => typesense.collections(collection).documents().import(line, { action: 'upsert' }),
        limits,
      );
      check(readLines<{ success: boolean }>(documents).every(({ success }) => success));
      const named = { filter_by: `id:=${nonce}` };
      const found = await client.ask(
        (typesense) => typesense.collections(collection).documents().export(named),
        limits,
      );
      check(readLines<{ id: string }>(found).some(({ id }) => id === nonce));
      await client.ask((typesense) => typesense.collections(collection).documents().delete(named), limits);
    },
  };
}

/** The least that a document must have, whatever the schema of the collection that is read. */
function plainDocument(fields: readonly Field[]): Record<string, unknown> {
  const required = fields.filter(({ optional }) => !optional);
  return Object.fromEntries(required.map(({ name, type }) => [name, PLAIN[type]]));
}

const PLAIN: Record<Field['type'], unknown> = {
  string: 'canary',
  'string[]': [],
  int32: 0,
  int64: 0,
  float: 0,
  bool: false,
  geopoint: [0, 0],
};
