import { outsideUnit } from '../../db/unit-of-work.ts';
import { AiError } from '../../shared/adapters/ai-error.ts';
import { unavailable } from '../../shared/kit/errors.ts';
import { countMissing, findNewestMissing } from '../../shared/rewriting/queue.ts';
import { rewriteAllTexts } from '../../shared/rewriting/rewrite-all.ts';
import type { Handler } from '../handler.ts';

const LISTINGS = 10;

/** Rewrites the newest listings that lack texts while the caller waits; a provider in trouble is 503, unless something was done. */
export const migrateRewrites: Handler<'migrateRewrites'> = async (services, { body }) => {
  const { ai, profile, config } = services;
  // Each text is stored by itself: no transaction waits for a provider.
  const db = outsideUnit(services.db);
  const missing = { locales: profile.locales, hasProvider: ai !== undefined };
  const signal = AbortSignal.timeout(config.deadlines.rewriteMigration);
  const counts = { migrated: 0, failed: 0 };
  const listings = await findNewestMissing(db, missing, body?.limit ?? LISTINGS);
  for (const id of listings) {
    try {
      const outcome = await rewriteAllTexts({ ...services, db }, id, profile.locales, signal);
      counts[outcome === 'done' ? 'migrated' : 'failed'] += 1;
    } catch (error) {
      if (signal.aborted) break;
      if (!(error instanceof AiError)) throw error;
      if (counts.migrated + counts.failed > 0) break;
      throw unavailable('The AI service does not answer; try again later.', error);
    }
  }
  const remaining = await countMissing(db, missing);
  return { status: 200, body: { ...counts, remaining }, effects: { changed: { listings } } };
};
