import type { Entries } from './choose-entries.ts';
import type { PageFacts } from './read-page-facts.ts';

/** The pages of one list: those that list the chosen things, and those that they turn to. */
export function pagerPages(pages: readonly PageFacts[], entries: Entries | undefined): PageFacts[] {
  const lists = new Set(entries?.lists ?? pages.slice(0, 1));
  const turned = new Set([...lists].flatMap(({ pager: { next, numbered } }) => [next, ...numbered]));
  for (const page of pages) if (turned.has(page.url)) lists.add(page);
  return [...lists];
}

/** Whether further pages of a list follow this one. */
export const isPaged = ({ pager: { next, numbered } }: PageFacts): boolean => next !== undefined || numbered.length > 0;
