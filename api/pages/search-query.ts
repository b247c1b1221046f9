/** Parameters of the API's search that pages have, beside `attr[key]`; whatever else is in an address is not handed on. */
const NAMES = new Set([
  ...['q', 'category', 'seller_id', 'condition', 'country', 'city', 'type', 'shipping', 'tags'],
  ...['min_price', 'max_price', 'currency', 'include_unpriced'],
  ...['near', 'radius_km', 'bbox', 'updated_since', 'sort', 'page'],
]);

/** A search as an address has it: values by the name of their parameter, `attr[key]` included, none of them empty. */
export type SearchQuery = ReadonlyMap<string, readonly string[]>;

/** Reads what the address of a page asks for; fields that a form has sent empty are left out. */
export function readSearchQuery(query: Record<string, unknown>): SearchQuery {
  const values = new Map<string, string[]>();
  const add = (name: string, value: unknown) => {
    const texts = [value]
      .flat()
      .filter((each): each is string => typeof each === 'string')
      .flatMap((each) => (name === 'q' || name === 'near' || name === 'bbox' ? [each] : each.split(',')))
      .map((each) => each.trim())
      .filter(Boolean);
    if (texts.length > 0) values.set(name, texts);
  };
  for (const [name, value] of Object.entries(query)) {
    if (NAMES.has(name)) add(name, value);
    else if (name === 'attr' && typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) add(`attr[${key}]`, each);
  }
  return values;
}

/** The same as the parameters of an operation. */
export function toOperationQuery(query: SearchQuery): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  const attr: Record<string, string> = {};
  for (const [name, values] of query) {
    const key = /^attr\[(.*)\]$/s.exec(name)?.[1];
    if (key === undefined) parameters[name] = values.join(',');
    else attr[key] = values.join(',');
  }
  return { ...parameters, ...(Object.keys(attr).length > 0 && { attr }) };
}

/** The same as the query of an address, with changes; undefined takes a parameter away. */
export function toAddressQuery(
  query: SearchQuery,
  changes: Record<string, string | undefined> = {},
): Record<string, string | undefined> {
  return { ...Object.fromEntries([...query].map(([name, values]) => [name, values.join(',')])), ...changes };
}

export const firstOf = (query: SearchQuery, name: string): string => query.get(name)?.[0] ?? '';
