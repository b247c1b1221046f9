import { correctCategories, suggestCategories } from '../../shared/search/suggest/categories.ts';
import type { Performed } from '../http/perform.ts';
import { onceField } from './forms.ts';
import { fillCount } from './format.ts';
import { html, raw, type Child, type Markup } from './html.ts';
import { showResultsMap } from './map/results-map.ts';
import { feedAddress, feedLinks } from './feed-links.ts';
import { describeSearch } from './json-ld.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard, langField, listingCards, pageLinks, readCardSizes } from './parts.ts';
import { tellWarning } from './refusals.ts';
import { searchWithFacets } from './search-facets.ts';
import { hiddenFields, searchFilters } from './search-filters.ts';
import { filterChips } from './search-labels.ts';
import { firstOf, readSearchQuery, toAddressQuery, type SearchQuery } from './search-query.ts';
import type { Visit } from './visit.ts';

const PAGE_SIZE = '24';
const SORTS = ['relevance', 'newest', 'price_asc', 'price_desc', 'oldest', 'distance'] as const;
/** A map of more is drawn for whoever asks for it. */
const MAX_MAPPED = 5_000;
const MAX_NAMED = 6;
type Found = Performed<'searchListings'>['body'];

/** The results of a search, with its filters as a form and its map: everything works by links and one GET form. */
export const showSearch: PageHandler = async (visit) => {
  const { words, locale } = visit;
  const query = readSearchQuery(visit.query);
  const q = firstOf(query, 'q');
  const { body, effects, facets } = await searchWithFacets(visit, query, {
    limit: PAGE_SIZE,
    ...(q !== '' && { highlight: 'true' }),
  });
  const { total, page: number } = body.pagination;
  const heading = q
    ? fillCount(locale, words.search.resultsFor, total, { q })
    : fillCount(locale, words.search.results, total);
  const [filters, sizes, map] = await Promise.all([
    searchFilters(visit, query, facets),
    readCardSizes(visit, body.results),
    mapOf(visit, query, body),
  ]);
  return {
    tag: 'listings',
    effects,
    page: {
      title: titleOf(visit, query),
      description: heading,
      canonical: visit.url('search', toAddressQuery(query, number === 1 ? { page: undefined } : {})),
      q,
      head: [describeSearch(visit, categoryOf(visit, query)), feedLinks(visit, query)],
      content: html`<div class="results">
${filters}
<section id="results" aria-labelledby="found">
<h1 id="found" dir="auto">${total > 0 ? heading : words.search.none}</h1>
${corrected(visit, body)}
${(body.warnings ?? []).map((warning) => html`<p class="note">${tellWarning(visit, warning)}</p>`)}
${filterChips(visit, query)}
${bar(visit, query, map !== undefined)}
${map}
${total > 0 ? html`<h2 class="unseen">${words.search.listings}</h2>${listingCards(visit, body.results, sizes)}` : nothing(visit, query)}
${pageLinks(visit, body.pagination, (page) => visit.href('search', toAddressQuery(query, { page: String(page) })))}
<p class="soft small foot"><a href="${feedAddress(visit, query)}">${words.search.subscribe}</a></p>
</section>
</div>`,
    },
  };
};

/** What is looked for, or where: the words, else the categories. */
function titleOf({ words, services, locale }: Visit, query: SearchQuery): string {
  const categories = (query.get('category') ?? []).map((id) => services.catalog.localizedName(id, locale));
  return [firstOf(query, 'q') || categories.join(', '), words.search.title].filter(Boolean).join(' · ');
}

/** The categories whose names have what was typed, for a search that finds no listing with it. */
function namedCategories({ words, services, locale, href }: Visit, query: SearchQuery): Child {
  const named = suggestCategories(services.categoryIndex, firstOf(query, 'q'), locale);
  const meant = named.length > 0 ? named : correctCategories(services.categoryIndex, firstOf(query, 'q'), locale);
  const ids = meant.slice(0, MAX_NAMED);
  if (ids.length === 0) return undefined;
  const link = (id: string) =>
    html`<a href="${href('search', { category: id })}">${services.catalog.localizedName(id, locale)}</a> `;
  return html`<p>${words.search.category}: ${ids.map(link)}</p>`;
}

