import { fieldOf, type Collection, type Document } from './collection.ts';
import { kilometres, readFilter, Refusal } from './filter.ts';
import { countFacets } from './facets.ts';
import { highlight } from './highlight.ts';
import { readQuery, typos, wordsOf, type Query } from './text.ts';

/** As they come in an address, or in JSON. */
export type Parameters = Record<string, string | number | boolean>;

/** Sets by name. */
export type WordSets = {
  synonyms: Map<string, { synonyms: string[]; root?: string }[]>;
  stopWords: Map<string, string[]>;
};

type Hit = { document: Document; place: number; score: number; dropped: number; distances: Record<string, number> };

const MAX_HITS = 250;

/** Answers one search of a collection. */
export function search(collection: Collection, parameters: Parameters, sets: WordSets): object {
  const text = (name: string, fallback = '') => String(parameters[name] ?? fallback);
  const number = (name: string, fallback: number) => Number(parameters[name] ?? fallback);
  const perPage = number('limit', number('per_page', 10));
  if (perPage > MAX_HITS) throw new Refusal(422, `Only upto ${MAX_HITS} hits can be fetched per page.`);
  const page = number('page', 1);
  const offset = parameters['offset'] === undefined ? (page - 1) * perPage : number('offset', 0);
  const fits = readFilter(text('filter_by'), collection);
  const matching = match(collection, parameters, fits, sets);
  const sorted = sort(collection, matching, text('sort_by'));
  const included = text('include_fields') === '' ? undefined : new Set(text('include_fields').split(','));
  return {
    facet_counts: countFacets(
      collection,
      sorted.map(({ document }) => document),
      parameters,
    ),
    found: sorted.length,
    hits: sorted.slice(offset, offset + perPage).map((hit) => present(hit, included, parameters)),
    out_of: collection.documents.size,
    page,
    request_params: { collection_name: collection.name, first_q: text('q'), per_page: perPage, q: text('q') },
    search_cutoff: false,
    search_time_ms: 0,
  };
}

function present(
  { document, score, dropped, distances }: Hit,
  included: Set<string> | undefined,
  parameters: Parameters,
): object {
  const shown = Object.fromEntries(Object.entries(document).filter(([name]) => !included || included.has(name)));
  const isText = String(parameters['q']) !== '*';
  return {
    document: shown,
    ...(Object.keys(distances).length > 0 && { geo_distance_meters: distances }),
    highlight: isText ? highlight(document, parameters) : {},
    highlights: [],
    ...(isText && {
      text_match: score,
      text_match_info: {
        best_field_score: '0',
        best_field_weight: 15,
        fields_matched: 1,
        num_tokens_dropped: dropped,
        score: String(score),
        tokens_matched: 1,
        typo_prefix_score: 0,
      },
    }),
  };
}

type Source = { name: string; weight: number; isPrefix: boolean; typos: number };

function match(
  collection: Collection,
  parameters: Parameters,
  fits: (document: Document) => boolean,
  sets: WordSets,
): Hit[] {
  const sources = readSources(collection, parameters);
  const all = [...collection.documents.values()].flatMap((document, place): Hit[] =>
    fits(document) ? [{ document, place, score: 0, dropped: 0, distances: {} }] : [],
  );
  const q = String(parameters['q']);
  if (q === '*') return all;
  const query = withoutStopWords(readQuery(q), String(parameters['stopwords'] ?? ''), sets);
  const ways = sayOtherwise(query.words, String(parameters['synonym_sets'] ?? ''), sets);
  const threshold = (name: string) => Number(parameters[name] ?? 1);
  const find = (words: string[], mostTypos: number) =>
    all.flatMap((hit) => {
      const score = scoreOf(hit.document, { ...query, words }, sources, mostTypos);
      const dropped = Math.max(0, query.words.length - words.length);
      return score === undefined ? [] : [{ ...hit, dropped, score: score + words.length * 1_000 - mostTypos * 500 }];
    });
  const found = new Map<string, Hit>();
  const add = (hits: Hit[]) => hits.forEach((hit) => found.has(hit.document.id) || found.set(hit.document.id, hit));
  for (const words of ways) add(find(words, 0).map((hit) => ({ ...hit, dropped: 0 })));
  const mostTypos = Math.max(...sources.map(({ typos: most }) => most));
  if (found.size < threshold('typo_tokens_threshold'))
    for (let most = 1; most <= mostTypos; most += 1) add(find(query.words, most));
  for (let kept = query.words.length - 1; kept > 0 && found.size < threshold('drop_tokens_threshold'); kept -= 1)
    add(find(query.words.slice(0, kept), 0));
  return [...found.values()];
}

