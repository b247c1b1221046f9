import { createHash, randomUUID } from 'node:crypto';
import { inTransaction } from '../../db/client.ts';
import type { ExplainedLink } from '../../shared/dedup/scan.ts';
import { storeGroups } from '../../shared/dedup/stored-groups.ts';
import type { FoundGroup } from '../../shared/dedup/regroup.ts';
import type { TestApp, TestUser } from './app.ts';
import { listingBody } from './listing-bodies.ts';

/** A published listing of that seller, with images of these hashes. */
export async function offer(
  app: TestApp,
  seller: TestUser,
  fields: Parameters<typeof listingBody>[0] = {},
  hashes: readonly string[] = [],
): Promise<{ id: string; slug: string; title: string }> {
  const isGeneral = app.services.profile.name === 'general';
  const { body } = await app
    .as(seller)
    .post('/api/listings', { ...listingBody(fields), ...(isGeneral && { category_id: 'boats' }) });
  await app.as(seller).post(`/api/listings/${body.id}/publish`);
  if (hashes.length > 0) await showPictures(app, body.id, hashes);
  return body;
}

/** Stores images that look like these hashes (16 hexadecimal digits), and has the listing show them. */
export async function showPictures(app: TestApp, listingId: string, hashes: readonly string[]): Promise<string[]> {
  const keys = hashes.map((hash) => {
    const sha256 = createHash('sha256').update(`${hash} ${randomUUID()}`).digest('hex');
    return { sha256, hash, key: `images/${sha256.slice(0, 2)}/${sha256}.webp` };
  });
  for (const { sha256, hash, key } of keys)
    await app.database.pool.query(
      `insert into images (sha256, storage_key, thumbnail_key, width, height, bytes, dhash, created_at)
       values ($1, $2, $2, 640, 480, 1000, ('x' || $3)::bit(64)::bigint, now())`,
      [sha256, key, hash],
    );
  const images = JSON.stringify(keys.map(({ key }) => ({ key })));
  await app.database.pool.query('update listings set images = $2 where id = $1', [listingId, images]);
  return keys.map(({ key }) => key);
}

/** What a scan finds when each of these is linked to each. */
export function foundGroup(ids: readonly string[], score = 0.9): FoundGroup {
  const members = ids.toSorted();
  const links = members.flatMap((first, at) =>
    members.slice(at + 1).map((second): ExplainedLink => ({
      first,
      second,
      score,
      reasons: [{ signal: 'title', weight: 2.5 }],
      by: [],
    })),
  );
  return { members, links, confidence: score };
}

/** Stores an undecided group of these listings and answers its id. */
export async function storeGroup(app: TestApp, ids: readonly string[], score = 0.9): Promise<string> {
  const { db, clock } = app.services;
  await inTransaction(db, (tx) => storeGroups(tx, [foundGroup(ids, score)], clock.now()));
  const { rows } = await app.database.pool.query<{ group_id: string }>(
    'select group_id from dedup_members where listing_id = $1 and open',
    [ids[0]],
  );
  return rows[0]?.group_id ?? 'none';
}
