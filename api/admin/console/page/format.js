const numbers = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const none = '–';
const isNone = (value) => value === undefined || value === null;

/** 12,345; a dash for nothing. */
export const formatNumber = (value) => (isNone(value) ? none : numbers.format(value));

/** 12.3K, for places that are narrow. */
export const formatCompact = (value) => (isNone(value) ? none : compact.format(value));

/** An amount in its currency, without cents where there are none, or where they do not matter. */
export function formatMoney(amount, currency) {
  if (isNone(amount)) return none;
  if (!currency) return numbers.format(amount);
  const digits = Number.isInteger(amount) || Math.abs(amount) >= 1_000 ? 0 : 2;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);
}

/** 1.2 GB. */
export function formatBytes(bytes) {
  if (isNone(bytes)) return none;
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 10 ** (power * 3);
  return `${value.toFixed(power > 0 && value < 10 ? 1 : 0)} ${units[power]}`;
}

const spans = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** 3 min ago, in 2 days; seconds are told as such under a minute. */
export function formatAge(at, now = Date.now()) {
  const seconds = Math.round((new Date(at).getTime() - now) / 1_000);
  const [unit, size] = spans.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  if (unit === 'second' && Math.abs(seconds) < 5) return 'just now';
  return relative.format(Math.trunc(seconds / size), unit);
}

/** 2 h 5 min, 41 s, 1.4 s, 320 ms. */
export function formatDuration(milliseconds) {
  if (isNone(milliseconds)) return none;
  if (milliseconds < 1_000) return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** The date and time of day of this browser. */
export const formatMoment = (at) => moment.format(new Date(at));

/** 4 Mar, of a date such as 2026-03-04. */
export const formatDay = (date) => day.format(new Date(`${date}T00:00:00Z`));
