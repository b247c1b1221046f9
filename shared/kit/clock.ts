/** The source of "now" for every rule about time. Tests move it; the services follow the clock of the machine. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
export const DAY_SECONDS = 86_400;

export function addMilliseconds(at: Date, milliseconds: number): Date {
  return new Date(at.getTime() + milliseconds);
}

/** The day of a time in UTC, as 'YYYY-MM-DD'. */
export const dayOf = (at: Date) => at.toISOString().slice(0, 10);