/** The one category that is searched in. */
function categoryOf({ services, locale }: Visit, query: SearchQuery) {
  const [id, ...others] = query.get('category') ?? [];
  if (id === undefined || others.length > 0) return undefined;
  return { id, name: services.catalog.localizedName(id, locale) };
}

function corrected({ words, href }: Visit, { corrected: correction }: Found): Child {
  if (!correction) return undefined;
  const link = html`<a href="${href('search', { q: correction.to })}">${correction.to}</a>`;
  const [before, after] = words.search.showing.split('{q}');
  return html`<p class="note">${before}${link}${after}</p>`;
}

/** The map, where it was asked for or is soon drawn; `map=none` hides it. */
async function mapOf(visit: Visit, query: SearchQuery, { pagination, results }: Found): Promise<Child> {
  const asked = typeof visit.query.map === 'string' ? visit.query.map : undefined;
  const { total, page } = pagination;
  if (asked === 'none' || total === 0) return undefined;
  if (asked === undefined && (total > MAX_MAPPED || page > 1)) return undefined;
  return showResultsMap(visit, query, results, asked);
}

/** What can be done with the results as a whole. */
function bar(visit: Visit, query: SearchQuery, hasMap: boolean): Markup {
  const { words, href } = visit;
  const toMap = href('search', toAddressQuery(query, { page: undefined, map: hasMap ? 'none' : 'all' }));
  return html`<div class="bar">
<a class="button plain open-filters" href="#filters">${words.search.filters}</a>
${sorting(visit, query)}
<a class="button plain" href="${toMap}">${hasMap ? words.search.hideMap : words.search.showMap}</a>
${saving(visit, query, 'plain')}
</div>`;
}

function sorting(visit: Visit, query: SearchQuery): Markup {
  const { words, href, services } = visit;
  const usual = query.has('q') ? services.profile.defaultSort : 'newest';
  const current = firstOf(query, 'sort') || usual;
  const offered = SORTS.filter(
    (sort) => (sort !== 'distance' || query.has('near')) && (sort !== 'relevance' || query.has('q')),
  );
  return html`<form action="${href('search', {})}" method="get">${langField(visit)}
${hiddenFields(toAddressQuery(query, { sort: undefined, page: undefined }))}
<label><span>${words.search.sort}</span> <select name="sort" data-submit>${offered.map(
    (sort) => html`<option value="${sort}"${sort === current && raw(' selected')}>${words.search.sorts[sort]}</option>`,
  )}</select></label>
<noscript><button class="plain">${words.search.apply}</button></noscript>
</form>`;
}

/** Saving the search: a form, or the way to sign in and back here first. */
function saving(visit: Visit, query: SearchQuery, kind: 'plain' | ''): Markup {
  const { words, href, caller, request } = visit;
  if (!caller)
    return html`<a class="button ${kind}" href="${href('sign_in', { next: request.originalUrl })}" title="${words.search.saveSignIn}" rel="nofollow">${words.search.save}</a>`;
  const action = href('saved_searches', toAddressQuery(query, { page: undefined }));
  return html`<form method="post" action="${action}">${formGuard(visit)}${onceField()}<button class="${kind}" name="action" value="save">${words.search.save}</button></form>`;
}

/** An empty page says what to do next. */
function nothing(visit: Visit, query: SearchQuery): Markup {
  const { words, href } = visit;
  return html`<div class="panel nothing"><p>${words.search.noneHelp} ${words.search.saveHelp}</p>${namedCategories(visit, query)}
<div class="stack">${saving(visit, query, '')} <a class="button plain" href="${href('search', {})}">${words.search.noneAll}</a></div></div>`;
}
