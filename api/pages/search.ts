import type { Performed } from '../http/perform.ts';
import { fill, formatNumber, countryName } from './format.ts';
import { feedLinks } from './feed-links.ts';
import { html, raw, type Child, type Markup } from './html.ts';
import { onceField } from './forms.ts';
import { formGuard, listingCards, pageLinks } from './parts.ts';
import { describeSearch } from './json-ld.ts';
import type { PageHandler } from './page-handler.ts';
import { firstOf, readSearchQuery, toAddressQuery, toOperationQuery, type SearchQuery } from './search-query.ts';
import type { Visit } from './visit.ts';

const PAGE_SIZE = '24';
const SORTS = ['relevance', 'newest', 'price_asc', 'price_desc', 'oldest', 'distance'] as const;
/** Filters with few values, as checkboxes named as the parameters of the API. */
const CHOICES = ['category', 'condition', 'country', 'type'] as const;
type Found = Performed<'searchListings'>['body'];

/** The results of a search, with its filters as a form: everything works by links and one GET form. */
export const showSearch: PageHandler = async (visit) => {
  const { words, locale, services } = visit;
  const query = readSearchQuery(visit.query);
  const q = firstOf(query, 'q');
  const facets = [...CHOICES, 'price', ...(services.profile.name === 'nautical' ? ['attr.year', 'attr.length'] : [])];
  const { body, effects } = await visit.perform('searchListings', {
    query: {
      ...toOperationQuery(query),
      limit: PAGE_SIZE,
      facets: facets.join(','),
      ...(q !== '' && { highlight: 'true' }),
    },
  });
  const { total } = body.pagination;
  const count = formatNumber(locale, total);
  const heading = q ? fill(words.search.resultsFor, { count, q }) : fill(words.search.results, { count });
  return {
    tag: 'listings',
    effects,
    page: {
      title: q ? `${q} · ${words.search.title}` : words.search.title,
      description: heading,
      canonical: visit.url('search', toAddressQuery(query, firstOf(query, 'page') === '1' ? { page: undefined } : {})),
      q,
      head: [describeSearch(visit, categoryOf(visit, query)), feedLinks(visit, query)],
      content: html`<h1>${total > 0 ? heading : words.search.none}</h1>
${corrected(visit, body)}
${(body.warnings ?? []).map((warning) => html`<p class="note">${warning}</p>`)}
<div class="results">
${filters(visit, query, body)}
<div>
${sorting(visit, query)}
${total > 0 ? listingCards(visit, body.results) : html`<p class="note">${words.search.noneHelp}</p>`}
${pageLinks(visit, body.pagination, (page) => visit.href('search', toAddressQuery(query, { page: String(page) })))}
</div>
</div>`,
    },
  };
};

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

function sorting(visit: Visit, query: SearchQuery): Markup {
  const { words, href, caller } = visit;
  const current = firstOf(query, 'sort');
  const offered = SORTS.filter(
    (sort) => (sort !== 'distance' || query.has('near')) && (sort !== 'relevance' || query.has('q')),
  );
  return html`<div class="bar">
<form action="${href('search', {})}" method="get">
${hidden(toAddressQuery(query, { sort: undefined, page: undefined }))}
<label>${words.search.sort} <select name="sort" data-submit>${offered.map(
    (sort) => html`<option value="${sort}"${sort === current && raw(' selected')}>${words.search.sorts[sort]}</option>`,
  )}</select></label>
<noscript><button class="plain">${words.search.apply}</button></noscript>
</form>
${
  caller &&
  html`<form method="post" action="${href('saved_searches', toAddressQuery(query, { page: undefined }))}">${formGuard(visit)}${onceField()}<button class="plain" name="action" value="save">${words.search.save}</button></form>`
}
</div>`;
}

const hidden = (values: Record<string, string | undefined>): Child =>
  Object.entries(values).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`);

type FacetList = { value: string; count: number; label?: string }[];
type Bounds = { min: number | null; max: number | null };

/** The filters as a form: one checkbox per value of a facet, one pair of fields per range. */
function filters(visit: Visit, query: SearchQuery, { facets = {} }: Found): Markup {
  const { words, href, locale } = visit;
  const names: Record<(typeof CHOICES)[number], (value: string, label?: string) => string> = {
    category: (value, label) => label ?? value,
    condition: (value) => words.conditions[value as keyof typeof words.conditions] ?? value,
    country: (value) => countryName(locale, value) || value,
    type: (value) => words.types[value as keyof typeof words.types] ?? value,
  };
  const kept = new Map([...query].filter(([name]) => !hasField(name)));
  const found = facets as Record<string, FacetList | Bounds>;
  return html`<details class="filters" open>
<summary>${words.search.filters}</summary>
<form action="${href('search', {})}" method="get">
${hidden(toAddressQuery(kept))}
${CHOICES.map((name) => choices(visit, name, query.get(name) ?? [], (found[name] as FacetList) ?? [], names[name]))}
${range(visit, words.search.price, ['min_price', 'max_price'], query, found.price as Bounds | undefined)}
${'attr.year' in found && range(visit, words.search.year, ['attr[min_year]', 'attr[max_year]'], query, found['attr.year'] as Bounds)}
${'attr.length' in found && range(visit, words.search.length, ['attr[min_length]', 'attr[max_length]'], query, found['attr.length'] as Bounds)}
<fieldset><label class="check"><input type="checkbox" name="shipping" value="true"${firstOf(query, 'shipping') === 'true' && raw(' checked')}> ${words.search.shipping}</label></fieldset>
<div class="actions"><button>${words.search.apply}</button><a href="${href('search', { q: firstOf(query, 'q') })}">${words.search.clear}</a></div>
</form>
</details>`;
}

const MAX_CHOICES = 12;

function choices(
  { words, locale }: Visit,
  name: (typeof CHOICES)[number],
  chosen: readonly string[],
  values: FacetList,
  nameOf: (value: string, label?: string) => string,
): Child {
  const missing = chosen.filter((value) => values.every((each) => each.value !== value));
  const offered = [...missing.map((value) => ({ value, count: 0, label: undefined })), ...values].slice(0, MAX_CHOICES);
  if (offered.length === 0) return undefined;
  return html`<fieldset><legend>${words.search[name]}</legend>
${offered.map(
  ({ value, count, label }) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${chosen.includes(value) && raw(' checked')}> ${nameOf(value, label)} <span>${formatNumber(locale, count)}</span></label>
`,
)}</fieldset>`;
}

function range(
  { words, locale }: Visit,
  label: string,
  names: readonly [min: string, max: string],
  query: SearchQuery,
  bounds: Bounds | undefined,
): Markup {
  const field = (which: 'min' | 'max', name: string) => {
    const bound = bounds?.[which];
    const shown = bound === null || bound === undefined ? words.search[which] : formatNumber(locale, bound);
    return html`<input type="number" step="any" min="0" name="${name}" value="${firstOf(query, name)}" aria-label="${label} ${words.search[which]}" placeholder="${shown}">`;
  };
  return html`<fieldset><legend>${label}</legend><div class="pair">${field('min', names[0])}${field('max', names[1])}</div></fieldset>`;
}

/** Whether the form of filters has a field of that name; others are carried along. */
const hasField = (name: string) =>
  (CHOICES as readonly string[]).includes(name) || /^(?:attr\[)?(?:min|max)_|^shipping$|^page$/.test(name);
