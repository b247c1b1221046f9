import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createPool } from './client.ts';
import { databaseDeadlines, type DatabaseDeadlines } from './deadlines.ts';
import { isConnectionError, sqlState } from './errors.ts';
import { followPrimaryPosition } from './primary-position.ts';
import { watchServer } from './server-watch.ts';
import { createWalProbe, formatPosition, parsePosition, type WalState } from './wal-position.ts';

const BEAT_MS = 500;
const LOOK_MS = 5;
/** A standby that has lost a read is asked for none for so long. */
const REST_MS = 1_000;

/** A hot standby, by its place in DATABASE_REPLICA_URLS: its address is nobody's to know. */
export type Standby = { name: string; pool: Pool };
/**
 * Reads go to a standby while it is `serving`. `promoted` is one that is none any more, `diverged` one on another timeline than the
 * primary, `foreign` one of another database.
 */
export type StandbyState = 'serving' | 'lagging' | 'unreachable' | 'promoted' | 'diverged' | 'foreign';
export type StandbyReport = { name: string; state: StandbyState; lagSeconds: number };

type Options = {
  databaseUrl: string;
  replicaUrls: readonly string[];
  /** Connections for reads to each standby; two more follow its state. */
  max: number;
  applicationName: string;
  deadlines?: Partial<DatabaseDeadlines>;
  /** Told the state of each standby when it is known, and when it takes another one. */
  onChange?: (standby: { name: string; state: StandbyState; cause: unknown }) => void;
  /** Told before a read is made on a standby that may lack what has been answered already: the primary is away. */
  onStaleRead?: () => void;
};

type Followed = Standby & {
  probe: ReturnType<typeof createWalProbe>;
  watch: ReturnType<typeof watchServer>;
  /** What it has answered last; undefined while it does not answer. */
  wal: WalState | undefined;
  replayed: number;
  timeline: number;
  isSilent: boolean;
  restsUntil: number;
  told: StandbyState | undefined;
  /** Why it has not answered. */
  cause: unknown;
};

export type Replicas = ReturnType<typeof followReplicas>;

/**
 * Owns the pools of the hot standbys and follows the state of each. A read goes to one that has replayed everything which this
 * process has heard of (its own commits, the journal) and which the reader names; what a standby fails or refuses is repeated on
 * the primary, and what the primary cannot answer on any standby that can. Session guarantees of Terry et al. (1994) by position.
 */
