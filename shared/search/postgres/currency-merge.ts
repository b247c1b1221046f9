import { priceBoundsByCurrency } from '../../rates/conversion.ts';
import { renderNamed, scanFilters, sortsByMoney } from './conditions.ts';
import { orderBy, orderOf } from './order.ts';
import {
  createParameters,
  isActiveOnly,
  limitPage,
  selectPage,
  type Parameters,
  type Search,
  type Statement,
} from './statement.ts';
import { countMatches } from './total.ts';

/** Whether an index has each currency's part of the order, and all that is filtered by. */
export const canMergeCurrencies = (search: Search): boolean => {
  const { q, seller_id, city, attributes, near, bbox, updated_since } = search.filters;
  const others = [q, seller_id, city, attributes, near, bbox, updated_since];
  return sortsByMoney(search) && isActiveOnly(search) && others.every((each) => each === undefined);
};

/**
 * Merge of one ordered index scan per currency: the page by converted price of the listings whose currency has a rate. Those of
 * other currencies, which come last, are not among them: a page that is not full is to be made by another plan.
 */
export function planCurrencyMerge(search: Search): Statement {
  const parameter = createParameters();
  // Of a currency that has a rate no key is null.
  const order = { ...orderOf(search, createParameters()), nullable: false };
  const reach = `${parameter('reach', search.offset + search.limit)}::int`;
  const conditions = [
    `l.status = 'active' and l.price_currency = x.code and l.price_amount between x.low and x.high`,
    ...(search.filters.category ? [renderNamed('category', search.filters, parameter)] : []),
    ...scanFilters(search.filters, parameter, ['price']),
    ...afterPosition(search, parameter),
  ];
  const scan = `select l.id, l.price_amount * x.factor as key from listings l where ${conditions.join(' and ')}
    ${orderBy(order, 'l.price_amount', 'l.id')} limit ${reach}`;
  const merged = `select w.id, w.key, false as featured from ${currencies(search, parameter)} cross join lateral (${scan}) as w
    ${orderBy(order, 'w.key', 'w.id')}`;
  const total = search.after ? 'null::int' : countMatches(search, parameter);
  const page = `page as materialized (${limitPage(merged, search, parameter)})`;
  return { text: selectPage(page, orderBy(order, 'page.key', 'page.id'), `(${total})`), values: parameter.values };
}

/** Each currency with a rate: its factor, and the bounds of its stored amounts, as a table x. */
function currencies({ filters, sort, after }: Search, parameter: Parameters): string {
  const { conversion, price } = filters;
  const every = [...(conversion?.factors.keys() ?? [])].map((currency) => ({
    currency,
    min: 0,
    max: Number.POSITIVE_INFINITY,
  }));
  const bounds = price && conversion ? priceBoundsByCurrency(price, conversion) : every;
  const unpriced = price?.unpriced ? bounds.map((each) => ({ ...each, min: 0, max: 0 })) : [];
  const rows = [...unpriced, ...bounds].map(({ currency, min, max }) => {
    const factor = conversion?.factors.get(currency) ?? 1;
    // The bound of the index is a little wide; the position itself is compared by the converted price.
    const last = after?.key == null ? undefined : Number(after.key) / factor;
    const low = last !== undefined && sort === 'price_asc' ? Math.max(min, last * (1 - TOLERANCE)) : min;
    const high = last !== undefined && sort === 'price_desc' ? Math.min(max, last * (1 + TOLERANCE)) : max;
    return { currency, factor, low, high };
  });
  const list = (name: keyof (typeof rows)[number], type: string) =>
    `${parameter(
      name,
      rows.map((row) => row[name]),
    )}::${type}[]`;
  return `unnest(${list('currency', 'text')}, ${list('factor', 'double precision')}, ${list('low', 'double precision')},
    ${list('high', 'double precision')}) as x (code, factor, low, high)`;
}

const TOLERANCE = 1e-9;

function afterPosition({ after, sort }: Search, parameter: Parameters): string[] {
  if (!after) return [];
  const position = `(${parameter('after-key', after.key)}::double precision, ${parameter('after-id', after.id)}::text)`;
  return [`(l.price_amount * x.factor, l.id) ${sort === 'price_asc' ? '>' : '<'} ${position}`];
}
