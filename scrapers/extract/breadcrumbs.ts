import { isOfType, itemsOf, textFrom, propertyValues } from './items.ts';
import type { Item } from './items.ts';

const LIST = new Set(['breadcrumblist']);
const SINGLE = new Set(['breadcrumb']);
const MAX_CRUMBS = 20;

/** The names of the page's breadcrumb list from the root to the leaf, or undefined; of several lists the longest. */
export function readBreadcrumbs(roots: Item[]): string[] | undefined {
  const items = roots.flatMap((item) => [item, ...itemsOf(item, 'breadcrumb', 'mainentity')]);
  const lists = items.filter((item) => isOfType(item, LIST)).map(namesOf);
  const longest = lists.reduce((best, names) => (names.length > best.length ? names : best), []);
  if (longest.length > 0) return longest.slice(0, MAX_CRUMBS);
  const singles = items.filter((item) => isOfType(item, SINGLE)).flatMap((item) => nameOf(item) ?? []);
  return singles.length > 0 ? singles.slice(0, MAX_CRUMBS) : undefined;
}

function namesOf(list: Item): string[] {
  const crumbs = propertyValues(list, 'itemlistelement', 'itemlist').map((entry, index) => {
    if (typeof entry === 'string') return { name: entry.trim(), position: index };
    const position = Number(textFrom(entry, 'position') ?? Number.NaN);
    const inner = itemsOf(entry, 'item')[0];
    return {
      name: nameOf(entry) ?? (inner && nameOf(inner)),
      position: Number.isFinite(position) ? position : index,
    };
  });
  return crumbs.sort((a, b) => a.position - b.position).flatMap(({ name }) => (name ? [name] : []));
}

function nameOf(item: Item): string | undefined {
  for (const value of [...(item.props.get('name') ?? []), ...(item.props.get('title') ?? [])]) {
    const text = typeof value === 'string' ? value : textFrom(value, 'name', 'title');
    const name = text?.replace(/\s+/g, ' ').trim();
    if (name) return name.slice(0, 200);
  }
  return undefined;
}
