import type { CategoryNode } from '../profiles/profile.ts';
import type { MarketplaceDocument } from '../profiles/read-profile.ts';

type Words = { fallback?: string; accessories?: string[] } & Partial<
  Record<(typeof LISTS)[number], Record<string, string[]>>
>;
const LISTS = ['words', 'hints', 'generic', 'brands'] as const;

/**
 * The sections of an edit, with the references to categories that are gone led to what they have become: words, works and
 * former ids. An id that is that of a category again is no former one any more.
 */
export function retargetCategories(
  before: MarketplaceDocument,
  sections: MarketplaceDocument,
  moves: Readonly<Record<string, string>>,
): MarketplaceDocument {
  const whole = { ...before, ...sections };
  const to = (id: string) => moves[id] ?? id;
  const ids = new Set(idsOf((whole['categories'] ?? []) as CategoryNode[]));
  const former = Object.entries((before['moved_categories'] ?? {}) as Record<string, string>);
  const kept = former.filter(([old]) => !ids.has(old));
  const moved = Object.fromEntries([...kept.map(([old, id]) => [old, to(id)]), ...Object.entries(moves)]);
  if (Object.keys(moves).length === 0)
    return kept.length === former.length ? sections : { ...sections, moved_categories: moved };
  const { works = [], ...moderation } = (whole['moderation'] ?? {}) as { works?: string[] };
  return {
    ...sections,
    category_words: retargetWords(whole['category_words'] ?? {}, to),
    moderation: { ...moderation, works: [...new Set(works.map(to))] },
    moved_categories: moved,
  };
}

const idsOf = (tree: readonly CategoryNode[]): string[] =>
  tree.flatMap(({ id, children = [] }) => [id, ...idsOf(children)]);

function retargetWords(words: Words, to: (id: string) => string): Words {
  const lists = LISTS.flatMap((list) => {
    const phrases = words[list];
    if (!phrases) return [];
    const merged: Record<string, string[]> = {};
    for (const [id, each] of Object.entries(phrases))
      merged[to(id)] = [...new Set([...(merged[to(id)] ?? []), ...each])];
    return [[list, merged] as const];
  });
  return {
    ...words,
    ...(words.fallback !== undefined && { fallback: to(words.fallback) }),
    ...(words.accessories && { accessories: [...new Set(words.accessories.map(to))] }),
    ...Object.fromEntries(lists),
  };
}
