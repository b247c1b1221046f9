import { DAY_MS } from '../kit/clock.ts';
import { invalid, type FieldError } from '../kit/errors.ts';

/** A time from its first day until the day after its last one. Days are 'YYYY-MM-DD' texts, which sort like the days they name. */
export type Period = { from: string; to: string };

export const MAX_DAYS_LENGTH = 365;

const LAST_DAY = '9999-12-31';

/** The day so many days later, or earlier; never after the end of the year 9999. */
export function shiftDay(day: string, days: number): string {
  const shifted = new Date(timeOf(day) + days * DAY_MS).toISOString();
  return shifted.startsWith('+') ? LAST_DAY : shifted.slice(0, 10);
}

/** How many days a period has; none or less when it ends before it begins. */
export const daysIn = ({ from, to }: Period) => (timeOf(to) - timeOf(from)) / DAY_MS;

/** validation_error unless a period has between one day and 365; `place` is where its `date_from` and `date_to` were sent. */
export function requirePeriod(period: Period, place: '/body' | '/query'): void {
  const error = findFault(period, place);
  if (error) throw invalid('The dates are not valid.', [error]);
}

function findFault(period: Period, place: string): FieldError | undefined {
  const days = daysIn(period);
  if (days < 1) return { path: `${place}/date_to`, message: 'must be after date_from', reason: 'wrong_order' };
  if (days > MAX_DAYS_LENGTH)
    return { path: `${place}/date_to`, message: `must be at most ${MAX_DAYS_LENGTH} days after date_from` };
  return undefined;
}

/** Those parts of a period that lie before the one day or after the other. */
export function periodsOutside({ from, to }: Period, firstDay: string, lastDay: string): Period[] {
  const early = { from, to: earlier(to, firstDay) };
  const late = { from: later(from, shiftDay(lastDay, 1)), to };
  return [early, late].filter((part) => part.from < part.to);
}

/** The later of two days. */
export const later = (a: string, b: string) => (a > b ? a : b);

const earlier = (a: string, b: string) => (a < b ? a : b);

const timeOf = (day: string) => Date.parse(`${day}T00:00:00Z`);
