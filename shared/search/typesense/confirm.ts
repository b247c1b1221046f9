import { createCanary } from './canary.ts';
import { TypesenseError, type Limits } from './client.ts';
import { isOfSchema, readTarget, unlessMissing, type SearchIndex } from './collections.ts';

/**
 * The collection that is read, once the server has replayed its log: writes made now have been acknowledged and read back, for
 * it calls itself healthy with a thousand of them in its queues. Undefined where the index is gone, which is believed of nothing
 * less: while the log is replayed alias and collection answer 404 as well. Queues are by collection, with one for all aliases.
 */
export async function confirmTarget(index: SearchIndex, limits?: Limits): Promise<string | undefined> {
  const canary = createCanary(index, limits);
  let target = await readTarget(index, limits);
  if (target === undefined) {
    await canary.throughAliases();
    target = await readTarget(index, limits);
  }
  if (target === undefined) return undefined;
  const collection = target;
  if (!isOfSchema(index, collection)) throw new TypesenseError(409, 'the index holds documents of another version');
  return unlessMissing(canary.throughCollection(collection).then(() => collection));
}
