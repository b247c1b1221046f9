import type { SearchPool } from '../search-pool.ts';
import { emptyCounts, type FacetCounts } from '../postgres/facets.ts';
import type { Facet } from '../postgres/facet.ts';
import { effectiveQuery, searchWithRelaxation } from '../query/search-with-relaxation.ts';
import { textQueryAt, type TextQuery } from '../postgres/text-search.ts';
import { COUNT_LIMIT } from '../postgres/total.ts';
import { toPosition, type Hit, type Search } from '../search.ts';
import type { FoundPage, PageRequest } from '../engine.ts';
import { TypesenseError, type TypesenseClient } from './client.ts';
import { readKnownPairs } from './document-words.ts';
import { facetSearches, readFacetCounts, type FacetAnswer } from './facets.ts';
import { MAX_HITS, pageParameters, rankedParameters, RERANK_WINDOW, type SearchParameters } from './query.ts';
import { readRanked } from './ranked.ts';
import { readFound } from './rows.ts';
import { UnsupportedQuery, type KnownPairs } from './words.ts';

/** All that a search may wait for the index: whoever asks is then answered by PostgreSQL, well within 1.5 s. */
const DEADLINE_MS = 700;

/** The index names listings that are not what was asked for: it is behind, or has drifted from the database. */
export class StaleIndex extends Error {
  readonly listingIds: string[];
  constructor(listingIds: string[]) {
    super('the search index is behind the database');
    this.listingIds = listingIds;
  }
}

type Answer = {
  found: number;
  hits: { document: { id: string } }[];
  search_cutoff?: boolean;
  facet_counts: FacetAnswer[];
};
/** What the index has found: how many listings, and those of a page, or the first ones of all; `isAll` when it names every one. */
type Candidates = { total: number; ids: string[]; isAll: boolean; counts: FacetCounts | undefined };

/** Finds pages in Typesense; each listing on them is read from PostgreSQL and held against the search once more. */
export function createTypesenseEngine(pool: SearchPool, client: TypesenseClient, collection: string) {
  async function ask(searches: SearchParameters[], timeoutMs: number): Promise<Answer[]> {
    const { results } = await client.ask<{ results?: unknown }>(
      (typesense) => typesense.multiSearch.perform({ searches }),
      { timeoutMs },
    );
    if (!Array.isArray(results) || results.length !== searches.length)
      throw new TypesenseError(0, 'the answer holds no results');
    return results.map(readAnswer);
  }

  /** Asks for the hits of some searches, and beside them for facets; all that it is asked has one deadline. */
  function createAsker({ search, facets, facetLimit }: PageRequest, known: KnownPairs) {
    let leftMs = DEADLINE_MS;
    async function askInTime(searches: SearchParameters[]): Promise<Answer[]> {
      const startedAt = performance.now();
      const answers = await ask(searches, Math.max(1, Math.round(leftMs)));
      leftMs -= performance.now() - startedAt;
      return answers;
    }
    return async (searches: SearchParameters[], words: string | undefined) => {
      const counting = facetSearches(search, facets, collection, known, words);
      const answers = await askInTime([...searches, ...counting.searches]);
      const counted = answers.slice(searches.length);
      const counts = facets.length > 0 ? readFacetCounts(counting.names, counted, facetLimit) : undefined;
      const more = async (next: SearchParameters[]) => (next.length > 0 ? askInTime(next) : []);
      return { answers: answers.slice(0, searches.length), counts, more };
    };
  }
  type Asker = ReturnType<typeof createAsker>;

  /** The listings of a page in an order that the index knows; `words` is what they have to match. */
  async function findPage(wish: PageRequest, known: KnownPairs, asking: Asker, words?: string): Promise<Candidates> {
    const { answers, counts } = await asking([pageParameters(wish.search, collection, known, words)], words);
    const [{ found, hits }] = answers as [Answer];
    return { total: found, ids: hits.map(idOf), isAll: hits.length === found, counts };
  }

  /** The listings that a page is ranked from: those with all of the words, then those with some. */
  async function findRanked(
    wish: PageRequest,
    known: KnownPairs,
    asking: Asker,
    asked: TextQuery,
  ): Promise<Candidates> {
    const { all, some } = rankedParameters(wish.search, asked, collection, known);
    const wanted = [all, some].filter((each) => each !== undefined);
    const first = { offset: 0, limit: MAX_HITS };
    const { answers, counts, more } = await asking(
      wanted.map((each) => ({ ...each, ...first })),
      effectiveQuery(asked),
    );
    const unfinished = wanted.filter((_, index) => answers[index]!.found > MAX_HITS);
    const rest = await more(unfinished.map((each) => ({ ...each, offset: MAX_HITS, limit: RERANK_WINDOW - MAX_HITS })));
    const ids = [...new Set([...answers, ...rest].flatMap(({ hits }) => hits.map(idOf)))];
    const isAll = answers.every(({ found }) => found <= RERANK_WINDOW);
    return { total: totalOf(all && answers[0]?.found, some && answers.at(-1)?.found), ids, isAll, counts };
  }

  async function findWords(wish: PageRequest, q: string): Promise<FoundPage> {
    const { search } = wish;
    const { after, sort } = search;
    const { keys: known } = await readKnownPairs(pool);
    const asking = createAsker(wish, known);
    const isRanked = sort === 'relevance';
    const find = async (asked: TextQuery): Promise<Candidates> => {
      if (isRanked) return findRanked(wish, known, asking, asked);
      const found = await findPage(wish, known, asking, effectiveQuery(asked));
      return { ...found, total: asked.relaxedOnly ? Math.min(found.total, MAX_RELAXED) : found.total };
    };
    const again = after && textQueryAt(after);
    const relaxed = again
      ? { found: await find(again), asked: again, warnings: [] }
      : await searchWithRelaxation(pool, search, q, find);
    const { found, asked, warnings } = relaxed;
    const rows = isRanked ? await rank(search, asked, found) : await read(search, found.ids);
    return { ...present(search, rows, found.total, asked), warnings, textQuery: asked, facets: found.counts };
  }

  async function read(search: Search, ids: string[]): Promise<Hit[]> {
    const rows = await readFound(pool, search, ids);
    if (rows.length < ids.length) throw new StaleIndex(ids.filter((id) => !rows.some((row) => row.id === id)));
    return rows;
  }

  async function rank(search: Search, asked: TextQuery, { ids, isAll }: Candidates): Promise<Hit[]> {
    const { after, limit } = search;
    const rows = await readRanked(pool, search, asked, ids);
    const matching = rows[0]?.total ?? ids.length;
    if (matching < ids.length) {
      await read({ ...search, sort: 'newest', after: undefined }, ids);
      throw new UnsupportedQuery('the index takes words for a row that are none');
    }
    // Whatever else is ranked with those before the position has to be among those named.
    const isCut = after?.rank !== undefined && after.rank.tier >= 0 && !ids.includes(after.rank.cutId);
    if (after && !isAll && (isCut || rows.length <= limit)) throw new UnsupportedQuery('the ranking goes on elsewhere');
    return rows;
  }

  return {
    /**
     * As the contract of engines has it; undefined where the search cannot be looked for here. StaleIndex when the index is
     * behind what it names, TypesenseError when it fails.
     */
    async findPage(wish: PageRequest): Promise<FoundPage | undefined> {
      const { search, facets } = wish;
      if (search.filters.impossible) return nothing(facets);
      // Histograms are PostgreSQL's.
      if (facets.some(({ isNumber }) => isNumber)) return undefined;
      try {
        if (search.filters.q !== undefined) return await findWords(wish, search.filters.q);
        const { total, ids, counts } = await findPage(wish, NONE, createAsker(wish, NONE));
        return { ...present(search, await read(search, ids), total, {}), warnings: [], facets: counts };
      } catch (error) {
        if (error instanceof UnsupportedQuery) return undefined;
        throw error;
      }
    },

    /** Fails while searches cannot be answered. */
    async probe(): Promise<void> {
      const parameters = { collection, q: '*', query_by: 'status', limit: 1, include_fields: 'id' };
      await ask([parameters], DEADLINE_MS);
    },
  };
}

