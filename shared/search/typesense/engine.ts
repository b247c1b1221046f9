import { searchWarnings } from '../warnings.ts';
import type { Pool } from 'pg';
import { plainText } from '../../kit/phrases.ts';
import { readCards, type CardRow } from '../../listings/card.ts';
import type { FoundPage, PageRequest } from '../engine.ts';
import type { Facet } from '../postgres/facet.ts';
import { emptyCounts } from '../postgres/facets.ts';
import type { Position, Search } from '../search.ts';
import type { Suggestions, SuggestRequest } from '../suggest/suggest.ts';
import { readSearchAnswer, type Answer, type Hit } from './answers.ts';
import { choiceSearch, readChoices } from './choices.ts';
import { TypesenseError } from './client.ts';
import type { SearchIndex } from './collections.ts';
import { confirmTarget } from './confirm.ts';
import { facetSearches, readFacetCounts } from './facets.ts';
import { readHighlight } from './highlights.ts';
import { isKeyset, micros, writeKey } from './keyset.ts';
import { UnsupportedQuery, type SearchParameters } from './parameters.ts';
import { isSupported, offsetOf, pageParameters } from './search-parameters.ts';
import { readSuggestions, suggestSearches } from './suggest.ts';
import { termsCollection } from './terms.ts';
import { textParameters } from './relevance.ts';

/** The index names listings that are not what was asked for: it is behind, or has drifted from the database. */
export class StaleIndex extends Error {
  readonly listingIds: string[];
  constructor(listingIds: string[]) {
    super('the search index is behind the database');
    this.listingIds = listingIds;
  }
}

/** Finds pages and suggestions in Typesense; PostgreSQL is asked for the cards of a page by primary key, and for nothing else. */
export function createTypesenseEngine(pool: Pool, index: SearchIndex) {
  const { client, alias, schema } = index;

  /** Asks for some searches at once; the time they may take is over for whatever is asked next. */
  function createAsker() {
    let leftMs = client.deadlines.indexSearch;
    return async <Found = Hit>(searches: SearchParameters[]): Promise<Answer<Found>[]> => {
      const startedAt = performance.now();
      const { results } = await client.ask<{ results?: unknown }>(
        (typesense) => typesense.multiSearch.perform({ searches }),
        { timeoutMs: Math.max(1, Math.round(leftMs)) },
      );
      leftMs -= performance.now() - startedAt;
      if (!Array.isArray(results) || results.length !== searches.length)
        throw new TypesenseError(0, 'the answer holds no results');
      return results.map((each) => readSearchAnswer<Found>(each));
    };
  }

  async function findHits({ search, facets, facetLimit }: PageRequest) {
    const ask = createAsker();
    const { attributes } = schema;
    const choosing = choiceSearch(search, facets, alias, attributes);
    const [chosen] = choosing ? await ask([choosing]) : [];
    const context = { attributes, choices: readChoices(search, chosen?.facet_counts ?? []) };
    const counting = facetSearches(search, facets, alias, context);
    const [page, ...counted] = await ask([pageParameters(search, alias, context), ...counting.searches]);
    const counts = facets.length > 0 ? readFacetCounts(counting.names, counted, facetLimit) : undefined;
    return { page: page!, counts };
  }

  /** The cards of hits, in their order; StaleIndex where one is gone, changed or not to be seen by now. */
  async function readHits({ scope, locale }: Search, hits: readonly Hit[]): Promise<CardRow[]> {
    const versions = new Map(hits.map(({ document: { id, version } }) => [id, version]));
    const ids = [...versions.keys()];
    const cards = await readCards(pool, ids, locale);
    const current = cards.filter(
      ({ id, version, status }) => version === versions.get(id) && scope.everyone.includes(status),
    );
    if (current.length < hits.length) throw new StaleIndex(ids.filter((id) => !current.some((card) => card.id === id)));
    return current;
  }

  return {
    /**
     * As the contract of engines has it; undefined where the search cannot be looked for here. StaleIndex when the index is
     * behind what it names, TypesenseError when it fails.
     */
    async findPage(wish: PageRequest): Promise<FoundPage | undefined> {
      const { search, facets, explain } = wish;
      if (explain || !isSupported(search)) return undefined;
      if (search.filters.impossible) return nothing(facets);
      // Histograms are PostgreSQL's.
      if (facets.some(({ isNumber }) => isNumber)) return undefined;
      try {
        const { page, counts } = await findHits(wish);
        const hits = page.hits.slice(0, search.limit);
        const cards = await readHits(search, hits);
        const highlights = new Map(
          hits.flatMap((hit) => {
            const highlight = readHighlight(hit, search.locale);
            return highlight ? [[hit.document.id, highlight] as const] : [];
          }),
        );
        return {
          ...present(search, page, hits),
          cards,
          warnings: isRelaxed(search, hits) ? [searchWarnings.someWords()] : [],
          facets: counts,
          ...(search.filters.q !== undefined && { highlights }),
        };
      } catch (error) {
        if (error instanceof UnsupportedQuery) return undefined;
        throw error;
      }
    },

    async suggest(wish: SuggestRequest): Promise<Suggestions> {
      if (plainText(wish.q) === '') return { titles: [], terms: [], exact: false };
      return readSuggestions(wish, await createAsker()(suggestSearches(wish, index)));
    },

    /** Fails while searches cannot be answered whole: a write made now has to be read back, and all that searches name be there. */
    async probe(): Promise<void> {
      if ((await confirmTarget(index, { timeoutMs: client.deadlines.indexSearch })) === undefined)
        throw new TypesenseError(404, 'there is no index');
      const words = textParameters('boat', { locale: '', isRanked: true, isStrict: false });
      await createAsker()([
        { collection: alias, ...words, limit: 1, include_fields: 'id' },
        { collection: termsCollection(alias), q: '*', query_by: 'query', limit: 1 },
      ]);
    },
  };
}

