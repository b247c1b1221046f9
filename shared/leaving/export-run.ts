import type { Pool } from 'pg';
import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import { createPrivateStorage } from '../adapters/create-storage.ts';
import type { Storage } from '../adapters/storage.ts';
import { addMilliseconds, DAY_MS, type Clock } from '../kit/clock.ts';
import type { Jobs } from '../queues/jobs.ts';
import { longRun } from '../runs/long-run.ts';
import { writeArchive } from './archive.ts';
import { exportKeyOf, exportsOf } from './export-file.ts';

type Services = {
  db: Database;
  pool: Pool;
  clock: Clock;
  jobs: Pick<Jobs, 'enqueue'>;
  config: Parameters<typeof createPrivateStorage>[0] & { staticUrl: string };
};

/** How long an archive can be fetched. */
export const EXPORT_LIFE_MS = DAY_MS;

/**
 * Writes the archive of a person in one step, which replaces an earlier one, and mails them that it is there. A try that ends early leaves no file, and the
 * next one begins anew; nobody gets a file whose account has left meanwhile.
 */
export const workExport = longRun({
  kind: 'export',
  cursor: z.undefined(),
  params: z.object({ export_id: z.string() }),
  counters: { bytes: 0 },
  async step({ pool, clock, jobs, config }: Services, run) {
    const { subject: userId } = run;
    const { export_id: exportId } = run.params;
    const storage = await createPrivateStorage(config);
    const key = exportKeyOf(userId, exportId);
    const archive = writeArchive(pool, { userId, staticUrl: config.staticUrl, now: clock.now(), signal: run.signal });
    const bytes = await store(storage, key, archive);
    let isWanted = false;
    await run.advance(async (tx, now) => {
      const ready = await tx
        .updateTable('account_exports')
        .set({ bytes, finished_at: now, expires_at: addMilliseconds(now, EXPORT_LIFE_MS) })
        .where('user_id', '=', userId)
        .where('id', '=', exportId)
        .returning('id')
        .executeTakeFirst();
      isWanted = ready !== undefined;
      if (isWanted)
        await jobs.enqueue(tx, 'send-email', {
          message_id: `export-ready.${exportId}`,
          template: 'export-ready',
          user_id: userId,
          data: { export_id: exportId },
        });
      return { end: 'succeeded' };
    });
    const files = (await Array.fromAsync(storage.list(exportsOf(userId)))).map((file) => file.key);
    await storage.delete(files.filter((file) => file !== key || !isWanted));
  },
});

async function store(storage: Storage, key: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  const file = await storage.begin(key, { contentType: 'application/json' });
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      await file.write(piece);
      bytes += piece.length;
    }
    await file.finish();
    return bytes;
  } catch (error) {
    await file.abandon();
    throw error;
  }
}