export type TypesenseEngine = ReturnType<typeof createTypesenseEngine>;

const NONE: KnownPairs = new Set();
const idOf = ({ document }: Answer['hits'][number]) => document.id;

/** Of listings with some of the words PostgreSQL finds no more, and counts no more. */
const MAX_RELAXED = 2_000;

/** Those with some of the words are told with those that have all. */
function totalOf(all: number | undefined, some: number | undefined): number {
  const full = all ?? 0;
  return full + Math.min(MAX_RELAXED, Math.max(0, (some ?? full) - full));
}

function readAnswer(answer: unknown): Answer {
  const {
    found,
    hits,
    search_cutoff: isCut,
    code,
    error,
  } = (answer ?? {}) as Partial<Answer> & Record<string, unknown>;
  if (error !== undefined) throw new TypesenseError(Number(code) || 0, JSON.stringify(error).slice(0, 300));
  if (typeof found !== 'number' || !Array.isArray(hits) || isCut === true)
    throw new TypesenseError(0, 'the answer is not complete');
  return answer as Answer;
}

const nothing = (facets: readonly Facet[]): FoundPage => {
  return {
    hits: [],
    total: 0,
    next: undefined,
    warnings: [],
    facets: facets.length > 0 ? emptyCounts(facets) : undefined,
  };
};

/** One more listing than the page has tells that another page follows; of pages of a ranking by number, the total does. */
function present(search: Search, found: readonly Hit[], matches: number, asked: Partial<TextQuery>) {
  const { after, limit, offset, sort } = search;
  const hits = found.slice(0, limit);
  const seen = (after?.seen ?? offset) + hits.length;
  const total = Math.max(after ? after.total : Math.min(matches, COUNT_LIMIT), hits.length > 0 ? seen : 0);
  const follows = found.length > limit || (sort === 'relevance' && !after && hits.length > 0 && total > seen);
  return { hits, total, next: follows ? toPosition(hits, search, { seen, total, ...asked }) : undefined };
}
