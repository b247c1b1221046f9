import { countryName, fill } from './format.ts';
import { html, type Child } from './html.ts';
import { toAddressQuery, type SearchQuery } from './search-query.ts';
import type { Visit } from './visit.ts';

/** The name of an attribute as people read it, in the words of the first template that has it. */
function labelOfAttribute({ services: { catalog }, locale }: Visit, key: string): string {
  const template = catalog.assetTypes().find(({ attributes }) => attributes.some((each) => each.key === key));
  const attributes = template ? catalog.localizedAssetType(template, locale).attributes : [];
  return attributes.find((each) => each.key === key)?.label ?? key.replaceAll('_', ' ');
}

/** A value of a filter as people read it. */
export function labelOfValue(visit: Visit, name: string, value: string): string {
  const { words, services, locale } = visit;
  switch (name) {
    case 'category':
      return services.catalog.localizedName(value, locale);
    case 'condition':
      return words.conditions[value as keyof typeof words.conditions] ?? value;
    case 'country':
      return countryName(locale, value.toUpperCase()) || value;
    case 'type':
      return words.types[value as keyof typeof words.types] ?? value;
    default:
      return name.startsWith('attr[') ? valueOfAttribute(visit, name.slice('attr['.length, -1), value) : value;
  }
}

function valueOfAttribute({ words: { yesNo }, services, locale }: Visit, key: string, value: string): string {
  return value in yesNo ? yesNo[value as keyof typeof yesNo] : services.catalog.localizedValue(key, value, locale);
}

/** Parameters that narrow nothing down, or that another one stands for. */
const UNSEEN = new Set(['q', 'sort', 'page', 'currency', 'radius_km', 'include_unpriced']);

/** The filters in force, each with the way to take it away. */
export function filterChips(visit: Visit, query: SearchQuery): Child {
  const { words, href } = visit;
  const chips = [...query].flatMap(([name, values]) => {
    if (UNSEEN.has(name)) return [];
    return values.map((value) => {
      const rest = values.filter((each) => each !== value).join(',');
      const gone = name === 'near' ? { radius_km: undefined, sort: undefined } : {};
      const to = href('search', toAddressQuery(query, { page: undefined, ...gone, [name]: rest || undefined }));
      const label = chipLabel(visit, name, value);
      return html`<li><a href="${to}" aria-label="${fill(words.search.removeFilter, { filter: label })}"><span dir="auto">${label}</span> <span aria-hidden="true">×</span></a></li>`;
    });
  });
  return chips.length > 0 && html`<ul class="chips" aria-label="${words.search.active}">${chips}</ul>`;
}

function chipLabel(visit: Visit, name: string, value: string): string {
  const { words } = visit;
  const [, which, key] = /^(?:attr\[)?(?:(min|max)_)?(\w+)\]?$/.exec(name) ?? [];
  const label = key === 'price' ? words.search.price : labelOfAttribute(visit, key ?? name);
  if (which !== undefined)
    return fill(which === 'min' ? words.search.atLeast : words.search.atMost, { name: label, value });
  if (name === 'near') return fill(words.search.near, { place: value });
  if (name === 'bbox') return words.search.area;
  if (name === 'shipping') return words.search.shipping;
  if (name === 'seller_id') return words.listing.seller;
  return name.startsWith('attr[') ? `${label}: ${labelOfValue(visit, name, value)}` : labelOfValue(visit, name, value);
}
