import { ancestorsOf, nameWordsOf } from './layout.ts';
import { linkAddress, matchesPattern } from './links.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import { parsePage, resolveUrl } from './page.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';
import type { Page } from './page.ts';
import { lineOf } from '../../shared/kit/html/text.ts';

const NEXT_TEXT =
  /^(?:(?:go to |zur |à la |alla |a la |vai alla |ir a la )?(?:next|nächste|naechste|weiter|vor|vorwärts|suivante?s?|siguientes?|successiv[aoi]|avanti|prossim[ao]|volgende|následující|další|ďalšia|nasledujúca|następn[aey]|dalej|nästa|neste|næste|seuraava|próxim[ao]|seguinte|urmatoarea|următo(?:area|rul)|következő|sonraki|ileri|επόμενη|вперед|вперёд|след(?:ующая|ующие|ующий|\.)?|далее|наступна|次(?:へ|の(?:ページ|\d*件))?|다음(?:\s?페이지)?|下一页|下一頁|التالي|הבא)(?:\s+(?:page|seite|pagina|página|stránka|strona|страница|entries|posts|results|\d+))?\s*(?:[›»→>❯▶⟩]+)?|[›»→❯▶⟩]|>{1,2})$/iu;
const NOT_NEXT =
  /prev|previous|zurück|précéd|anterior|preceden|last|ende?\b|fin\b|older|disabled|inactive|slide|carousel|calendar|month|week/i;
const CURRENT_WORDS = new Set(['active', 'current', 'selected', 'on', 'aktiv', 'actual']);
const EVERYTHING = /[=/](?:all|alle|tout|todo|toutes|tutti)(?:[&/]|$)/i;
const NEXT_WORDS = new Set([
  'next',
  'nextpage',
  'pagenext',
  'nextpostslink',
  'weiter',
  'suivant',
  'siguiente',
  'forward',
]);
const PAGING_WORDS =
  /^(?:pag(?:er|es|ing|ination|inator|enav|enavi|enumbers?|elinks?)|paginacion|paginazione|seiten|wp|nav|navi|navigation)/;
const MORE_TEXT =
  /^(?:(?:load|show|see|view) more|more |mehr (?:anzeigen|laden)|weitere |(?:voir|afficher) plus|plus de |ver más|más |mostra altr|carica altr|meer |visa fler|načíst další|pokaż więcej|показать еще|もっと見る|더\s?보기)/iu;
/** Parts whose next is an image or a month. */
const SLIDER = /slide|slick|swiper|carousel|gallery|owl|lightbox|flex-?control|calendar/i;
/** A page number, also one grouped in thousands. */
const PAGE_NUMBER = /^\d{1,3}(?:[.,]?\d{3})?$|^\d{4}$/;

type Link = { element: DomElement; url: string; text: string };

/**
 * The address of the page after this one: a link marked or labelled as next inside a pager first, then `rel=next` of the
 * head, then the link that the pattern matches with the next number, then a link labelled as next elsewhere, then the number
 * after the current one in a pager. Undefined on the last page, also when the head names one more than its pager.
 */
export function findNextPage(html: string, url: string, pattern?: RegExp): string | undefined {
  return nextPage(parsePage(html, url), pattern);
}

/** `findNextPage` of a page that is already parsed. */
export function nextPage(page: Page, pattern?: RegExp): string | undefined {
  const own = resolveUrl(page.url, page.url);
  const links = linksOf(page).filter(({ url }) => url !== own);
  const anchors = links.filter(({ element }) => element.name === 'a' && !isRelPrevious(element));
  const head = links.find(({ element }) => element.name === 'link' && isRelNext(element));
  const marked = anchors.find(({ element, url }) => isRelNext(element) && isNear(url, page));
  if (marked) return marked.url;
  if (pattern) return head?.url ?? byPattern(anchors, page, pattern);
  const labelled = labelledLinks(anchors, page);
  const inPager = labelled.find(({ element }) => isInPager(element));
  if (inPager) return inPager.url;
  const pager = readPager(anchors, page);
  if (head && !pager.isLast) return head.url;
  return labelled[0]?.url ?? pager.next ?? anchors.find((link) => isMore(link) && isNear(link.url, page))?.url;
}

function linksOf(page: Page): Link[] {
  const links: Link[] = [];
  for (const element of page.elements) {
    const { name, attribs } = element;
    if ((name !== 'a' && name !== 'link') || attribs.href === undefined) continue;
    const url = linkAddress(attribs.href, page.base);
    if (url !== undefined) links.push({ element, url, text: name === 'a' ? lineOf(element, 60) : '' });
  }
  return links;
}

function isRelNext({ attribs }: DomElement): boolean {
  return /(?:^|\s)next(?:\s|$)/i.test(attribs.rel ?? '');
}

function isRelPrevious({ attribs }: DomElement): boolean {
  return /(?:^|\s)prev(?:ious)?(?:\s|$)/i.test(attribs.rel ?? '');
}

