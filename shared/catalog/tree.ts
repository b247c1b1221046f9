import { createCategoryMapper, type CategoryHint, type MappedCategory } from './category.ts';
import type { AssetTypeDefinition, CategoryNode, Profile } from '../profiles/profile.ts';

export type Category = {
  id: string;
  slug: string;
  /** The English name. */
  name: string;
  names: CategoryNode['name'];
  parentId: string | null;
  /** Ids from the root to this category. */
  path: readonly string[];
  childIds: readonly string[];
  /** Place in the depth-first order of the whole tree, from 0. */
  position: number;
};

export type AssetTypeInference =
  | { kind: 'one'; assetType: AssetTypeDefinition }
  | { kind: 'none' }
  | { kind: 'ambiguous'; candidates: AssetTypeDefinition[] };

export type Catalog = ReturnType<typeof buildCatalog>;

/** An index over a profile's category tree and asset types; every answer comes from memory and none throws for an unknown id. */
export function buildCatalog(profile: Pick<Profile, 'name' | 'categories' | 'assetTypes'>) {
  const categories = new Map<string, Category>();
  const assetTypeIdOf = new Map<string, string>();
  const descendants = new Map<string, string[]>();
  const assetTypes = new Map(profile.assetTypes.map((assetType) => [assetType.id, assetType]));

  const add = (node: CategoryNode, parent: Category | undefined, inherited: string | undefined): string[] => {
    if (categories.has(node.id)) throw new Error(`The category ${node.id} occurs twice in the ${profile.name} tree.`);
    const category: Category = {
      id: node.id,
      slug: node.id,
      name: node.name.en,
      names: node.name,
      parentId: parent?.id ?? null,
      path: [...(parent?.path ?? []), node.id],
      childIds: (node.children ?? []).map((child) => child.id),
      position: categories.size,
    };
    categories.set(node.id, category);
    const assetTypeId = node.asset_type ?? inherited;
    if (assetTypeId !== undefined) assetTypeIdOf.set(node.id, assetTypeId);
    const ids = [node.id, ...(node.children ?? []).flatMap((child) => add(child, category, assetTypeId))];
    descendants.set(node.id, ids);
    return ids;
  };
  for (const root of profile.categories) add(root, undefined, undefined);

  const flat = [...categories.values()];
  const validIds = [...categories.keys()];
  const filterKeys = profile.assetTypes.map((assetType) => ({
    assetType,
    keys: new Set(assetType.attributes.filter((each) => each.filterable).map((each) => each.key)),
  }));

  let mapper: ReturnType<typeof createCategoryMapper> | undefined;
  const catalog = {
    profileName: profile.name,

    /** The category with that id or slug. */
    find: (idOrSlug: string): Category | undefined => categories.get(idOrSlug),

    /** The id itself and the ids of all categories below it, depth first; empty for an unknown id. */
    descendantIds: (id: string): readonly string[] => descendants.get(id) ?? [],

    /** The ids from the root to this category; empty for an unknown id. */
    path: (id: string): readonly string[] => categories.get(id)?.path ?? [],

    /** The name in that locale, in English where there is no translation; the id itself when it is unknown. */
    localizedName(id: string, locale: string): string {
      const names: Record<string, string | undefined> | undefined = categories.get(id)?.names;
      return names?.[locale] ?? names?.['en'] ?? id;
    },

    /** All categories, depth first in display order. */
    flat: (): readonly Category[] => flat,

    /** Every id that a listing may carry. */
    validIds: (): readonly string[] => validIds,

    /** The template of a category: its own, else that of the nearest ancestor that has one. */
    assetTypeOf(categoryId: string): AssetTypeDefinition | undefined {
      const id = assetTypeIdOf.get(categoryId);
      return id === undefined ? undefined : assetTypes.get(id);
    },

    assetType: (id: string): AssetTypeDefinition | undefined => assetTypes.get(id),

    assetTypes: (): readonly AssetTypeDefinition[] => profile.assetTypes,

    /** Which template has all these keys as filterable attributes; keys come without their `min_`/`max_` marks. */
    inferAssetType(attributeKeys: readonly string[]): AssetTypeInference {
      if (attributeKeys.length === 0) return { kind: 'none' };
      const candidates = filterKeys
        .filter(({ keys }) => attributeKeys.every((key) => keys.has(key)))
        .map(({ assetType }) => assetType);
      const [first, second] = candidates;
      if (first === undefined) return { kind: 'none' };
      return second === undefined ? { kind: 'one', assetType: first } : { kind: 'ambiguous', candidates };
    },

    /** The category that a record belongs in; what it is judged by is compiled with the first one. */
    mapCategory(hint: CategoryHint): MappedCategory {
      mapper ??= createCategoryMapper(catalog);
      return mapper(hint);
    },
  };
  return catalog;
}
