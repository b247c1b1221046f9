import type { Catalog, Category } from '../catalog/tree.ts';
import { invalid } from '../kit/errors.ts';
import type { AttributePart, Range } from '../search/filters-attributes.ts';
import { readFilters } from '../search/filters.ts';
import type { ValueList } from '../search/value-list.ts';
import { codeRules, isCurrency } from '../kit/codes.ts';

/** What somebody wants to know the price of, as a query names it; openapi.yaml has checked its form. */
export type PriceQuery = {
  category: string;
  condition?: string;
  currency?: string;
  country?: string;
  attr?: Readonly<Record<string, ValueList>>;
};

/** Which listings tell the price of a thing; what is undefined narrows nothing. */
export type PriceSelection = {
  /** The category asked for and all below it: never widened. */
  categoryIds: readonly string[];
  /** Never widened either; undefined stands for the one that most of the listings have. */
  currency?: string;
  condition?: readonly string[];
  country?: readonly string[];
  year?: Range;
  length?: Range;
  /** Any of several parts of the brand's and of the model's name, in any letter case. */
  brand?: readonly string[];
  model?: readonly string[];
  /** The other attributes asked for. */
  attributes: readonly AttributePart[];
};

/**
 * Reads what prices are asked of. The filters are those of the listing search, and so are the warnings of those that nothing
 * is known of. An unknown category or currency throws a validation_error; the category's names the ids there are where
 * `listValidCategories` says so.
 */
export function readPriceSelection(
  query: PriceQuery,
  { catalog, listValidCategories }: { catalog: Catalog; listValidCategories: boolean },
): { category: Category; selection: PriceSelection; warnings: string[] } {
  const category = catalog.find(query.category);
  if (!category)
    throw invalid(
      `There is no category '${query.category}'.`,
      [{ path: '/query/category', message: 'must be the id of a category' }],
      listValidCategories ? { valid_categories: catalog.validIds() } : {},
    );
  const currency = query.currency?.toUpperCase();
  if (currency !== undefined && !isCurrency(currency))
    throw invalid('The query is not valid.', [{ path: '/query/currency', message: codeRules.currency }]);
  const { condition, country, attr } = query;
  const { filters, warnings } = readFilters({ category: category.id, condition, country, attr }, catalog);
  const parts = filters.attributes ?? [];
  const textsOf = (key: string) => parts.find((part) => part.key === key)?.anyOf;
  const [brand, model] = [textsOf('brand'), textsOf('model')];
  const isOther = ({ key, anyOf }: AttributePart) => anyOf === undefined || (key !== 'brand' && key !== 'model');
  const selection: PriceSelection = {
    categoryIds: catalog.descendantIds(category.id),
    currency,
    condition: filters.condition,
    country: filters.country,
    year: filters.year,
    length: filters.length,
    brand,
    model,
    attributes: parts.filter(isOther),
  };
  return { category, selection, warnings };
}
