import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { inTransaction } from '../../../db/client.ts';
import { migrationKind, noCounts } from '../../../shared/rewriting/migration.ts';
import { editText } from '../../../shared/rewriting/edit.ts';
import { openRun } from '../../../shared/runs/runs.ts';
import { createListing, secretOf, type Person } from '../openapi-cases-things.ts';
import type { Recipe } from './recipe.ts';

const draft = {
  title: 'A sound boat',
  description: 'A boat as sound as any other boat.',
  category: 'sailboats',
  estimatedPriceRange: { min: 0, max: 0, currency: 'EUR' },
  tags: [],
  condition: 'good',
  attributes: {},
};

/** A draft that this person has asked for, finished or not. */
export async function createDraft(
  { db, clock }: Services,
  owner: Person,
  status: 'pending' | 'completed',
): Promise<string> {
  const id = randomUUID();
  const result = JSON.stringify({ ...draft, description: `${draft.description} ${secretOf(owner)}` });
  const done = status === 'completed' ? { mode: 'stub', result, finished_at: clock.now() } : {};
  await db
    .insertInto('ai_drafts')
    .values({ id, user_id: owner.id, status, images: [], locale: 'en', created_at: clock.now(), ...done })
    .execute();
  return id;
}

const attended = new WeakSet<Services>();

/** Finishes the drafts that wait on this database, each with the same text, for as long as it is there. */
function attendDrafts(services: Services): void {
  if (attended.has(services)) return;
  attended.add(services);
  void (async () => {
    for (;;) {
      await services.pool.query(
        `update ai_drafts set status = 'completed', mode = 'stub', result = $1, finished_at = $2
         where status = 'pending' and error is null and images <> '{}'`,
        [JSON.stringify(draft), services.clock.now()],
      );
      await sleep(10, undefined, { ref: false });
    }
    // The database of a test goes before its process does.
  })().catch(() => undefined);
}

async function endMigrations({ db }: Services): Promise<void> {
  await db
    .updateTable('runs')
    .set({ status: 'cancelled' })
    .where('kind', '=', migrationKind)
    .where('status', 'in', ['queued', 'running'])
    .execute();
}

const withoutMigration: Recipe = async ({ services }) => {
  await endMigrations(services);
  return {};
};

/** A migration that has lost its job: it ends at once. */
const withLostMigration: Recipe = async ({ services, admin }) => {
  await endMigrations(services);
  const run = { kind: migrationKind, subject: '', trigger: 'manual', startedBy: admin.id, counters: noCounts } as const;
  await inTransaction(services.db, (tx) => openRun(tx, run, services.clock.now()));
  return {};
};

/** A listing with a text in English, the locale that every profile has. */
const withText: Recipe = async ({ services, owner }) => {
  const { id } = await createListing(services, owner, 'active');
  const text = { title: 'A boat in other words', description: 'A boat as sound as any other boat, in other words.' };
  await inTransaction(services.db, (tx) => editText(tx, services, { id }, 'en', text));
  return { params: { id, locale: 'en' } };
};

/** What the operations on drafts and rewriting need. */
export const rewritingRecipes: Partial<Record<OperationId, Recipe>> = {
  generateListingDraft: ({ services }) => {
    attendDrafts(services);
    return { body: { images: ['https://photos.example.com/boat.jpg'] } };
  },
  getListingDraft: async ({ services, owner }) => ({
    params: { jobId: await createDraft(services, owner, 'completed') },
  }),
  rewriteListing: async ({ services, owner }) => ({
    body: { listing_id: (await createListing(services, owner, 'active')).id },
  }),
  editListingRewrite: withText,
  deleteListingRewrite: withText,
  startRewriteMigration: withoutMigration,
  stopRewriteMigration: withLostMigration,
};
