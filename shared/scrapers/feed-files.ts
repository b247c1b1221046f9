import { z } from 'zod';
import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { Storage } from '../adapters/storage.ts';
import { DAY_MS } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';

const FOLDER = 'feeds/';

export const storedFeed = z.object({
  key: z.string(),
  sha256: z.string(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  contentType: z.string().optional(),
});

/** A feed in the private storage, as a run reads it, and what its next version is compared with. */
export type StoredFeed = z.infer<typeof storedFeed>;

/** A new key in the private storage. */
export const newFeedKey = (): string => `${FOLDER}${newId('run')}`;

/** Deletes the feed of a run that is over, or has read all of it. */
export async function deleteFeedOfRun(db: Database, storage: Storage, runId: string): Promise<void> {
  const { rows } = await sql<{ key: string | null }>`
    select params->'file'->>'key' as key from runs where id = ${runId} and (status not in ('queued', 'running') or total is not null)`.execute(
    db,
  );
  const key = rows[0]?.key;
  if (key) await storage.delete([key]);
}

/** Deletes feeds that lost processes have left behind: those a day old that no live run reads. */
export async function deleteLostFeeds(db: Database, storage: Storage, now: Date): Promise<void> {
  const old: string[] = [];
  for await (const { key, modifiedAt } of storage.list(FOLDER))
    if (modifiedAt.getTime() < now.getTime() - DAY_MS) old.push(key);
  if (old.length === 0) return;
  const { rows } = await sql<{ key: string }>`
    select params->'file'->>'key' as key from runs
    where kind = 'scraper' and status in ('queued', 'running') and params->'file'->>'key' = any(${old}::text[])`.execute(
    db,
  );
  const live = new Set(rows.map(({ key }) => key));
  await storage.delete(old.filter((key) => !live.has(key)));
}
