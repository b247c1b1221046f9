import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { addMilliseconds, MINUTE_MS } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { invalid, type FieldError } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { findStoredImages, ownImageOf } from '../listings/images.ts';
import type { Profile } from '../profiles/profile.ts';
import { consumeQuota } from '../profiles/quotas.ts';
import type { DraftMode, ListingDraft } from './draft.ts';

/** Why there is no draft: public, under the codes of the API. */
export type DraftError = { code: 'validation_error' | 'service_unavailable'; message: string; errors?: FieldError[] };

type Dependencies = {
  jobs: Pick<Jobs, 'enqueue'>;
  profile: Pick<Profile, 'quotas'>;
  config: Pick<Config, 'rateLimitMultiplier' | 'staticUrl'>;
};
type Wish = { user: { id: string; ip: string; admin: boolean }; images: readonly string[]; locale: string };

/** A draft that nobody has finished by then is never finished: its job has expired, with its retry. */
const LOST_AFTER_MS = 5 * MINUTE_MS;

/**
 * Queues a draft and uses the hourly quota for it, 429 when there is none left. A failure gives it back, and so does the loss
 * of an earlier draft, which is noticed here. Images of this service that do not exist are a validation_error.
 */
export async function requestDraft(
  tx: Tx,
  { jobs, profile, config }: Dependencies,
  { user, images, locale }: Wish,
  now: Date,
): Promise<string> {
  await requireStored(tx, images, config.staticUrl);
  await failLost(tx, user.id, now);
  const subjects = { user: user.id, ip: user.ip, admin: user.admin };
  const rules = profile.quotas.ai_generation;
  await consumeQuota(tx, { quota: 'ai_generation', rules, subjects, multiplier: config.rateLimitMultiplier }, now);
  const id = await jobs.enqueue(tx, 'draft-listing', {});
  if (id === null) throw new Error('the queue draft-listing took no job');
  await tx
    .insertInto('ai_drafts')
    .values({ id, user_id: user.id, images: [...images], locale, created_at: now })
    .execute();
  return id;
}

async function requireStored(tx: Tx, images: readonly string[], staticUrl: string): Promise<void> {
  const named = images.map((url) => ownImageOf(url, staticUrl));
  const stored = await findStoredImages(
    tx,
    named.flatMap((sha256) => sha256 ?? []),
  );
  const errors = images.flatMap((url, index) => {
    const sha256 = named[index];
    const isMissing = sha256 === undefined ? url.startsWith(`${staticUrl}/`) : !stored.has(sha256);
    return isMissing ? [{ path: `/body/images/${index}`, message: 'is not an image stored here' }] : [];
  });
  if (errors.length > 0) throw invalid('An image does not exist; upload it first.', errors);
}

/** One draft of that user's; undefined when there is none. */
export function readDraft(db: Database, id: string, userId: string) {
  return db
    .selectFrom('ai_drafts')
    .select(['id', 'status', 'mode', 'result', 'error', 'created_at', 'finished_at'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** Keeps a finished draft; false when it was given up meanwhile. */
export async function completeDraft(
  db: Database,
  id: string,
  { draft, mode }: { draft: ListingDraft; mode: DraftMode },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('ai_drafts')
    .set({ status: 'completed', mode, result: JSON.stringify(draft), finished_at: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives a pending draft up and its quota back, once, whoever notices; one that is finished stays as it is. */
export async function failDraft(tx: Tx, id: string, error: DraftError, now: Date): Promise<void> {
  const draft = await tx
    .updateTable('ai_drafts')
    .set({ status: 'failed', error: JSON.stringify(error), finished_at: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returning(['user_id', 'created_at'])
    .executeTakeFirst();
  if (draft) await giveQuotaBack(tx, draft.user_id, draft.created_at);
}

async function failLost(tx: Tx, userId: string, now: Date): Promise<void> {
  const lost = await tx
    .selectFrom('ai_drafts')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .where('created_at', '<', addMilliseconds(now, -LOST_AFTER_MS))
    .orderBy('id')
    .execute();
  const error = { code: 'service_unavailable', message: 'The draft was lost.' } as const;
  for (const { id } of lost) await failDraft(tx, id, error, now);
}

/** In the hour that it was used in; every window of the quota is a multiple of its seconds. */
async function giveQuotaBack(tx: Tx, userId: string, usedAt: Date): Promise<void> {
  await sql`
    update quota_uses set used = used - 1
    where quota = 'ai_generation:user' and subject = ${userId} and used > 0
      and window_start = to_timestamp(floor(extract(epoch from ${usedAt}::timestamptz) / 3600) * 3600)`.execute(tx);
}
