import { conflict, invalid, notFound } from '../kit/errors.ts';
import type { CategoryNode } from '../profiles/profile.ts';

/** What is said of a category when it is made or changed; absent `parent_id` is a root, absent `position` the last place. */
export type CategoryWish = Omit<CategoryNode, 'children'> & { parent_id?: string | null; position?: number };

/** A copy of the tree with a category more. */
export function addCategory(tree: readonly CategoryNode[], wish: CategoryWish): CategoryNode[] {
  if (findNode(tree, wish.id)) throw conflict(`There is a category '${wish.id}' already.`);
  return insertNode(structuredClone([...tree]), wish, undefined);
}

/** A copy of the tree with a category changed, moved with all below it, or under another id. */
export function changeCategory(tree: readonly CategoryNode[], id: string, wish: CategoryWish): CategoryNode[] {
  const known = findNode(tree, id);
  if (!known) throw notFound('category', id);
  if (wish.id !== id && findNode(tree, wish.id)) throw conflict(`There is a category '${wish.id}' already.`);
  if (wish.parent_id && findNode([known], wish.parent_id)) throw conflict('A category cannot stand below itself.');
  const copy = structuredClone([...tree]);
  const { siblings, index } = placeOf(copy, id)!;
  const [node] = siblings.splice(index, 1);
  return insertNode(copy, { position: index, ...wish }, node?.children);
}

/** A copy of the tree without a category; those below it go with it. Answers the ids that are gone. */
export function removeCategory(tree: readonly CategoryNode[], id: string): { tree: CategoryNode[]; gone: string[] } {
  const known = findNode(tree, id);
  if (!known) throw notFound('category', id);
  const copy = structuredClone([...tree]);
  const { siblings, index } = placeOf(copy, id)!;
  siblings.splice(index, 1);
  return { tree: copy, gone: idsOf([known]) };
}

/** Every id of the trees, depth first. */
export const idsOf = (tree: readonly CategoryNode[]): string[] =>
  tree.flatMap(({ id, children = [] }) => [id, ...idsOf(children)]);

function insertNode(
  tree: CategoryNode[],
  { parent_id: parentId, position, id, name, asset_type }: CategoryWish,
  children: CategoryNode[] | undefined,
): CategoryNode[] {
  const node = { id, name, ...(asset_type !== undefined && { asset_type }), ...(children && { children }) };
  const parent = parentId === undefined || parentId === null ? undefined : findNode(tree, parentId);
  if (parentId && !parent)
    throw invalid('There is no such category to stand below.', [
      { path: '/body/parent_id', message: 'is not a category', reason: 'not_a_choice' },
    ]);
  const siblings = parent ? (parent.children ??= []) : tree;
  siblings.splice(position ?? siblings.length, 0, node);
  return tree;
}

function findNode(tree: readonly CategoryNode[], id: string): CategoryNode | undefined {
  for (const node of tree) {
    const found = node.id === id ? node : findNode(node.children ?? [], id);
    if (found) return found;
  }
  return undefined;
}

function placeOf(tree: CategoryNode[], id: string): { siblings: CategoryNode[]; index: number } | undefined {
  const index = tree.findIndex((node) => node.id === id);
  if (index !== -1) return { siblings: tree, index };
  for (const { children } of tree) {
    const place = children && placeOf(children, id);
    if (place) return place;
  }
  return undefined;
}
