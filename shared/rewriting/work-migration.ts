import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import { AiError } from '../adapters/ai-error.ts';
import type { Ai } from '../adapters/ai.ts';
import { SECOND_MS, type Clock } from '../kit/clock.ts';
import type { Jobs } from '../queues/jobs.ts';
import type { Profile } from '../profiles/profile.ts';
import { longRun } from '../runs/long-run.ts';
import { noCounts } from './migration.ts';
import { countMissing, findNextMissing } from './queue.ts';
import { rewriteAllTexts } from './rewrite-all.ts';

type Services = {
  db: Database;
  clock: Clock;
  ai: Ai | undefined;
  profile: Pick<Profile, 'locales'>;
  jobs: Pick<Jobs, 'enqueue'>;
};

const MAX_PROVIDER_FAILURES = 3;

/**
 * Works a migration, a listing a step, ten a job. A provider in trouble is asked again later, and the third time in a row pauses
 * the run with the reason.
 */
export const workMigration = longRun({
  kind: 'rewrite-migration',
  cursor: z.object({ after: z.string() }).prefault({ after: '' }),
  params: z.unknown(),
  counters: noCounts,
  perJob: { steps: 10, ms: 30 * SECOND_MS },
  async step(services: Services, run) {
    const { db, ai, profile } = services;
    const missing = { locales: profile.locales, hasProvider: ai !== undefined };
    if (run.total === null && !(await run.advance({ total: await countMissing(db, missing) }))) return;
    const [id] = await findNextMissing(db, missing, run.cursor.after, 1);
    if (id === undefined) return run.advance({ end: 'succeeded' });
    const outcome = await rewriteAllTexts(services, id, profile.locales, run.signal);
    const count = { [outcome === 'done' ? 'migrated' : 'failed']: 1, batches: Number(run.isFirst) };
    const refused = outcome === 'failed' && { lastError: 'A text was refused.' };
    return run.advance({ cursor: { after: id }, count, ...refused });
  },
  pauseReason: (error, tries) =>
    error instanceof AiError && tries >= MAX_PROVIDER_FAILURES
      ? `The AI provider keeps failing: ${error.message}`
      : undefined,
});
