import { isDeepStrictEqual } from 'node:util';
import type { AssetTypeTemplate, CategoryNode } from '../profiles/profile.ts';
import type { MarketplaceDocument } from '../profiles/read-profile.ts';

/** One thing that a version changed: a category or a template by its id, any other section as a whole. */
export type MarketplaceChange = {
  section: string;
  id: string | null;
  kind: 'added' | 'changed' | 'removed';
  before: unknown;
  after: unknown;
};

/** What differs between two states of a marketplace. */
export function diffMarketplaces(before: MarketplaceDocument, after: MarketplaceDocument): MarketplaceChange[] {
  const sections = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return sections.flatMap((section) => {
    const things = { before: thingsOf(section, before[section]), after: thingsOf(section, after[section]) };
    const ids = [...new Set([...things.before.keys(), ...things.after.keys()])];
    return ids.flatMap((id): MarketplaceChange[] => {
      const [old, now] = [things.before.get(id), things.after.get(id)];
      if (isDeepStrictEqual(old, now)) return [];
      const kind = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
      return [{ section, id, kind, before: old ?? null, after: now ?? null }];
    });
  });
}

/** The things of a section by their ids; a category says where it stands in place of what is below it. */
function thingsOf(section: string, value: unknown): Map<string | null, unknown> {
  if (value === undefined || isDeepStrictEqual(value, {})) return new Map();
  if (section === 'asset_types') return new Map((value as AssetTypeTemplate[]).map((each) => [each.id, each]));
  if (section === 'categories') return new Map(placesOf(value as CategoryNode[], null));
  return new Map([[null, value]]);
}

const placesOf = (tree: readonly CategoryNode[], parentId: string | null): [string, unknown][] =>
  tree.flatMap(({ children = [], ...node }, position) => [
    [node.id, { ...node, parent_id: parentId, position }],
    ...placesOf(children, node.id),
  ]);
