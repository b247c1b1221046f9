import type { MarketplaceDocument } from '../profiles/read-profile.ts';

type Words = { fallback?: string; accessories?: string[] } & Partial<
  Record<(typeof LISTS)[number], Record<string, string[]>>
>;
const LISTS = ['words', 'hints', 'generic', 'brands'] as const;

/**
 * The sections of an edit, with the references to categories that are gone led to what they have become: words, works and
 * former ids.
 */
export function retargetCategories(
  before: MarketplaceDocument,
  sections: MarketplaceDocument,
  moves: Readonly<Record<string, string>>,
): MarketplaceDocument {
  if (Object.keys(moves).length === 0) return sections;
  const whole = { ...before, ...sections };
  const to = (id: string) => moves[id] ?? id;
  const former = (before['moved_categories'] ?? {}) as Record<string, string>;
  const moved = Object.fromEntries(Object.entries(former).map(([old, id]) => [old, to(id)]));
  const { works = [], ...moderation } = (whole['moderation'] ?? {}) as { works?: string[] };
  return {
    ...sections,
    category_words: retargetWords(whole['category_words'] ?? {}, to),
    moderation: { ...moderation, works: [...new Set(works.map(to))] },
    moved_categories: { ...moved, ...moves },
  };
}

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
