import type { Catalog, Category } from '../../shared/catalog/tree.ts';
import { notFound } from '../../shared/kit/errors.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import { countActiveByCategory } from './counts.ts';

type TreeNode = Result<'listCategories', 200>['categories'][number];

/** The category tree with counts of active listings; `hide_empty` leaves out branches without any. */
export const listCategories: Handler<'listCategories'> = async ({ pool, catalog }, { query, locale }) => {
  const count = await countActiveByCategory(pool, catalog);
  const toNode = (category: Category): TreeNode => ({
    id: category.id,
    name: catalog.localizedName(category.id, locale),
    slug: category.slug,
    count: count(category.id),
    children: shown(category.childIds.map((id) => required(catalog, id))),
  });
  const shown = (categories: Category[]): TreeNode[] =>
    categories.filter((category) => !query.hide_empty || count(category.id) > 0).map(toNode);
  const roots = catalog.flat().filter((category) => category.parentId === null);
  return {
    status: 200,
    headers: localized(locale),
    body: { categories: shown(roots), total: catalog.flat().length },
  };
};

/** All categories in the order of the tree, without nesting. */
export const listCategoriesFlat: Handler<'listCategoriesFlat'> = async ({ pool, catalog }, { locale }) => {
  const count = await countActiveByCategory(pool, catalog);
  const categories = catalog.flat().map(({ id, slug, parentId, path }) => ({
    id,
    name: catalog.localizedName(id, locale),
    slug,
    parentId,
    path: path.map((ancestor) => catalog.localizedName(ancestor, locale)),
    count: count(id),
  }));
  return { status: 200, headers: localized(locale), body: { categories, total: categories.length } };
};

/** One category by id or slug, with its children. */
export const getCategory: Handler<'getCategory'> = async ({ pool, catalog }, { params, locale }) => {
  const category = catalog.find(params.id);
  if (!category) throw notFound('category', params.id);
  const count = await countActiveByCategory(pool, catalog);
  const name = (id: string) => catalog.localizedName(id, locale);
  const { id, slug, path, parentId } = category;
  const children = category.childIds.map((child) => ({
    id: child,
    name: name(child),
    slug: required(catalog, child).slug,
    count: count(child),
  }));
  return {
    status: 200,
    headers: localized(locale),
    body: { id, name: name(id), slug, path: path.map(name), parentId, count: count(id), children },
  };
};

function required(catalog: Catalog, id: string): Category {
  const category = catalog.find(id);
  if (!category) throw new Error(`the category ${id} is named but not defined`);
  return category;
}

/** What an answer in a locale says of its language. */
export const localized = (locale: string) => ({ 'Content-Language': locale, Vary: 'Accept-Language' });
