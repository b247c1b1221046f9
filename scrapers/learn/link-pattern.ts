import { escapePattern } from './escape-pattern.ts';
import { describePlace, type PlacePattern } from './segment-patterns.ts';

/** A regular expression for addresses, how many of the wanted it matches (0-1), and what share of its matches are others. */
export type InducedPattern = { pattern: string; coverage: number; strays: number };

/** Addresses of one structure: as many folders, and the same names in the query. */
type Structure = { hosts: Set<string>; paths: string[][]; queries: URLSearchParams[]; urls: string[] };

const MAX_WANTED = 200;
const MAX_OTHERS = 1_000;
const MAX_CANDIDATES = 100;
/** A further structure is worth a pattern of its own when it holds so many of the addresses. */
const MIN_SHARE = 0.15;
const MAX_PATTERN_LENGTH = 500;

/**
 * Induces the address pattern of the pages of one kind from examples (a wrapper over URL tokens): each folder, the last part
 * and the query are described in every way that fits the examples, and the combination is taken that matches most of them,
 * fewest of the `others`, and takes least on trust. `context` is the address they were found at: what is constant because of
 * it is no feature. Undefined without examples, or when nothing tells them from the others.
 */
export function induceLinkPattern(
  wanted: readonly string[],
  others: readonly string[],
  context: string,
): InducedPattern | undefined {
  const examples = [...new Set(wanted)].filter((url) => URL.canParse(url)).slice(0, MAX_WANTED);
  const known = new Set(examples);
  const strangers = [...new Set(others)].filter((url) => !known.has(url)).slice(0, MAX_OTHERS);
  const structures = structuresOf(examples);
  const found = structures.flatMap((structure) => bestOf(structure, strangers, context) ?? []);
  const sources = [...new Set(found.map(({ pattern }) => pattern))];
  const joined = sources.length > 1 && sources.join('|').length <= MAX_PATTERN_LENGTH ? sources : sources.slice(0, 1);
  const pattern = joined.join('|');
  if (pattern === '') return undefined;
  return { pattern, ...judgePattern(pattern, examples, strangers) };
}

function judgePattern(pattern: string, examples: string[], strangers: string[]): { coverage: number; strays: number } {
  const expression = new RegExp(pattern); // built at run time: from classes and escaped parts of addresses of 2,048 characters at most
  const right = examples.filter((url) => expression.test(url)).length;
  const wrong = strangers.filter((url) => expression.test(url)).length;
  return { coverage: right / examples.length, strays: right + wrong === 0 ? 0 : wrong / (right + wrong) };
}

function structuresOf(urls: readonly string[]): Structure[] {
  const structures = new Map<string, Structure>();
  for (const url of urls) {
    const { hostname, pathname, searchParams } = new URL(url);
    const path = pathname.split('/').slice(1);
    const key = [path.length, ...new Set(searchParams.keys())].join(' ');
    const structure = structures.get(key) ?? { hosts: new Set(), paths: [], queries: [], urls: [] };
    structure.hosts.add(hostname.replace(/^www\./, ''));
    structure.paths.push(path);
    structure.queries.push(searchParams);
    structure.urls.push(url);
    structures.set(key, structure);
  }
  return [...structures.values()]
    .filter((structure) => structure.urls.length >= urls.length * MIN_SHARE)
    .toSorted((a, b) => b.urls.length - a.urls.length);
}

function bestOf(structure: Structure, strangers: string[], context: string): InducedPattern | undefined {
  const scored = candidatesOf(structure, context).map(({ source, cost }) => {
    const judged = judgePattern(source, structure.urls, strangers);
    return { pattern: source, ...judged, score: judged.coverage - judged.strays - cost };
  });
  return scored.toSorted((a, b) => b.score - a.score)[0];
}

function candidatesOf({ hosts, paths, queries }: Structure, context: string): PlacePattern[] {
  const around = new Set(URL.canParse(context) ? new URL(context).pathname.split('/') : []);
  const isWord = (value: string) => !around.has(value);
  const length = paths[0]?.length ?? 0;
  const places = Array.from({ length }, (_, index) => paths.map((path) => path[index] ?? ''));
  // A slash at the end is an empty last part: what stands before it is what differs.
  const isSlashed = length > 1 && places.at(-1)?.every((value) => value === '') === true;
  const named = isSlashed ? places.slice(0, -1) : places;
  const [host = ''] = hosts;
  const start = `^https?://${hosts.size === 1 ? `(?:www\\.)?${escapePattern(host)}` : '[^/?#]+'}(?::\\d+)?`;
  let combined: PlacePattern[] = [{ source: start, cost: 0 }];
  for (const values of named) {
    const described = describePlace(values, isWord);
    combined = combined
      .flatMap((before) =>
        described.map(({ source, cost }) => ({ source: `${before.source}/${source}`, cost: before.cost + cost })),
      )
      .toSorted((a, b) => a.cost - b.cost)
      .slice(0, MAX_CANDIDATES);
  }
  const slash = isSlashed ? '/?' : '';
  const ends = describeQuery(queries);
  return combined
    .flatMap((path) => ends.map((end) => ({ source: path.source + slash + end.source, cost: path.cost + end.cost })))
    .filter(({ source }) => source.length <= MAX_PATTERN_LENGTH);
}

/** What has to be in the query: the parameters whose values differ like numbers or names, with or without the constant ones. */
function describeQuery(queries: URLSearchParams[]): PlacePattern[] {
  const names = [...new Set(queries[0]?.keys())];
  if (names.length === 0)
    return [
      { source: '$', cost: 0 },
      { source: '(?:[?#]|$)', cost: 0.01 },
    ];
  const values = (name: string) => queries.map((query) => query.get(name) ?? '');
  const part = (name: string) => {
    const [first = '', ...rest] = values(name);
    const all = [first, ...rest];
    if (rest.every((value) => value === first)) return `${nameOf(name)}=${escapePattern(encodeValue(first))}`;
    return `${nameOf(name)}=${all.every((value) => /^\d+$/.test(value)) ? '\\d+' : '[^&#]+'}`;
  };
  const differing = names.filter((name) => new Set(values(name)).size > 1);
  const keys = differing.filter((name) => new Set(values(name)).size >= queries.length * 0.8);
  const described = keys.flatMap((name) => [
    { source: `\\?(?:[^#]*&)?${part(name)}`, cost: 0.01 },
    { source: `\\?${part(name)}$`, cost: 0 },
  ]);
  const whole = names.map(part).join('&');
  return [
    ...described,
    { source: `\\?${whole}(?:[&#]|$)`, cost: 0.03 },
    { source: '(?:[?#]|$)', cost: keys.length > 0 ? 0.06 : 0 },
    { source: '\\?', cost: 0.05 },
  ];
}

/** Names of parameters are compared as they stand in addresses, encoded or not. */
const nameOf = (name: string): string =>
  escapePattern(name).replaceAll('\\[', '(?:\\[|%5B)').replaceAll('\\]', '(?:\\]|%5D)');

const encodeValue = (value: string): string => value.replaceAll(' ', '%20');
