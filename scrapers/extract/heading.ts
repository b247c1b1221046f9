import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import type { Page } from './page.ts';
import { ownText, lineOf } from '../../shared/kit/html/text.ts';

const MAX_HEADINGS = 40;
const MAX_TITLE = 300;
const SECOND = new Set(['h2', 'h3', 'h4', 'span', 'div', 'p', 'strong', 'b', 'td']);

/** Which elements stand inside parts about other things, and which their own style hides. */
type Sight = { away: Set<DomNode>; isHidden: (element: DomElement) => boolean };

/**
 * The element that names the page's thing: the `h1` that says what the document's title says; without such a one the first
 * element that repeats the title's opening; else the first `h1` in sight.
 */
export function findHeading(page: Page, { away, isHidden }: Sight): DomElement | undefined {
  const headings = page.elements.filter(({ name }) => name === 'h1').slice(0, MAX_HEADINGS);
  const filled = headings.filter((element) => lineOf(element, 500).length >= 3 && !isHidden(element));
  const inSight = filled.filter((element) => !away.has(element));
  const titles = titlesOf(page);
  const named = [...inSight, ...filled].flatMap((element) => {
    const fit = fitOf(plain(lineOf(element, MAX_TITLE)), titles);
    return fit === 0 ? [] : [{ element, fit }];
  });
  // The name of the shop stands in many titles, too, but not at their beginning.
  const [best] = named.toSorted((a, b) => b.fit - a.fit);
  if (best) return best.element;
  const first = inSight[0] ?? filled[0];
  return first && filled.length === 1 ? first : (findTitled(page, titles, away, isHidden) ?? first);
}

/** An element whose own text is the title, or its opening up to a separator. */
function findTitled(
  page: Page,
  titles: string[],
  away: Set<DomNode>,
  isHidden: (element: DomElement) => boolean,
): DomElement | undefined {
  return page.elements.find((element) => {
    if (!SECOND.has(element.name) || away.has(element)) return false;
    const own = ownText(element);
    if (own.length < 6 || own.length > MAX_TITLE) return false;
    const text = plain(own);
    return text.length >= 6 && titles.some((title) => title === text || isOpening(text, title)) && !isHidden(element);
  });
}

/** 3 when a text is a whole title, 2 when one begins with it, 1 when one holds it or it holds one, else 0. */
function fitOf(text: string, titles: string[]): number {
  if (text.length < 4) return 0;
  if (titles.includes(text)) return 3;
  if (titles.some((title) => title.startsWith(text))) return 2;
  return titles.some((title) => title.includes(text) || (title.length >= 8 && text.includes(title))) ? 1 : 0;
}

function isOpening(text: string, title: string): boolean {
  return text.length >= 10 && title.startsWith(text) && text.length >= title.length * 0.4;
}

function titlesOf(page: Page): string[] {
  const titles: string[] = [];
  for (const element of page.elements) {
    const isTitle = element.name === 'title' && element.parent !== null && 'name' in element.parent;
    if (isTitle && (element.parent as DomElement).name !== 'svg') titles.push(lineOf(element, MAX_TITLE));
    if (
      element.name === 'meta' &&
      /^(?:og|twitter):title$/i.test(element.attribs.property ?? element.attribs.name ?? '')
    )
      titles.push((element.attribs.content ?? '').slice(0, MAX_TITLE));
    if (titles.length >= 6) break;
  }
  return titles.map(plain).filter((title) => title.length >= 4);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