function readSources(collection: Collection, parameters: Parameters): Source[] {
  const list = (name: string) => String(parameters[name] ?? '').split(',');
  const [names, weights, prefixes, typo] = ['query_by', 'query_by_weights', 'prefix', 'num_typos'].map(list) as [
    string[],
    string[],
    string[],
    string[],
  ];
  return names.map((name, index): Source => {
    const field = fieldOf(collection, name);
    if (!field || field.index === false)
      throw new Refusal(404, `Could not find a field named \`${name}\` in the schema.`);
    return {
      name,
      weight: Number(weights[index] || names.length - index),
      isPrefix: (prefixes[index] ?? prefixes[0]) !== 'false',
      typos: Number(typo[index] || typo[0] || 2),
    };
  });
}

function withoutStopWords(query: Query, set: string, { stopWords }: WordSets): Query {
  if (set === '') return query;
  const stop = stopWords.get(set);
  if (!stop) throw new Refusal(404, `Could not find the stopword set named \`${set}\`.`);
  const dropped = new Set(stop.flatMap(wordsOf));
  return { ...query, words: query.words.filter((word) => !dropped.has(word)) };
}

/** The words as typed, and with each synonym in the place of what it stands for. */
function sayOtherwise(words: string[], set: string, { synonyms }: WordSets): string[][] {
  const ways = [words];
  for (const { root, synonyms: all } of synonyms.get(set) ?? []) {
    const phrases = all.map(wordsOf);
    for (const from of root ? [wordsOf(root)] : phrases) {
      const at = words.findIndex((_, start) => from.every((word, index) => words[start + index] === word));
      if (at === -1) continue;
      for (const to of phrases) ways.push([...words.slice(0, at), ...to, ...words.slice(at + from.length)]);
    }
  }
  return ways;
}

/** The words of each field of a document, cached while the field holds the same. */
const tokenized = new WeakMap<Document, Map<string, { of: unknown; words: string[] }>>();

function wordsIn(document: Document, name: string): string[] {
  const fields = tokenized.get(document) ?? new Map<string, { of: unknown; words: string[] }>();
  tokenized.set(document, fields);
  const value = document[name];
  const known = fields.get(name);
  if (known && known.of === value) return known.words;
  const text = Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? value : '';
  const words = wordsOf(text);
  fields.set(name, { of: value, words });
  return words;
}

/** How well a document has all of the words: by the weightiest field that has each. */
function scoreOf(
  document: Document,
  { words, phrases, excluded }: Query,
  sources: Source[],
  mostTypos: number,
): number | undefined {
  const texts = sources.map((source) => ({ ...source, words: wordsIn(document, source.name) }));
  const isLike = (typed: string, known: string, isLast: boolean, source: Source) => {
    if (typed === known || (source.isPrefix && isLast && known.startsWith(typed))) return true;
    const allowed = Math.min(mostTypos, source.typos, typed.length >= 7 ? 2 : typed.length >= 4 ? 1 : 0);
    return allowed > 0 && typos(typed, known, allowed) <= allowed;
  };
  const weightOf = (word: string, isLast: boolean) =>
    Math.max(
      -1,
      ...texts.map((text) => (text.words.some((known) => isLike(word, known, isLast, text)) ? text.weight : -1)),
    );
  const weights = words.map((word, index) => weightOf(word, index === words.length - 1));
  if (weights.includes(-1)) return undefined;
  if (excluded.some((word) => texts.some((text) => text.words.includes(word)))) return undefined;
  const hasPhrase = (phrase: string[]) =>
    texts.some((text) => ` ${text.words.join(' ')} `.includes(` ${phrase.join(' ')} `));
  if (!phrases.every(hasPhrase)) return undefined;
  return weights.reduce((sum, weight) => sum + weight, 0);
}