export type TypesenseEngine = ReturnType<typeof createTypesenseEngine>;

/** Whether not even the first listing of all has every word. */
const isRelaxed = (search: Search, [first]: readonly Hit[]) =>
  offsetOf(search) === 0 && (first?.text_match_info?.num_tokens_dropped ?? 0) > 0;

const nothing = (facets: readonly Facet[]): FoundPage => ({
  hits: [],
  total: 0,
  next: undefined,
  warnings: [],
  facets: facets.length > 0 ? emptyCounts(facets) : undefined,
});

/** Whether a hit stands among the promoted ones, which come first in the order `newest`. */
const isFeatured = ({ sort, now }: Search, { document }: Hit) =>
  sort === 'newest' && document.featured_until > Number(micros(now));

/** One more hit than the page has tells that another page follows. */
function present(search: Search, page: Answer, found: readonly Hit[]) {
  const seen = offsetOf(search) + found.length;
  const known = search.after && isKeyset(search) ? search.after.total : page.found;
  const total = found.length > 0 ? Math.max(known, seen) : known;
  const follows = page.hits.length > search.limit;
  return {
    hits: found.map((hit) => ({ id: hit.document.id, featured: isFeatured(search, hit), key: null })),
    total,
    next: follows ? nextPosition(search, page, { seen, total }) : undefined,
  };
}

/** Where a page ends: by the key of its last hit, which either engine goes on from, or by number, which names the engine. */
function nextPosition(
  search: Search,
  { hits }: Answer,
  { seen, total }: Pick<Position, 'seen' | 'total'>,
): Position | undefined {
  const lastHit = hits[search.limit - 1];
  if (!lastHit) return undefined;
  const last = lastHit.document;
  const hasPromoted = search.offset > 0 || search.after?.at !== undefined || isFeatured(search, hits[0]!);
  const isTimely = search.sort === 'relevance' || (search.sort === 'newest' && hasPromoted);
  const at = isTimely ? search.now.toISOString() : undefined;
  return isKeyset(search)
    ? {
        id: last.id,
        key: writeKey(search, last),
        featured: isFeatured(search, lastHit),
        at,
        seen,
        total,
      }
    : { id: last.id, key: null, featured: false, engine: 'typesense', at, seen, total };
}
