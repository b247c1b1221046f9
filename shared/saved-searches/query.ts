import type { Catalog } from '../catalog/tree.ts';
import { ServiceError } from '../kit/errors.ts';
import { readFilters, type FilterQuery, type ListingFilters } from '../search/filters.ts';

type AttributeFilter = string | number | boolean | readonly string[];

/** The filters of a search as JSON names them; openapi.yaml has checked their form. `attr[key]` is another way to write `attr`. */
export type SavedQuery = Omit<FilterQuery, 'attr'> & {
  status?: string;
  attr?: Record<string, AttributeFilter>;
  [attribute: `attr[${string}]`]: AttributeFilter;
};

/**
 * Reads the filters of a saved search by the rules of the search itself, warnings and errors included; errors name their
 * place in the body. `impossible` also when no listing of that status is ever news: news are active listings.
 */
export function readSavedQuery(query: SavedQuery, catalog: Catalog): { filters: ListingFilters; warnings: string[] } {
  const { status = 'active', ...asked } = query;
  try {
    const { filters, warnings } = readFilters({ ...asked, attr: readAttributes(query) }, catalog);
    const isNews = status === 'active' || status === 'all';
    if (!isNews) warnings.push(`Nothing is told of listings in the status '${status}': news are active listings.`);
    return { filters: { ...filters, impossible: filters.impossible || !isNews }, warnings };
  } catch (error) {
    throw error instanceof ServiceError ? placeInBody(error) : error;
  }
}

/** The query of GET /api/listings that asks for the same, to be put behind a question mark. */
export function toQueryString(query: SavedQuery): string {
  const { attr: _, ...rest } = query;
  const plain = Object.entries(rest).filter(([name]) => !flatName.test(name));
  const attributes = Object.entries(readAttributes(query)).map(([key, value]) => [`attr[${key}]`, value] as const);
  const all = [...plain, ...attributes].map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(all).toString();
}

const flatName = /^attr\[(?<key>.+)\]$/s;

function readAttributes(query: SavedQuery): Record<string, string> {
  const flat = Object.entries(query).flatMap(([name, value]) => {
    const key = flatName.exec(name)?.groups?.['key'];
    return key === undefined ? [] : [[key, value as AttributeFilter] as const];
  });
  const all = [...Object.entries(query.attr ?? {}), ...flat];
  return Object.fromEntries(all.map(([key, value]) => [key, String(value)]));
}

function placeInBody({ code, message, details }: ServiceError): ServiceError {
  const errors = (details?.['errors'] ?? []) as { path: string; message: string }[];
  const placed = errors.map((each) => ({ ...each, path: each.path.replace(/^\/query\//, '/body/query_params/') }));
  return new ServiceError(code, message, { details: { ...details, errors: placed } });
}
