import { databaseDeadlines } from '../../db/deadlines.ts';

/**
 * All deadlines in milliseconds, on a machine at its usual pace: after so long the product gives up, answers with an error, kills or
 * takes another way. Not here: intervals, back-offs and lifetimes by the clock, and the limits of minutes that bound a whole job.
 */
const table = {
  ...databaseDeadlines,

  // Starting and stopping
  /** A database that is not there at a start: the process ends. */
  databaseStart: 30_000,
  /** One answer of /health that the supervisor waits for. */
  startHealth: 1_000,
  /** Stopping all processes: those that are left are killed. */
  fleetStop: 20_000,
  /** Stopping one process: it ends with its work unfinished. */
  processStop: 15_000,
  /** The same for an API process, which ends before its workers would. */
  apiStop: 14_000,
  /** Answers under way in a process that stops: their connections are cut. */
  drain: 8_000,
  /** Jobs under way in a process that stops: they are told to end. */
  jobsStop: 8_000,
  /** The same: they are left to another process. */
  jobsLeave: 12_000,

  // Requests
  /** The head of a request: 408. */
  requestHead: 5_000,
  /** Its body, unless it is a form: 408. */
  requestBody: 10_000,
  /** All of it: 408. */
  request: 60_000,
  /** A client that takes nothing of a stream is cut off. */
  streamStall: 60_000,
  /** Texts that a caller waits for: what is done by then is answered. */
  rewriteMigration: 25_000,

  // Outgoing requests, from the name's look-up to the last byte of the answer
  fetch: 30_000,
  /** The connection alone, and the answer of a proxy to CONNECT. */
  connection: 10_000,
  page: 30_000,
  robots: 20_000,
  feed: 1_800_000,
  feedPreview: 20_000,
  rates: 20_000,
  image: 30_000,
  /** An image of a draft, which somebody waits for. */
  draftImage: 6_000,
  webhook: 10_000,
  /** A posted webhook is another worker's to post again: longer than `webhook`. */
  webhookClaim: 30_000,

  // Foreign services
  moderation: 3_000,
  aiHealth: 3_000,
  aiDraft: 15_000,
  aiRewrite: 90_000,
  payment: 10_000,
  mailConnection: 10_000,
  mailAnswer: 30_000,
  s3Connection: 2_000,
  /** One attempt of one request, beside a second per megabyte. */
  s3Request: 5_000,
  s3Health: 3_000,
  /** All that a search may wait for the index: PostgreSQL answers then, well within 1.5 s. */
  indexSearch: 700,
  indexConnection: 2_000,
  indexWrite: 20_000,
  indexExport: 120_000,

  // Work on what strangers send
  /** One step of an image, in whole seconds: it is refused. */
  imageStep: 20_000,
  draftImageStep: 10_000,
  heicDecode: 30_000,
  /** Matching a scraper's pattern. */
  pattern: 2_000,
  /** Trying a pattern that somebody has typed: it is refused. */
  patternProbe: 500,
  /** The largest page there may be (10 MB) takes some two seconds; a busy machine may make it ten times as much. */
  pageReading: 20_000,
  pageRendering: 30_000,
  /** A page that never falls silent is read as it is then. */
  pageQuiet: 5_000,
  /** A crawl that says nothing: it reports every second. */
  crawlSilence: 90_000,
  /** A crawl that was told to stop is killed. */
  crawlStop: 3_000,
  /** The page that somebody tries a scraper on. */
  tryPage: 60_000,
};

export type DeadlineName = keyof typeof table;
export type Deadlines = Readonly<Record<DeadlineName, number>>;

/** Each deadline times a factor, which is how many times slower than usual a machine may be (`DEADLINE_FACTOR`). */
export const deadlinesOf = (factor = 1): Deadlines =>
  Object.freeze(
    Object.fromEntries(Object.entries(table).map(([name, ms]) => [name, Math.max(1, Math.round(ms * factor))])),
  ) as Deadlines;
