import { createCategoryMapper, type CategoryHint, type MappedCategory } from './category.ts';
import type { AssetTypeDefinition, CategoryNode, CategoryWords, Locale, Profile } from '../profiles/profile.ts';
import { translateAttribute, translateValue } from './attribute-words.ts';

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

const noWords = (fallback: string): CategoryWords => ({
  ...{ fallback, accessories: [] },
  ...{ words: {}, hints: {}, generic: {}, brands: {} },
});

type CatalogSource = Pick<Profile, 'name' | 'categories' | 'assetTypes'> &
  Partial<Pick<Profile, 'categoryWords' | 'movedCategories'>>;

/** An index over a profile's category tree and asset types; every answer comes from memory and none throws for an unknown id. */
export function buildCatalog(profile: CatalogSource) {
  const categories = new Map<string, Category>();
  const assetTypeIdOf = new Map<string, string>();
  const descendants = new Map<string, string[]>();

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
  /** A former id stands for what it has become: its listings may not have been moved yet, and links and searches keep it. */
  const formerIds = new Map<string, string[]>();
  for (const [former, id] of Object.entries(profile.movedCategories ?? {})) {
    const category = categories.get(id);
    if (!category || categories.has(former)) continue;
    formerIds.set(id, [...(formerIds.get(id) ?? []), former]);
    for (const ancestor of category.path) descendants.get(ancestor)?.push(former);
  }
  const currentId = (id: string): string => (categories.has(id) ? id : (profile.movedCategories?.[id] ?? id));
  const validIds = [...categories.keys()];
  const localizedTypes = new Map<string, AssetTypeDefinition>();
  const ownLabels = new Map<string, Partial<Record<Locale, string>>>();
  const ownValues = new Map<string, Partial<Record<Locale, string>>>();
  const assetTypeList = profile.assetTypes.map(({ attributes, ...template }): AssetTypeDefinition => {
    const isOfTemplate = ({ id }: Category) => assetTypeIdOf.get(id) === template.id;
    return {
      ...template,
      categoryIds: flat.filter(isOfTemplate).map(({ id }) => id),
      attributes: attributes.map(({ labels, option_labels, ...definition }) => {
        if (labels) ownLabels.set(`${template.id}.${definition.key}`, labels);
        for (const [option, texts] of Object.entries(option_labels ?? {}))
          ownValues.set(`${definition.key}=${option}`, texts);
        return definition;
      }),
    };
  });
  const assetTypes = new Map(assetTypeList.map((assetType) => [assetType.id, assetType]));
  const filterKeys = assetTypeList.map((assetType) => ({
    assetType,
    keys: new Set(assetType.attributes.filter((each) => each.filterable).map((each) => each.key)),
  }));

  let mapper: ReturnType<typeof createCategoryMapper> | undefined;
  const catalog = {
    words: profile.categoryWords ?? noWords(flat.at(-1)?.id ?? ''),

    /** The category with that id or slug, or that it has become. */
    find: (idOrSlug: string): Category | undefined => categories.get(currentId(idOrSlug)),

    /** The id itself and the ids of all categories below it, depth first, then former ids of any of them; empty for an unknown id. */
    descendantIds: (id: string): readonly string[] => descendants.get(currentId(id)) ?? [],

    /** The ids from the root to this category; empty for an unknown id. */
    path: (id: string): readonly string[] => categories.get(currentId(id))?.path ?? [],

    /** The same, each followed by its former ids. */
    everyIdAbove: (id: string): readonly string[] =>
      (categories.get(currentId(id))?.path ?? []).flatMap((each) => [each, ...(formerIds.get(each) ?? [])]),

    /** Former ids, and what each has become. */
    formerIds: (): ReadonlyMap<string, readonly string[]> => formerIds,

    /** The name in that locale, in English where there is no translation; the id itself when it is unknown. */
    localizedName(id: string, locale: string): string {
      const names: Record<string, string | undefined> | undefined = categories.get(currentId(id))?.names;
      return names?.[locale] ?? names?.['en'] ?? id;
    },

    /** All categories, depth first in display order. */
    flat: (): readonly Category[] => flat,

    /** Every id that a listing may carry. */
    validIds: (): readonly string[] => validIds,

    /** The template of a category: its own, else that of the nearest ancestor that has one. */
    assetTypeOf(categoryId: string): AssetTypeDefinition | undefined {
      const id = assetTypeIdOf.get(currentId(categoryId));
      return id === undefined ? undefined : assetTypes.get(id);
    },

    assetType: (id: string): AssetTypeDefinition | undefined => assetTypes.get(id),

    assetTypes: (): readonly AssetTypeDefinition[] => assetTypeList,

    /** A template with the labels of its attributes in that locale. */
    localizedAssetType(assetType: AssetTypeDefinition, locale: Locale): AssetTypeDefinition {
      const key = `${assetType.id} ${locale}`;
      const known = localizedTypes.get(key) ?? {
        ...assetType,
        attributes: assetType.attributes.map((each) => ({
          ...each,
          label:
            ownLabels.get(`${assetType.id}.${each.key}`)?.[locale] ??
            translateAttribute(each.key, locale, assetType.id) ??
            each.label,
        })),
      };
      localizedTypes.set(key, known);
      return known;
    },

    /** A value of an attribute in that locale, in the words of a template or of the dictionary; a text of somebody's own as it is. */
    localizedValue: (key: string, value: string, locale: Locale): string =>
      ownValues.get(`${key}=${value}`)?.[locale] ?? translateValue(key, value, locale),

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
