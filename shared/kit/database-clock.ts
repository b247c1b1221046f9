import type { Pool } from 'pg';
import { addMilliseconds, SECOND_MS, type Clock } from './clock.ts';
import type { Logger } from './log.ts';

const ASK_EVERY_MS = 10 * SECOND_MS;
/** An answer that took longer says too little about the present. */
const SLOWEST_ANSWER_MS = SECOND_MS;
/** Differences that a network makes are none: time would go to and fro with them. */
const TOLERANCE_MS = 100;

export type DatabaseClock = Clock & {
  /** Follows the clock of the database until `stop` is called; resolves when it has asked for the first time. */
  follow(pool: Pick<Pool, 'query'>, log: Pick<Logger, 'warn'>): Promise<{ stop(): void }>;
};

/**
 * The clock of the database, which all processes share: what one of them says has expired has expired for all, also where the
 * clock of a machine is wrong, or is set while the process runs. Until it follows a database it is that of the machine.
 */
export function createDatabaseClock(): DatabaseClock {
  let known = { at: new Date(), asked: performance.now() };
  let isFollowing = false;
  const now = () => (isFollowing ? addMilliseconds(known.at, performance.now() - known.asked) : new Date());

  async function ask(pool: Pick<Pool, 'query'>): Promise<void> {
    const sent = performance.now();
    const { rows } = await pool.query<{ at: Date }>('select clock_timestamp() as at');
    const took = performance.now() - sent;
    const [row] = rows;
    if (!row || took > SLOWEST_ANSWER_MS) return;
    const at = addMilliseconds(row.at, took / 2);
    if (isFollowing && Math.abs(at.getTime() - now().getTime()) < TOLERANCE_MS) return;
    known = { at, asked: performance.now() };
    isFollowing = true;
  }

  return {
    now,
    async follow(pool, log) {
      const askOrWarn = () =>
        ask(pool).catch((error: unknown) => log.warn({ err: error }, 'the database could not be asked for the time'));
      await askOrWarn();
      const timer = setInterval(() => void askOrWarn(), ASK_EVERY_MS).unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}
