import type { PgBoss } from 'pg-boss';
import { ConfigError } from '../kit/config.ts';

const QUEUE = 'backup-database';

/**
 * Brings the schedule of backups in step with `BACKUP_SCHEDULE` (five fields, UTC); none when it is unset. Throws a ConfigError for
 * an expression that never comes due.
 */
export async function syncBackupSchedule(boss: PgBoss, cron: string | undefined): Promise<void> {
  if (cron !== undefined) assertComesDue(boss, cron);
  const [known] = await boss.getSchedules(QUEUE);
  if (known?.cron === cron) return;
  if (cron === undefined) await boss.unschedule(QUEUE);
  else await boss.schedule(QUEUE, cron, {}, { tz: 'UTC', missed: 'once' });
}

function assertComesDue(boss: PgBoss, cron: string): void {
  try {
    boss.previewSchedule(cron, { tz: 'UTC', count: 1 });
  } catch (error) {
    throw new ConfigError(`BACKUP_SCHEDULE: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
