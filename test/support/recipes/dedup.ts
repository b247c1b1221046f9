import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { inTransaction } from '../../../db/client.ts';
import { mergeGroup } from '../../../shared/dedup/merge.ts';
import { storeGroups } from '../../../shared/dedup/stored-groups.ts';
import { createListing, type Person } from '../openapi-cases-things.ts';
import type { Recipe } from './recipe.ts';

/** A group of two listings of that person that look alike, decided or not. */
export async function createDedupGroup(
  services: Services,
  owner: Person,
  status: 'detected' | 'merged' = 'detected',
): Promise<string> {
  const { db, clock, pool } = services;
  const [first, second] = [
    await createListing(services, owner, 'active'),
    await createListing(services, owner, 'paused'),
  ];
  const members = [first.id, second.id].toSorted();
  const link = {
    first: members[0] ?? '',
    second: members[1] ?? '',
    score: 0.9,
    reasons: [{ signal: 'title', weight: 2 }],
  };
  const found = { members, links: [{ ...link, by: [] }], confidence: 0.9 };
  await inTransaction(db, (tx) => storeGroups(tx, [found], clock.now()));
  const { rows } = await pool.query<{ group_id: string }>('select group_id from dedup_members where listing_id = $1', [
    first.id,
  ]);
  const id = rows[0]?.group_id ?? '';
  if (status === 'merged') await mergeGroup(services, { groupId: id, by: owner.id });
  return id;
}

const ofGroup =
  (status?: 'merged'): Recipe =>
  async ({ services, owner }) => ({ params: { id: await createDedupGroup(services, owner, status) } });

/** What the decisions about duplicates need. */
export const dedupRecipes: Partial<Record<OperationId, Recipe>> = {
  getDedupGroup: ofGroup(),
  mergeDedupGroup: async (world) => ({ ...(await ofGroup()(world, undefined)), body: {} }),
  unmergeDedupGroup: ofGroup('merged'),
  rejectDedupGroup: ofGroup(),
  bulkMergeDedupGroups: async ({ services, owner }) => ({ body: { ids: [await createDedupGroup(services, owner)] } }),
};
