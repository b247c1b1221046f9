import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { Clock } from '../kit/clock.ts';
import { ServiceError } from '../kit/errors.ts';
import type { Jobs } from '../queues/jobs.ts';
import { longRun, type RunningRun } from '../runs/long-run.ts';
import { lockDedup } from './lock.ts';
import { mergeGroup, Unproven } from './merge.ts';
import { noCounts, type ScanCursor, type ScanCounts, type ScanWish } from './runs.ts';
import { takeStep } from './scan-step.ts';

type Services = { db: Database; clock: Clock; catalog: Catalog; jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'> };
type DedupRun = RunningRun<ScanCursor, ScanWish, keyof ScanCounts>;

/** Works a search for duplicates: each step is a batch of listings that are compared, or one group that is merged. */
export const workDedupRun = longRun({
  kind: 'dedup',
  cursor: z
    .object({
      phase: z.enum(['refresh', 'compare', 'group']).default('refresh'),
      after: z.string().default(''),
      /** Groups that are still to be merged before the next batch. */
      merging: z.array(z.string()).default([]),
    })
    .prefault({}),
  params: z.object({
    category: z.string().optional(),
    since: z.string().optional(),
    threshold: z.number(),
    mergeFrom: z.number().nullable(),
  }),
  counters: noCounts,
  step(services: Services, run: DedupRun) {
    const [groupId] = run.cursor.merging;
    if (groupId !== undefined) return mergeNext(services, run, groupId);
    return run.advance(async (tx, now) => {
      await lockDedup(tx);
      return takeStep(tx, services, run, now);
    });
  },
});

/** A group that people have decided about meanwhile, that cannot be merged, or whose listings nothing proves to be one is left. */
async function mergeNext(services: Services, run: DedupRun, groupId: string): Promise<unknown> {
  const refusal = await mergeGroup(services, { groupId, by: null }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Unproven) return undefined;
      if (error instanceof ServiceError && (error.status === 404 || error.status === 409)) return error.message;
      throw error;
    },
  );
  return run.advance(async (tx) => {
    const group = await tx.selectFrom('dedup_groups').select('status').where('id', '=', groupId).executeTakeFirst();
    const isRefused = group?.status === 'detected' && refusal !== undefined;
    return {
      cursor: { ...run.cursor, merging: run.cursor.merging.slice(1) },
      count: { groups_merged: Number(group?.status === 'merged') },
      ...(isRefused && { lastError: `A group was not merged: ${refusal}` }),
    };
  });
}
