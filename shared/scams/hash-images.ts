import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { coreHashOf, readGrey } from '../adapters/images.ts';
import type { Storage } from '../adapters/storage.ts';

const BATCH = 200;

/**
 * Backfill: hashes the core of the images that were stored without it, in the order of their ids, until all have one or the
 * time is over. Answers how many it hashed.
 */
export async function hashImageCores(
  { db, storage }: { db: Database; storage: Pick<Storage, 'get'> },
  until: AbortSignal,
): Promise<number> {
  let hashed = 0;
  for (let after = ''; ;) {
    const { rows } = await sql<{ sha256: string; thumbnail_key: string }>`
      select i.sha256, i.thumbnail_key from images i
      where i.sha256 > ${after} and not exists (select from image_cores c where c.sha256 = i.sha256)
      order by i.sha256 limit ${BATCH}`.execute(db);
    const hashes: { sha256: string; core: string }[] = [];
    for (const { sha256, thumbnail_key: key } of rows) {
      if (until.aborted) break;
      const file = await storage.get(key);
      if (file) hashes.push({ sha256, core: String(coreHashOf(await readGrey(file.body))) });
    }
    await sql`
      insert into image_cores (sha256, core)
      select i.sha256, h.core from jsonb_to_recordset(${JSON.stringify(hashes)}::jsonb) as h (sha256 text, core bigint)
      join images i on i.sha256 = h.sha256 on conflict do nothing`.execute(db);
    hashed += hashes.length;
    after = rows.at(-1)?.sha256 ?? after;
    if (rows.length < BATCH || until.aborted) return hashed;
  }
}
