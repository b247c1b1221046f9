import { notFound } from '../../shared/kit/errors.ts';
import type { AssetTypeTemplate, CategoryNode } from '../../shared/profiles/profile.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { applyEdit } from './settings-edit.ts';

/** What an id of a template may be: no other one will ever be found. */
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The templates as they are edited, with their texts in every language. */
export const listEditedAssetTypes: Handler<'listEditedAssetTypes'> = ({ marketplace }) => {
  const { version, document, catalog } = marketplace.current();
  const templates = (document['asset_types'] ?? []) as AssetTypeTemplate[];
  return {
    status: 200,
    body: {
      version,
      asset_types: templates.map((each) => ({ ...each, category_ids: catalog.assetType(each.id)?.categoryIds ?? [] })),
    },
  };
};

/** Adds a template, or replaces the one of that id; attributes that have another key now take the values of listings along. */
export const putMarketplaceAssetType: AuthenticatedHandler<'putMarketplaceAssetType'> = async (
  services,
  { params, body, caller },
) => {
  if (!SLUG.test(params.type)) throw notFound('asset type', params.type);
  const { version: seen, renames = {}, ...template } = body;
  const edit = await applyEdit(services, { caller, seen }, ({ document }) => {
    const known = (document['asset_types'] ?? []) as AssetTypeTemplate[];
    const next = { id: params.type, ...template } as AssetTypeTemplate;
    const before = known.find(({ id }) => id === params.type);
    const keys = new Set(template.attributes.map(({ key }) => key));
    return {
      sections: {
        asset_types: before ? known.map((each) => (each === before ? next : each)) : [...known, next],
      },
      renames: Object.entries(renames)
        .filter(([from, to]) => keys.has(to) && !keys.has(from) && before?.attributes.some(({ key }) => key === from))
        .map(([from, to]) => ({ asset_type: params.type, from, to })),
    };
  });
  return { status: 200, ...edit };
};

/** Removes a template; what its categories tell in their listings stays there, without labels. */
export const deleteMarketplaceAssetType: AuthenticatedHandler<'deleteMarketplaceAssetType'> = async (
  services,
  { params, query, caller },
) => {
  const edit = await applyEdit(services, { caller, seen: query.version }, ({ document, profile }) => {
    const known = (document['asset_types'] ?? []) as AssetTypeTemplate[];
    if (!known.some(({ id }) => id === params.type)) throw notFound('asset type', params.type);
    return {
      sections: {
        asset_types: known.filter(({ id }) => id !== params.type),
        categories: withoutTemplate(profile.categories, params.type),
      },
    };
  });
  return { status: 200, ...edit };
};

const withoutTemplate = (tree: readonly CategoryNode[], type: string): CategoryNode[] =>
  tree.map(({ asset_type, children, ...node }) => ({
    ...node,
    ...(asset_type !== undefined && asset_type !== type && { asset_type }),
    ...(children && { children: withoutTemplate(children, type) }),
  }));
