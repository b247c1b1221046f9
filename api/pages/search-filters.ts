import { BASE_CURRENCY } from '../../shared/rates/exchange-rates.ts';
import { langField } from './parts.ts';
import { formatNumber } from './format.ts';
import { html, raw, type Child, type Markup } from './html.ts';
import type { FacetBounds, FacetList } from './facet-counts.ts';
import { CHOICES, type SearchFacets } from './search-facets.ts';
import { labelOfValue } from './search-labels.ts';
import { firstOf, toAddressQuery, type SearchQuery } from './search-query.ts';
import type { Visit } from './visit.ts';

/** So many values of a filter are seen at once; more are a click away. */
const MAX_SEEN = 6;

/** Fields for what an address has and a form does not show. */
export const hiddenFields = (values: Record<string, string | undefined>): Child =>
  Object.entries(values).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`);

/**
 * The filters as a form: a checkbox for each value of a facet, a pair of fields for each range, both named as the parameters of the
 * API. On a narrow screen it is a sheet that a link opens.
 */
export async function searchFilters(
  visit: Visit,
  query: SearchQuery,
  { counts, attributes }: SearchFacets,
): Promise<Markup> {
  const { words, href } = visit;
  const shown = new Set<string>(['page', 'shipping', 'currency', 'min_price', 'max_price', ...CHOICES]);
  const byAttribute = attributes.map(({ key, label: name, unit, filterType }) => {
    const found = counts[`attr.${key}`];
    const label = name + (unit && filterType === 'range' ? ` (${unit})` : '');
    if (filterType === 'range') {
      const names = [`attr[min_${key}]`, `attr[max_${key}]`] as const;
      if (names.every((name) => !query.has(name)) && hasNothing(found)) return undefined;
      for (const name of names) shown.add(name);
      return range(visit, label, names, query, found as FacetBounds | undefined);
    }
    const group = choices(visit, `attr[${key}]`, label, query, (found as FacetList) ?? []);
    if (group) shown.add(`attr[${key}]`);
    return group;
  });
  const kept = new Map([...query].filter(([name]) => !shown.has(name)));
  return html`<aside class="filters" id="filters" aria-label="${words.search.filters}">
<form action="${href('search', {})}" method="get">${langField(visit)}
<div class="sheet-head"><h2>${words.search.filters}</h2><a class="button plain" href="#results">${words.search.close}</a></div>
${hiddenFields(toAddressQuery(kept))}
${choices(visit, 'category', words.search.category, query, (counts.category as FacetList) ?? [])}
${range(visit, words.search.price, ['min_price', 'max_price'], query, counts.price as FacetBounds | undefined, await currencies(visit, query))}
${byAttribute}
${CHOICES.slice(1).map((name) => choices(visit, name, words.search[name], query, (counts[name] as FacetList) ?? []))}
<fieldset><label class="check"><input type="checkbox" name="shipping" value="true"${firstOf(query, 'shipping') === 'true' && raw(' checked')}> ${words.search.shipping}</label></fieldset>
<div class="actions"><button>${words.search.apply}</button><a href="${href('search', { q: firstOf(query, 'q') })}">${words.search.clear}</a></div>
</form>
</aside>`;
}

const hasNothing = (bounds: FacetList | FacetBounds | undefined) =>
  bounds === undefined || Array.isArray(bounds) || bounds.min === null || bounds.min === bounds.max;

/** In what currency prices are compared; none compares them as they stand. */
async function currencies({ words, services }: Visit, query: SearchQuery): Promise<Markup> {
  const { rates } = await services.rates.read();
  const chosen = firstOf(query, 'currency').toUpperCase();
  const known = [BASE_CURRENCY, ...Object.keys(rates).toSorted()];
  const all = chosen === '' || known.includes(chosen) ? known : [...known, chosen];
  return html`<label class="small">${words.search.currency}<select name="currency"><option value="">${words.search.asListed}</option>
${all.map((code) => html`<option value="${code}"${code === chosen && raw(' selected')}>${code}</option>`)}</select></label>`;
}

function choices(visit: Visit, name: string, label: string, query: SearchQuery, values: FacetList): Child {
  const { words, locale } = visit;
  const chosen = new Set(query.get(name));
  const missing = [...chosen].filter((value) => values.every((each) => each.value !== value));
  const offered: { value: string; count?: number }[] = [
    ...missing.map((value) => ({ value })),
    ...values.toSorted((one, other) => Number(chosen.has(other.value)) - Number(chosen.has(one.value))),
  ];
  if (offered.length === 0) return undefined;
  const box = ({ value, count }: { value: string; count?: number }) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${chosen.has(value) && raw(' checked')}> <span class="name" dir="auto">${labelOfValue(visit, name, value)}</span>${count !== undefined && html` <span class="number">${formatNumber(locale, count)}</span>`}</label>
`;
  const rest = offered.slice(MAX_SEEN);
  return html`<fieldset><legend>${label}</legend>
${offered.slice(0, MAX_SEEN).map(box)}
${rest.length > 0 && html`<details class="more"><summary>${words.search.moreValues}</summary>${rest.map(box)}</details>`}</fieldset>`;
}

function range(
  { words, locale }: Visit,
  label: string,
  names: readonly [min: string, max: string],
  query: SearchQuery,
  bounds: FacetBounds | undefined,
  further?: Markup,
): Markup {
  const isYear = /year/.test(names[0]);
  const field = (which: 'min' | 'max', name: string) => {
    const bound = bounds?.[which];
    const shown =
      bound === null || bound === undefined
        ? words.search[which]
        : isYear
          ? String(bound)
          : formatNumber(locale, bound);
    return html`<input type="number" step="any" min="0" inputmode="decimal" name="${name}" value="${firstOf(query, name)}" aria-label="${label} ${words.search[which]}" placeholder="${shown}">`;
  };
  return html`<fieldset><legend>${label}</legend><div class="pair">${field('min', names[0])}${field('max', names[1])}</div>${further}</fieldset>`;
}