type Order = { key: (hit: Hit) => string | number | bigint | undefined; isDescending: boolean };

function sort(collection: Collection, hits: Hit[], sortBy: string): Hit[] {
  const orders = sortBy === '' ? [] : splitOrders(sortBy).map((part) => readOrder(collection, part, hits));
  if (orders.length > 3) throw new Refusal(422, 'Only upto 3 sort_by fields can be specified.');
  const { defaultSortingField: sorting } = collection;
  const fallback: Order[] = [
    { key: ({ score }) => score, isDescending: true },
    ...(sorting === '' ? [] : [{ key: ({ document }: Hit) => document[sorting] as number, isDescending: true }]),
  ];
  return hits.toSorted((a, b) => {
    for (const { key, isDescending } of orders.length > 0 ? orders : fallback) {
      const [left, right] = [key(a), key(b)];
      if (left === undefined || right === undefined) {
        if (left !== right) return left === undefined ? 1 : -1;
      } else if (left < right) return isDescending ? 1 : -1;
      else if (left > right) return isDescending ? -1 : 1;
    }
    return b.place - a.place;
  });
}

/** At the commas outside of brackets. */
function splitOrders(text: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const letter of text) {
    depth += Number('(['.includes(letter)) - Number(')]'.includes(letter));
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts;
}

/** `[(condition):score,…]`: the score of the first condition that a document meets, else none. */
function readScores(text: string, collection: Collection): (document: Document) => number {
  if (!text.startsWith('[')) {
    const isMet = readFilter(text, collection);
    return (document) => Number(isMet(document));
  }
  const scored = splitOrders(text.slice(1, -1)).map((part) => {
    const end = part.lastIndexOf('):');
    if (!part.startsWith('(') || end === -1) throw new Refusal(400, 'Could not parse the sort_by query.');
    return { isMet: readFilter(part.slice(1, end), collection), score: Number(part.slice(end + 2)) };
  });
  return (document) => scored.find(({ isMet }) => isMet(document))?.score ?? 0;
}

/** `buckets: N`: hits in so many groups of about the same size, the best first; as many as there are hits is each by itself. */
function bucketsOf(hits: Hit[], argument: string | undefined): (hit: Hit) => number {
  const count = Number(/^buckets:\s*(\d+)$/.exec(argument ?? '')?.[1] ?? 0);
  const size = count === 0 || hits.length <= count ? 0 : Math.ceil(hits.length / count);
  if (size === 0) return ({ score }) => score;
  const sorted = hits.toSorted((a, b) => b.score - a.score);
  const groups = new Map(sorted.map((hit, index) => [hit, -Math.floor(index / size)]));
  return (hit) => groups.get(hit) ?? 0;
}

function readOrder(collection: Collection, text: string, hits: Hit[]): Order {
  const {
    name = '',
    argument,
    direction,
  } = /^(?<name>[\w.]+)(?:\((?<argument>[\s\S]*)\))?:(?<direction>asc|desc)$/i.exec(text.trim())?.groups ?? {};
  const isDescending = direction?.toLowerCase() === 'desc';
  if (name === '_text_match') return { key: bucketsOf(hits, argument), isDescending };
  if (name === '_eval') {
    const score = readScores(argument ?? '', collection);
    return { key: ({ document }) => score(document), isDescending };
  }
  const field = fieldOf(collection, name);
  if (!field) throw new Refusal(404, `Could not find a field named \`${name}\` in the schema for sorting.`);
  if (field.type === 'geopoint') {
    const center = (argument ?? '').split(',').map(Number) as [number, number];
    for (const hit of hits) {
      const point = hit.document[name] as [number, number] | undefined;
      if (point) hit.distances = { ...hit.distances, [name]: Math.round(kilometres(center, point) * 1_000) };
    }
    return { key: ({ distances }) => distances[name], isDescending };
  }
  return { key: ({ document }) => document[name] as string | number | bigint | undefined, isDescending };
}
