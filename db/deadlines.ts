/** Deadlines of the database's clients in milliseconds; 0 is none. They are multiplied with all others by `DEADLINE_FACTOR` (shared/kit/deadlines.ts). */
export const databaseDeadlines = {
  /** Opening a connection of a pool, standstills of this process included; who waits for it has given up before (`connectionWait`). */
  poolConnection: 30_000,
  /** Waiting for a connection of a pool. */
  connectionWait: 3_000,
  /** The same while the server says that it starts or recovers. */
  startingWait: 9_000,
  /** One statement: the server ends it (57014). */
  statement: 30_000,
  /** Waiting for the lock of a row or a table: the server gives up (55P03). */
  lock: 10_000,
  /** A transaction in which nothing is asked: the server ends its connection. */
  idleInTransaction: 60_000,
  /** A server that answers nothing, though it closes nothing either, is taken for gone. */
  serverSilence: 2_100,
  /** Opening a connection outside of pools: of a start, of a migration, of the owner of the embedded server. */
  startConnection: 5_000,
  /** One statement of a start: a pooler whose connections are all in use answers it minutes later. */
  startQuery: 10_000,
  /** Telling how far a server's write-ahead log is. */
  walPosition: 2_000,
  /** Replay of a position on a standby that a read waits for; then it is the primary's. */
  replay: 100,
  /** How far behind a standby may be: every reader sees a change within so long. */
  standbyLag: 5_000,
};

export type DatabaseDeadlines = Readonly<Record<keyof typeof databaseDeadlines, number>>;
