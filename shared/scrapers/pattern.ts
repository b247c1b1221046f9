import { createContext, Script, type Context } from 'node:vm';
import { deadlinesOf } from '../kit/deadlines.ts';

const MAX_PATTERN_LENGTH = 500;
const MAX_URL_LENGTH = 2_048;
/** Long enough for what grows exponentially, short enough for what is merely slow on addresses nobody uses. */
const PROBE_LENGTH = 256;

/** Tells which of some absolute URLs match; throws an Error when that takes too long. */
export type UrlPattern = (urls: readonly string[]) => boolean[];

/** Of so many characters even a quadratic pattern is done in a fraction of a second. */
const MAX_PLAIN_CHARS = 100_000;

const matching = new Script('urls.map((url) => pattern.test(url))');

/** Results that are remembered, so that the links which every page of a site has are matched once. */
const MAX_CACHED = 20_000;

/**
 * Compiles a JavaScript regular expression for URLs of at most 2,048 characters (longer ones never match). Matching runs
 * under a time limit, generous since a busy machine may hold up a sound pattern, because a pattern such as `(a+)+$` would otherwise hold the process for ever; only one
 * that cannot take long needs none. Throws a SyntaxError.
 */
export function compilePattern(source: string, timeLimitMs = deadlinesOf().pattern): UrlPattern {
  const pattern = new RegExp(source); // built at run time: an admin's, which matches under the time limit below
  const isShort = (url: string) => url.length <= MAX_URL_LENGTH;
  const context = createContext({ pattern, urls: [] as string[] });
  let known = new Map<string, boolean>();
  const isQuick = isPlain(source);
  return (urls) => {
    if (isQuick && lengthOf(urls) <= MAX_PLAIN_CHARS) return urls.map((url) => isShort(url) && pattern.test(url));
    if (known.size > MAX_CACHED) known = new Map();
    const open = [...new Set(urls.filter((url) => isShort(url) && !known.has(url)))];
    if (open.length > 0) {
      context['urls'] = open;
      const matches = Array.from(runInTime(context, timeLimitMs));
      for (const [index, url] of open.entries()) known.set(url, matches[index] ?? false);
    }
    return urls.map((url) => known.get(url) ?? false);
  };
}

/**
 * True for patterns whose worst case is short: letters, classes and plain groups with one open repetition at most, so that
 * their steps grow with the square of an address at worst. Starting a time limit costs more than thousands of these.
 */
function isPlain(source: string): boolean {
  const bare = source.replaceAll(/\\[^\dk]/g, 'x').replaceAll(/\[[^[\]]*\]/g, 'x');
  const open = bare.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  return open <= 1 && !/\\|\)[*+?{]|\(\?[<=!]/.test(bare);
}

const lengthOf = (urls: readonly string[]): number => urls.reduce((sum, { length }) => sum + length, 0);

function runInTime(context: Context, timeLimitMs: number): boolean[] {
  try {
    return matching.runInContext(context, { timeout: timeLimitMs }) as boolean[];
  } catch (error) {
    throw new Error('A pattern takes too long on the links of this page.', { cause: error });
  }
}

/** What is wrong with a pattern that somebody typed; undefined when it compiles and copes with awkward URLs in time. */
export function patternProblem(source: string, withinMs = deadlinesOf().patternProbe): string | undefined {
  if (source === '') return 'A pattern may not be empty.';
  if (source.length > MAX_PATTERN_LENGTH) return `A pattern has at most ${MAX_PATTERN_LENGTH} characters.`;
  try {
    compilePattern(source, withinMs)(awkwardUrls(source));
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return `This is not a JavaScript regular expression: ${error.message}`;
    return 'This pattern takes too long on some URLs; avoid repetitions within repetitions.';
  }
}

/**
 * Long runs, behind the literal beginnings of the pattern and with an end that does not fit: what makes a bad pattern go
 * back and forth. It finds the usual mistakes early; the time limit while crawling stops the others.
 */
function awkwardUrls(source: string): string[] {
  const literals = source.replaceAll(/\\([^\w])/g, '$1').match(/[\w\-/.=&%:?]+/g) ?? [];
  const beginnings = ['https://example.com/', ''];
  for (const literal of literals.slice(0, 6)) beginnings.push((beginnings.at(-1) ?? '') + literal);
  const units = ['a', '0', '-', 'a-', 'a/', ...new Set(literals.slice(0, 6))];
  return beginnings.flatMap((beginning) =>
    units.map((unit) => `${beginning}${unit.repeat(PROBE_LENGTH)}`.slice(0, PROBE_LENGTH) + '\u0000'),
  );
}
