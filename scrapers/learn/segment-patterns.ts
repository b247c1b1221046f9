import { escapePattern } from './escape-pattern.ts';

/** One way to describe the values that stand at one place of some addresses; `cost` grows with what it takes on trust. */
export type PlacePattern = { source: string; cost: number };

const ANY = '[^/?#]+';
const EXTENSION = /\.[a-z]{2,5}$/i;
/** A number that names one thing: long, or beside a separator. */
const ID_LENGTH = 4;
const FEW = 8;

/**
 * Describes the values of one place of some addresses, one by one of their common features: all the same, a number, a number
 * at either end, a code, a common beginning, end or middle, anything. `isWord` says that a constant names the kind of page
 * rather than what it happens to be about.
 */
export function describePlace(values: readonly string[], isWord: (value: string) => boolean): PlacePattern[] {
  const [first = ''] = values;
  if (values.every((value) => value === first)) {
    if (/^\d+$/.test(first)) return [{ source: String.raw`\d+`, cost: 0 }, literal(first, 0.08), any(0.06)];
    return isWord(first) ? [literal(first, 0), any(0.08)] : [literal(first, 0.02), any(0)];
  }
  const extension = commonExtension(values);
  const end = escapePattern(extension);
  const stems = values.map((value) => value.slice(0, value.length - extension.length));
  return [...describeIds(stems, end), ...describeTexts(stems, end), { source: ANY + end, cost: 0.04 }];
}

const literal = (value: string, cost: number): PlacePattern => ({ source: escapePattern(value), cost });
const any = (cost: number): PlacePattern => ({ source: ANY, cost });

function describeIds(values: readonly string[], end: string): PlacePattern[] {
  // Digits of escaped letters count nothing.
  const stems = values.map((value) => value.replaceAll(/%[0-9a-f]{2}/gi, 'x'));
  const most = (pattern: RegExp) => stems.filter((stem) => pattern.test(stem)).length >= stems.length * 0.95;
  const digits = stems.every((stem) => (/\d+/.exec(stem)?.[0].length ?? 0) >= ID_LENGTH)
    ? `\\d{${ID_LENGTH},}`
    : '\\d+';
  const found: PlacePattern[] = [];
  if (most(/^\d+$/)) found.push({ source: `\\d+${end}`, cost: 0 }, { source: `${digits}${end}`, cost: 0.01 });
  else if (most(/^\d+[-_.,;~]/)) found.push({ source: `\\d+[-_.,;~]${ANY}${end}`, cost: 0 });
  const uuid = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
  if (most(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i)) found.push({ source: `[^/?#]*${uuid}${end}`, cost: 0 });
  const tail = commonTail(stems);
  if (tail !== undefined) found.push({ source: `[^/?#]*${tail}${end}`, cost: 0 });
  if (most(/(?=[^?#/]*\d)^[0-9a-f]{12,}$/i)) found.push({ source: `[0-9a-f]{12,}${end}`, cost: 0 });
  // That a few of them hold digits may be chance.
  const chance = stems.length < FEW ? 0.05 : 0;
  if (most(/\d{4}/)) found.push({ source: `[^/?#]*\\d{4}[^/?#]*${end}`, cost: 0.02 + chance });
  if (most(/\d/)) found.push({ source: `[^/?#]*\\d[^/?#]*${end}`, cost: 0.035 + chance });
  return found;
}

/** What stands before the last number when it is alike everywhere: `-x\d+`, `-p-\d+`, `-\d+-\d+`. */
function commonTail(stems: readonly string[]): string | undefined {
  const tails = new Map<string, number>();
  for (const stem of stems) {
    const tail = /[-_.,;~](?:[a-z]{1,4}-?)?\d+(?:[-_]\d+)?$/i.exec(stem)?.[0];
    if (tail === undefined) return undefined;
    const shape = escapePattern(tail).replaceAll(/\d+/g, String.raw`\d+`);
    tails.set(shape, (tails.get(shape) ?? 0) + 1);
  }
  const [best] = [...tails].toSorted((a, b) => b[1] - a[1]);
  return best && best[1] >= stems.length * 0.95 ? best[0] : undefined;
}

function describeTexts(stems: readonly string[], end: string): PlacePattern[] {
  const found: PlacePattern[] = [];
  const chance = stems.length < FEW ? 0.05 : 0;
  const prefix = upToSeparator(commonPrefix(stems));
  if (prefix.length >= 2) found.push({ source: `${escapePattern(prefix)}[^/?#]*${end}`, cost: 0.03 + chance });
  const suffix = reverse(commonPrefix(stems.map(reverse))).replace(/^[^-_.,;~]*/, '');
  if (suffix.length >= 3) found.push({ source: `[^/?#]*${escapePattern(suffix)}${end}`, cost: 0.035 + chance });
  const middle = commonMiddle(stems);
  if (middle !== undefined) found.push({ source: `[^/?#]*${escapePattern(middle)}[^/?#]*${end}`, cost: 0.01 });
  if (stems.every((stem) => /[-_+]|%[0-9a-f]{2}/i.test(stem)))
    found.push({ source: `[^/?#]*(?:[-_+]|%[0-9A-Fa-f]{2})[^/?#]*${end}`, cost: 0.045 });
  return found;
}

/** Up to the last separator, so that no word is cut in two. */
const upToSeparator = (text: string): string =>
  text.slice(0, Math.max(...['-', '_', '.', ',', ';', '~', '%'].map((sign) => text.lastIndexOf(sign))) + 1);

/** A marker between separators of different kinds, such as `;m-p-`. */
function commonMiddle([first = '', ...others]: readonly string[]): string | undefined {
  const markers = first.match(/[;,~!$@][a-z][a-z-]{0,6}-/gi) ?? [];
  return markers.find((marker) => others.every((other) => other.includes(marker)));
}

function commonExtension(values: readonly string[]): string {
  const [first = ''] = values;
  const extension = EXTENSION.exec(first)?.[0] ?? '';
  return values.every((value) => value.endsWith(extension)) ? extension : '';
}

function commonPrefix([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) {
    let same = 0;
    while (same < length && other[same] === first[same]) same += 1;
    length = same;
  }
  return first.slice(0, length);
}

const reverse = (text: string): string => [...text].toReversed().join('');
