/** The database in DATABASE_URL cannot hold our data; the message is one line. */
export class UnusableDatabaseError extends Error {}

/** The five characters PostgreSQL names an error with, also when the error is a cause of this one; undefined for any other. */
export function sqlState(error: unknown): string | undefined {
  const code = errorCode(error);
  return code && /^[0-9A-Z]{5}$/.test(code) && !socketCodes.has(code) ? code : undefined;
}

/** True when the same transaction may succeed if run again: serialisation failure or deadlock. */
export function isTransient(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlState(error) ?? '');
}

/**
 * True when the database cannot be used right now: not reachable, restarting, out of connections or disk, pool exhausted,
 * or read-only after a failover. The request may be repeated later; a write in flight may or may not have happened.
 */
export function isConnectionError(error: unknown): boolean {
  const state = sqlState(error);
  if (state) return /^(08|53|57P0[1-5]|25006)/.test(state);
  const code = errorCode(error);
  if (code) return socketCodes.has(code);
  return error instanceof Error && (lostConnection.test(error.message) || isConnectionError(error.cause));
}

const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);
const lostConnection =
  /^(timeout exceeded when trying to connect|Connection terminated|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

/** The `code` of an error of PostgreSQL or of Node (such as ENOENT), or of the first cause that has one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return errorCode(error.cause);
}
