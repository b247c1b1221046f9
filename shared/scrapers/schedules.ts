import type { PgBoss } from 'pg-boss';
import type { Database } from '../../db/client.ts';

const QUEUE = 'run-scraper';

/**
 * Brings the schedules of the job queue in step with the scrapers: one for each that is enabled and has a cron expression,
 * none for the others. The table `scrapers` is the truth, so a schedule that a crash left out of step is mended by the next
 * call. Only the named scraper is looked at, or all.
 */
export async function syncSchedules(boss: PgBoss, db: Database, only?: string): Promise<void> {
  const scrapers = await db
    .selectFrom('scrapers')
    .select(['id', 'schedule'])
    .where('enabled', '=', true)
    .where('schedule', 'is not', null)
    .$if(only !== undefined, (query) => query.where('id', '=', only ?? ''))
    .execute();
  const wanted = new Map(scrapers.map(({ id, schedule }) => [id, schedule ?? '']));
  const known = new Map((await boss.getSchedules(QUEUE, only)).map(({ key, cron }) => [key, cron]));
  for (const [id, cron] of wanted) {
    if (known.get(id) !== cron)
      await boss.schedule(QUEUE, cron, { scraper_id: id }, { key: id, tz: 'UTC', missed: 'once' });
  }
  for (const key of known.keys()) {
    if (!wanted.has(key)) await boss.unschedule(QUEUE, key);
  }
}