function byPattern(anchors: Link[], page: Page, pattern: RegExp): string | undefined {
  const matched = anchors.filter(({ url }) => matchesPattern(pattern, url));
  const labelled = matched.find((link) => isLabelled(link));
  if (labelled) return labelled.url;
  const current = pageNumber(page.url, pattern) ?? 1;
  const later = matched
    .map(({ url }) => ({ url, number: pageNumber(url, pattern) }))
    .filter((link): link is { url: string; number: number } => link.number !== undefined && link.number > current)
    .sort((a, b) => a.number - b.number);
  return later[0]?.url;
}

/** The number a paging pattern finds: its first group, else the last digits of what it matches, else of the address. */
function pageNumber(url: string, pattern: RegExp): number | undefined {
  pattern.lastIndex = 0;
  const match = pattern.exec(url);
  if (!match) return undefined;
  const digits = /\d+/.exec(match[1] ?? '')?.[0] ?? match[0].match(/\d+/g)?.at(-1) ?? url.match(/\d+/g)?.at(-1);
  return digits === undefined ? undefined : Number(digits);
}

function labelledLinks(anchors: Link[], page: Page): Link[] {
  return anchors.filter(
    (link) => isLabelled(link) && isNear(link.url, page) && !isSlider(link.element) && !EVERYTHING.test(link.url),
  );
}

function isLabelled({ element, text }: Link): boolean {
  const { attribs } = element;
  const image = element.children.find((child) => isElement(child) && child.name === 'img');
  const alt = image && isElement(image) ? (image.attribs.alt ?? '') : '';
  const labels = [text, attribs['aria-label'] ?? '', attribs.title ?? '', alt].map((label) => label.trim());
  const words = [...nameWordsOf(element), ...ancestorsOf(element, 1).flatMap(nameWordsOf)];
  if (NOT_NEXT.test(`${attribs.class ?? ''} ${attribs.title ?? ''} ${attribs['aria-label'] ?? ''}`)) return false;
  if (labels.some((label) => label !== '' && NEXT_TEXT.test(label))) return true;
  return words.some((word) => NEXT_WORDS.has(word)) && text.length < 40 && !/^\d+$/.test(text);
}

/** Pagers mark the current page by leaving its number unlinked: the number that is missing before a linked one. */
function readPager(anchors: Link[], page: Page): { next?: string; isLast: boolean } {
  const numbered = anchors.filter(({ element, text }) => PAGE_NUMBER.test(text) && isInPager(element));
  const byValue = new Map<number, string>();
  for (const { text, url } of numbered) {
    const value = numberOf(text);
    if (!byValue.has(value) && isNear(url, page)) byValue.set(value, url);
  }
  const current = byValue.size === 0 ? undefined : currentNumber(numbered, byValue);
  if (current === undefined) return { isLast: false };
  return {
    next: byValue.get(current + 1),
    isLast: current > 1 && [...byValue.keys()].every((value) => value <= current),
  };
}

function currentNumber(numbered: Link[], byValue: Map<number, string>): number | undefined {
  const marked = numbered.find(({ element }) =>
    [element, ...ancestorsOf(element, 1)].some((around) => nameWordsOf(around).some((word) => CURRENT_WORDS.has(word))),
  );
  if (marked) return numberOf(marked.text);
  const pagers = new Set(numbered.flatMap(({ element }) => ancestorsOf(element, 3)));
  for (const pager of pagers) {
    for (const child of pager.children) {
      const text = isElement(child) ? lineOf(child, 20) : child.type === 'text' ? child.data.trim() : '';
      if (!PAGE_NUMBER.test(text.replace(/^\[|\]$/g, ''))) continue;
      const number = numberOf(text);
      if (!byValue.has(number)) return number;
    }
  }
  return byValue.has(2) && !byValue.has(1) ? 1 : undefined;
}

/** A list that grows instead of being turned: its button leads to an address that counts pages. */
function isMore({ text, url }: Link): boolean {
  return MORE_TEXT.test(text) && /[?&/](?:page|paged?|pg|p|seite|pagina|start|offset)[=/]\d+/i.test(url);
}

function numberOf(text: string): number {
  return Number(text.replace(/\D/g, ''));
}

function isInPager(element: DomElement): boolean {
  return [element, ...ancestorsOf(element, 5)].some((around) =>
    nameWordsOf(around).some((word) => PAGING_WORDS.test(word)),
  );
}

function isSlider(element: DomElement): boolean {
  return [element, ...ancestorsOf(element, 4)].some(({ attribs }) =>
    SLIDER.test(`${attribs.class ?? ''} ${attribs.id ?? ''}`),
  );
}

/** A list goes on at the same site. */
function isNear(url: string, page: Page): boolean {
  const host = (link: string) => (URL.canParse(link) ? new URL(link).hostname.replace(/^www\./, '') : '');
  return host(url) === host(page.url) || host(url) === host(page.base);
}
