import { createWalProbe, type WalState } from './wal-position.ts';

/** Ten minutes of positions of a primary that never rests; who is further behind is so by more than that. */
const MAX_SAMPLES = 1_200;

/**
 * Keeps where the primary is in its write-ahead log and where it was: what a standby must have replayed to be read from (the floor),
 * and for how long one has lacked something. `reached` answers the position that every standby has replayed.
 */
export function followPrimaryPosition(databaseUrl: string, reached: () => number, probeWithinMs?: number) {
  const probe = createWalProbe(databaseUrl, probeWithinMs);
  /** Where the primary was and when, oldest first, each further than the one before. */
  let samples: { at: number; position: number }[] = [];
  let identity: string | undefined;
  let timeline = 0;
  let floor: number | undefined;
  let doubts = 0;

  /** Asks the primary where it is; what was committed before the call is below the position that is answered. */
  async function look(): Promise<number> {
    const at = performance.now();
    const { written, inserted, ...wal } = await probe.ask();
    if (written === undefined || inserted === undefined) throw new Error('the primary is in recovery');
    // Another primary: what was heard of the former one is no measure any more.
    if (wal.timeline !== timeline || wal.identity !== identity) {
      samples = [];
      doubt();
    }
    ({ identity, timeline } = wal);
    if (written > (samples.at(-1)?.position ?? 0)) samples.push({ at, position: written });
    const needless = reached();
    while (samples.length > 1 && (samples[0]!.position <= needless || samples.length > MAX_SAMPLES)) samples.shift();
    return inserted;
  }

  /** Raises the floor to where the primary is now; throws where it does not answer. */
  async function raiseFloor(): Promise<void> {
    const known = doubts;
    const inserted = await look();
    if (known === doubts) floor = Math.max(floor ?? 0, inserted);
  }

  /** Forgets the floor until the primary has told where it is: something may have been committed that nobody has told of. */
  function doubt(): void {
    doubts += 1;
    floor = undefined;
  }

  return {
    /** What a standby must have replayed to be read from; undefined where that is not known, and then none is. */
    floor: (): number | undefined => floor,
    raiseFloor,
    doubt,

    /** Looks once more; whoever does not answer leaves things as they are. */
    async beat(): Promise<void> {
      try {
        if (floor === undefined) await raiseFloor();
        else await look();
      } catch {
        // It is away, or a standby that is about to be promoted: nothing is known of it until it answers.
      }
    },

    /** For how long the primary has been where this position is not yet, in milliseconds: an idle primary leaves nobody behind. */
    lagMsOf(replayed: number): number {
      const missing = samples.find(({ position }) => position > replayed);
      return missing ? performance.now() - missing.at : 0;
    },

    /** Whether a standby's log is one of another database, or has left the primary's timeline; undefined where it is the primary's. */
    differenceOf(wal: WalState, standbyTimeline: number): 'foreign' | 'diverged' | undefined {
      if (identity !== undefined && wal.identity !== identity) return 'foreign';
      return timeline > 0 && standbyTimeline !== timeline ? 'diverged' : undefined;
    },

    close: () => probe.close(),
  };
}