export function followReplicas(options: Options) {
  const { databaseUrl, replicaUrls } = options;
  const deadlines = { ...databaseDeadlines, ...options.deadlines };
  const stopping = new AbortController();
  const reached = () => Math.min(...standbys.map(({ replayed }) => replayed));
  const primary = followPrimaryPosition(databaseUrl, reached, deadlines.walPosition);
  const counts = { reads: new Map<string, number>([['primary', 0]]), repeated: 0 };
  const standbys = replicaUrls.map((url, index) => createFollowed(url, `standby-${index + 1}`));
  const count = (target: string) => counts.reads.set(target, (counts.reads.get(target) ?? 0) + 1);

  function createFollowed(url: string, name: string): Followed {
    const { applicationName, max } = options;
    const pool = createPool({ databaseUrl: url, max, applicationName, deadlines, isReadOnly: true });
    const watch = watchServer(pool, {
      databaseUrl: url,
      applicationName: `${applicationName}-watch`,
      silenceMs: deadlines.serverSilence,
      onChange(silent) {
        followed.isSilent = silent;
        tell(followed);
      },
    });
    const followed: Followed = {
      ...{ name, pool, watch, probe: createWalProbe(url, deadlines.walPosition), wal: undefined },
      ...{ replayed: 0, timeline: 0, isSilent: false, restsUntil: 0, told: undefined, cause: undefined },
    };
    counts.reads.set(name, 0);
    return followed;
  }

  const lagMsOf = ({ replayed }: Followed) => primary.lagMsOf(replayed);

  function stateOf(standby: Followed): StandbyState {
    const { wal, isSilent, restsUntil } = standby;
    if (!wal || isSilent || performance.now() < restsUntil) return 'unreachable';
    const difference = primary.differenceOf(wal, standby.timeline);
    if (difference === 'foreign') return 'foreign';
    if (wal.replayed === undefined) return 'promoted';
    if (difference) return difference;
    return lagMsOf(standby) > deadlines.standbyLag ? 'lagging' : 'serving';
  }

  function tell(standby: Followed): void {
    const state = stateOf(standby);
    if (state === standby.told) return;
    standby.told = state;
    const { name, cause } = standby;
    if (!stopping.signal.aborted)
      options.onChange?.({ name, state, cause: state === 'unreachable' ? cause : undefined });
  }

  async function look(standby: Followed): Promise<void> {
    try {
      standby.wal = await standby.probe.ask();
      standby.replayed = standby.wal.replayed ?? standby.replayed;
      // One that receives nothing may tell of the timeline before.
      standby.timeline = Math.max(standby.timeline, standby.wal.timeline);
    } catch (error) {
      [standby.wal, standby.cause] = [undefined, error];
    }
    tell(standby);
  }

  async function follow(beat: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      await beat();
      await pause(BEAT_MS, stopping.signal);
    }
  }

  const isReached = ({ replayed }: Followed, needed: number) => replayed >= needed;
  const busyOf = ({ pool }: Followed) => pool.totalCount - pool.idleCount + pool.waitingCount;

  /** Those in rotation that have replayed the position, the least busy one first. */
  function choose(needed: number): Followed | undefined {
    return standbys
      .filter((standby) => stateOf(standby) === 'serving' && isReached(standby, needed))
      .toSorted(
        (a, b) => busyOf(a) - busyOf(b) || (counts.reads.get(a.name) ?? 0) - (counts.reads.get(b.name) ?? 0),
      )[0];
  }

  /** A standby for a read; undefined where that is for the primary. */
  async function pick(brought: number | undefined): Promise<Followed | undefined> {
    const floor = primary.floor();
    if (floor === undefined) return undefined;
    const needed = Math.max(floor, brought ?? 0);
    const deadline = performance.now() + deadlines.replay;
    let chosen = choose(needed);
    while (!chosen && standbys.some((standby) => stateOf(standby) === 'serving') && performance.now() < deadline) {
      const serving = standbys.filter((standby) => stateOf(standby) === 'serving');
      await Promise.race([Promise.any(serving.map(look)), sleep(Math.max(1, deadline - performance.now()))]);
      chosen = choose(needed);
      // Who brings nothing has nothing to wait for: the primary answers at once.
      if (chosen || brought === undefined) break;
      await sleep(LOOK_MS);
    }
    return chosen;
  }

  function noteFailure(standby: Followed, error: unknown): void {
    counts.repeated += 1;
    if (!isConnectionError(error) || sqlState(error) === '25006') return;
    [standby.restsUntil, standby.cause] = [performance.now() + REST_MS, error];
    tell(standby);
  }

  /** The standby that is furthest, whatever it lacks. */
  const findAny = (): Followed | undefined =>
    standbys
      .filter((standby) => ['serving', 'lagging'].includes(stateOf(standby)))
      .toSorted((a, b) => b.replayed - a.replayed)[0];

  async function runOn<T>(
    target: Followed | undefined,
    work: (standby: Standby | undefined) => Promise<T>,
  ): Promise<T> {
    const result = await work(target);
    count(target?.name ?? 'primary');
    return result;
  }

  const following =
    standbys.length === 0 ? [] : [follow(primary.beat), ...standbys.map((standby) => follow(() => look(standby)))];

  return {
    standbys: standbys as readonly Standby[],

    /**
     * Runs a read on a standby, or on the primary (undefined). It may run twice, so it has to change nothing. Whatever a standby
     * throws is the primary's to say again, be it a conflict with recovery, a lost connection, or that something is not found.
     */
    async read<T>(work: (standby: Standby | undefined) => Promise<T>, position?: string): Promise<T> {
      const chosen = await pick(position === undefined ? undefined : parsePosition(position));
      if (chosen)
        try {
          return await runOn(chosen, work);
        } catch (error) {
          // A statement that takes too long takes too long there as well.
          if (sqlState(error) === '57014') throw error;
          noteFailure(chosen, error);
        }
      try {
        return await runOn(undefined, work);
      } catch (error) {
        const last = isConnectionError(error) ? findAny() : undefined;
        if (!last) throw error;
        options.onStaleRead?.();
        return runOn(last, work);
      }
    },

    /** Called after a commit, and before anything is dropped because of it: from now on reads go where it has been replayed. */
    async noteCommit(): Promise<void> {
      if (standbys.length === 0) return;
      try {
        await primary.raiseFloor();
      } catch {
        primary.doubt();
      }
    },

    /** Something may have been committed that this process does not know of: the primary is read until it has told where it is. */
    doubt: primary.doubt,

    /** What a standby must have replayed to be read from, as text; undefined where that is not known or there is no standby. */
    position(): string | undefined {
      const floor = primary.floor();
      return floor === undefined ? undefined : formatPosition(floor);
    },

    /** Whether there is a standby that can be read from if the primary cannot. */
    canRead: (): boolean => findAny() !== undefined,

    report: (): StandbyReport[] =>
      standbys.map((standby) => ({
        name: standby.name,
        state: stateOf(standby),
        lagSeconds: lagMsOf(standby) / 1_000,
      })),

    /** Reads since the start by where they were answered, and those that a standby did not answer. */
    counts: (): { reads: ReadonlyMap<string, number>; repeated: number } => counts,

    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(following);
      await Promise.all(standbys.map(({ watch }) => watch.stop()));
      await Promise.all([primary.close(), ...standbys.flatMap(({ pool, probe }) => [probe.close(), pool.end()])]);
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    // Only stopping cuts a pause short.
  });
}
