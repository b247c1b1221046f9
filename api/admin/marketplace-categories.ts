import type { CategoryNode } from '../../shared/profiles/profile.ts';
import {
  addCategory,
  changeCategory,
  idsOf,
  removeCategory,
  type CategoryWish,
} from '../../shared/marketplace/tree-edits.ts';
import { conflict, invalid } from '../../shared/kit/errors.ts';
import type { Body, Result } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { countActiveByCategory } from '../catalog/counts.ts';
import { applyEdit } from './settings-edit.ts';

type EditedCategory = Result<'listEditedCategories', 200>['categories'][number];

/** The tree as it is edited: every category with its names in each language, depth first. */
export const listEditedCategories: Handler<'listEditedCategories'> = async ({ marketplace, pool, catalog }) => {
  const { version, profile } = marketplace.current();
  const count = await countActiveByCategory(pool, catalog);
  const flatten = (tree: readonly CategoryNode[], parentId: string | null): EditedCategory[] =>
    tree.flatMap(({ id, name, asset_type, children = [] }, position) => [
      {
        ...{ id, parent_id: parentId, position, name, asset_type: asset_type ?? null },
        ...{ inherited_asset_type: catalog.assetTypeOf(id)?.id ?? null, active_listings: count(id) },
      },
      ...flatten(children, id),
    ]);
  return {
    status: 200,
    body: { version, categories: flatten(profile.categories, null), former_ids: { ...profile.movedCategories } },
  };
};

/** Adds a category. */
export const addMarketplaceCategory: AuthenticatedHandler<'addMarketplaceCategory'> = async (
  services,
  { body, caller },
) => {
  const edit = await applyEdit(services, { caller, seen: body.version }, ({ profile }) => ({
    sections: {
      categories: addCategory(profile.categories, wishOf(body)),
      moved_categories: without(profile.movedCategories, body.id),
    },
  }));
  return { status: 201, ...edit };
};

/** Changes a category, where it stands, or its id: its listings follow. */
export const putMarketplaceCategory: AuthenticatedHandler<'putMarketplaceCategory'> = async (
  services,
  { params, body, caller },
) => {
  const edit = await applyEdit(services, { caller, seen: body.version }, ({ profile }) => ({
    sections: {
      categories: changeCategory(profile.categories, params.id, wishOf(body)),
      moved_categories: without(profile.movedCategories, body.id),
    },
    ...(body.id !== params.id && { moves: { [params.id]: body.id } }),
  }));
  return { status: 200, ...edit };
};

/** Removes a category with those below it; their listings go where the caller says, else to the one above, else to the fallback. */
export const deleteMarketplaceCategory: AuthenticatedHandler<'deleteMarketplaceCategory'> = async (
  services,
  { params, query, caller },
) => {
  const edit = await applyEdit(services, { caller, seen: query.version }, ({ profile, catalog }) => {
    const { tree, gone } = removeCategory(profile.categories, params.id);
    const left = new Set(idsOf(tree));
    if (left.size === 0) throw conflict('A marketplace needs a category.');
    if (query.move_to !== undefined && !left.has(query.move_to))
      throw invalid('There is nowhere to move the listings to.', [
        { path: '/query/move_to', message: 'is not a category that stays', reason: 'not_a_choice' },
      ]);
    const above = catalog.find(params.id)?.parentId ?? undefined;
    const fallback = left.has(profile.categoryWords.fallback) ? profile.categoryWords.fallback : idsOf(tree).at(-1)!;
    const target = query.move_to ?? above ?? fallback;
    return {
      sections: { categories: tree },
      moves: Object.fromEntries(gone.map((id) => [id, target])),
    };
  });
  return { status: 200, ...edit };
};

function wishOf({ id, name, parent_id, position, asset_type }: Body<'addMarketplaceCategory'>): CategoryWish {
  return {
    ...{ id, name },
    ...(parent_id !== undefined && { parent_id }),
    ...(position !== undefined && { position }),
    ...(typeof asset_type === 'string' && { asset_type }),
  };
}

/** An id that is used again means itself. */
const without = (former: Readonly<Record<string, string>>, id: string) =>
  Object.fromEntries(Object.entries(former).filter(([old]) => old !== id));
