import { TypesenseError, type Limits, type TypesenseClient } from './client.ts';
import { TOKEN_SEPARATORS, type IndexSchema } from './schema.ts';
import { writeWordSets } from './word-sets.ts';

/** The index as it is reached: readers name the alias, and whoever writes the collection that it stands for. */
export type SearchIndex = { client: TypesenseClient; alias: string; schema: IndexSchema };

/** Undefined where there is none. */
export async function unlessMissing<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof TypesenseError && error.status === 404) return undefined;
    throw error;
  }
}

/** The collection that the alias stands for; undefined while there is none. */
export async function readTarget({ client, alias }: SearchIndex, limits?: Limits): Promise<string | undefined> {
  const found = await unlessMissing(client.ask((typesense) => typesense.aliases(alias).retrieve(), limits));
  return found?.collection_name;
}

/** A name for a new collection, which tells what its documents are like. */
export const nameCollection = ({ alias, schema }: SearchIndex, runId: string) =>
  `${alias}_${schema.digest}_${runId.toLowerCase()}`;

/** Whether the documents of a collection are as they would be made today. */
export const isOfSchema = ({ alias, schema }: SearchIndex, collection: string) =>
  collection.startsWith(`${alias}_${schema.digest}_`);

/** Creates an empty collection, unless it is there, and the synonyms and stop words that it is searched with. */
export async function createCollection({ client, schema }: SearchIndex, name: string): Promise<void> {
  await writeWordSets(client);
  try {
    const collection = { name, fields: schema.fields, token_separators: TOKEN_SEPARATORS };
    await client.ask((typesense) => typesense.collections().create(collection));
  } catch (error) {
    if (!(error instanceof TypesenseError && error.status === 409)) throw error;
  }
}

/** Lets the alias stand for a collection from now on: one request sees the one before, the next this one. */
export async function pointTo({ client, alias }: SearchIndex, collection: string): Promise<void> {
  await client.ask((typesense) => typesense.aliases().upsert(alias, { collection_name: collection }));
}

/** Deletes the collections of this index but those named. */
export async function dropOthers({ client, alias }: SearchIndex, kept: readonly string[]): Promise<void> {
  const all = await client.ask((typesense) => typesense.collections().retrieve());
  for (const { name } of all)
    if (isOfIndex(name, alias) && !kept.includes(name))
      await unlessMissing(client.ask((typesense) => typesense.collections(name).delete()));
}

const isOfIndex = (name: string, alias: string) =>
  name.startsWith(`${alias}_`) && /^[0-9a-f]{8}_run_/.test(name.slice(alias.length + 1));
