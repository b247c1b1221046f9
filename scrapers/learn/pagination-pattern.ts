import { linkAddress } from '../extract/links.ts';
import { nextPage } from '../extract/next-page.ts';
import type { Page } from '../extract/page.ts';
import { lineOf } from '../../shared/kit/html/text.ts';
import { escapePattern } from './escape-pattern.ts';

/** A page that turns: which links turn it, and where in their addresses the number stands that does. */
export type PagerEvidence = { url: string; next: string | undefined; numbered: string[]; turns: Turn[] };

/** One place of an address that counts pages. */
type Turn = { url: string; at: number; length: number };

type Numbered = { url: string; number: number };

const MAX_LABEL = 1_000_000;

/**
 * Finds what turns a page: links labelled with numbers whose addresses hold a number that grows evenly with the label (proof
 * enough without a word of any language), and the link to the next page by the general rules.
 */
export function readPager(page: Page): PagerEvidence {
  const links = numberedLinks(page);
  const numbered = [...alignedLinks(links), ...besidesOwn(links, page.url), ...besidesFirst(links)];
  const next = nextPage(page) ?? extendedAddress(page);
  const turns = numbered.flatMap((each) => each.turn);
  const differing = next === undefined ? undefined : differenceOf(page.url, next);
  return {
    url: page.url,
    next,
    numbered: numbered.map(({ url }) => url),
    turns: differing ? [...turns, differing] : turns,
  };
}

function numberedLinks(page: Page): Numbered[] {
  const host = hostOf(page.url);
  return page.elements.flatMap((element) => {
    if (element.name !== 'a' || element.attribs.href === undefined) return [];
    const text = lineOf(element, 12).replace(/^\[|\]$/g, '');
    const number = /^\d{1,3}(?:[.,]?\d{3})?$|^\d{1,6}$/.test(text) ? Number(text.replaceAll(/\D/g, '')) : Number.NaN;
    const url = linkAddress(element.attribs.href, page.base);
    return url === undefined || !(number <= MAX_LABEL) || hostOf(url) !== host ? [] : [{ url, number }];
  });
}

/** Those links whose address is an even function of their label at one place, and the same text elsewhere; two at least. */
function alignedLinks(links: readonly Numbered[]): { url: string; turn: Turn }[] {
  const groups = new Map<string, { link: Numbered; turn: Turn; value: number }[]>();
  for (const link of links) {
    for (const { index, 0: digits } of link.url.matchAll(/\d+/g)) {
      const rest = `${link.url.slice(0, index)}#${link.url.slice(index + digits.length)}`;
      const turn = { url: link.url, at: index, length: digits.length };
      groups.set(rest, [...(groups.get(rest) ?? []), { link, turn, value: Number(digits) }]);
    }
  }
  const found: { url: string; turn: Turn }[] = [];
  for (const group of groups.values()) {
    const byLabel = [...new Map(group.map((each) => [each.link.number, each])).values()];
    const sorted = byLabel.toSorted((x, y) => x.link.number - y.link.number);
    const [a, b, ...others] = sorted;
    if (!a || !b) continue;
    const step = (b.value - a.value) / (b.link.number - a.link.number);
    const atZero = a.value - step * a.link.number;
    const isEven = others.every((each) => each.value === atZero + step * each.link.number);
    // Pages are counted from about nothing, one by one: days of a calendar and sizes of pages are not.
    const isCounted = step > 0 && Math.abs(atZero) <= step;
    const isOneByOne = sorted.some(({ link }, index) => link.number - (sorted[index - 1]?.link.number ?? -9) === 1);
    // Two points are always on a line: they count when the number is the label, or next to it.
    const isPlain = others.length > 0 || (step === 1 && Math.abs(atZero) <= 1);
    if (isEven && isCounted && isOneByOne && isPlain)
      found.push(...byLabel.map(({ link, turn }) => ({ url: link.url, turn })));
  }
  return found;
}

/** Links labelled with a number whose address is that of the page itself but for that number. */
function besidesOwn(links: readonly Numbered[], own: string): { url: string; turn: Turn }[] {
  const address = own.split('#', 1).join();
  return links.flatMap(({ url, number }) => {
    const turn = differenceOf(address, url);
    if (!turn || Number(url.slice(turn.at, turn.at + turn.length)) !== number) return [];
    const rest = url.slice(turn.at + turn.length);
    const isAlike = address.startsWith(url.slice(0, turn.at)) && address.slice(turn.at).replace(/^\d+/, '') === rest;
    return isAlike ? [{ url, turn }] : [];
  });
}

/** Links labelled with a number whose address is that of the link labelled 1, which may have none, and the number behind it. */
function besidesFirst(links: readonly Numbered[]): { url: string; turn: Turn }[] {
  const firsts = new Set(links.flatMap(({ url, number }) => (number === 1 ? url : [])));
  return links.flatMap(({ url, number }) => {
    const end = /[/?&](?:[a-z_-]{1,12}[/=])?(\d{1,6})\/?$/i.exec(url);
    const digits = end?.[1] ?? '';
    if (!end || number < 2 || Number(digits) !== number) return [];
    const first = url.slice(0, end.index);
    if (!firsts.has(first) && !firsts.has(`${first}/`)) return [];
    return [{ url, turn: { url, at: url.lastIndexOf(digits), length: digits.length } }];
  });
}

/** A link to the page's own address with a word and the number two behind it: `/page/2/`, `?paged=2`. */
function extendedAddress(page: Page): string | undefined {
  const bare = (url: string) => url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/[/#?&]{1,3}$/, '');
  const own = bare(page.url);
  return page.elements
    .flatMap(({ name, attribs }) => (name === 'a' && attribs.href ? (linkAddress(attribs.href, page.base) ?? []) : []))
    .find((url) => {
      const more = /^(.*?)[/?&]([a-z_-]{1,12})[/=]2\/?$/i.exec(url);
      return more?.[1] !== undefined && bare(more[1]) === own;
    });
}

/** Where the address of the next page has a number that the address of this one has not, or has smaller. */
function differenceOf(own: string, next: string): Turn | undefined {
  const at = (index: number, length: number): Turn => ({ url: next, at: index, length });
  const numbers = [...next.matchAll(/\d+/g)];
  const grown = numbers.find(({ 0: digits, index }) => {
    const before = next.slice(0, index);
    const same = own.startsWith(before) ? /^\d+/.exec(own.slice(index))?.[0] : undefined;
    return same !== undefined && same !== digits && Number(same) !== Number(digits);
  });
  if (grown) return at(grown.index, grown[0].length);
  const ownParts = new Set(own.split(/[/?&#]/));
  const added = numbers.findLast(({ 0: digits, index }) => {
    const start = Math.max(...['/', '?', '&'].map((sign) => next.lastIndexOf(sign, index))) + 1;
    const end = /[/?&#]|$/.exec(next.slice(index))?.index ?? 0;
    return !ownParts.has(next.slice(start, index + end)) && Number(digits) < MAX_LABEL;
  });
  return added && at(added.index, added[0].length);
}

/**
 * Induces the address pattern of the pages of a list from what turns them: the most general one around the number (a
 * parameter, a folder, a file) that matches the pagers' links and hardly any of the `others`, which are addresses of the same
 * pages that turn nothing. Undefined when nothing turns.
 */
export function inducePaginationPattern(
  pagers: readonly PagerEvidence[],
  others: readonly string[],
): string | undefined {
  const turning = new Set(pagers.flatMap(({ numbered, next }) => [...numbered, ...(next === undefined ? [] : [next])]));
  const strangers = [...new Set(others)].filter((url) => !turning.has(url));
  const wanted = [...turning];
  const votes = new Map<string, number>();
  for (const turn of pagers.flatMap(({ turns }) => turns)) {
    for (const [rank, source] of patternsAround(turn).entries())
      votes.set(source, Math.max(votes.get(source) ?? 0, 1 - rank * 0.01));
  }
  const scored = [...votes].map(([source, generality]) => {
    const expression = new RegExp(source); // built at run time: from classes and escaped parts of addresses of 2,048 characters at most
    const right = wanted.filter((url) => expression.test(url)).length;
    const wrong = strangers.filter((url) => expression.test(url)).length;
    return { source, score: right === 0 ? -1 : right / wanted.length - wrong / (right + wrong) + generality * 0.5 };
  });
  return scored.toSorted((a, b) => b.score - a.score)[0]?.source;
}

/** Patterns around a number that turns pages, the most general first. */
function patternsAround({ url, at, length }: Turn): string[] {
  const { origin } = new URL(url);
  const before = url.slice(origin.length, at);
  const after = url.slice(at + length);
  const path = before.split('?', 1).join();
  if (before.includes('?')) {
    const name = /[?&]([^?&=]+)=[^&=]*$/.exec(before)?.[1];
    if (name === undefined) return [];
    const lead = /=([^&=]*)$/.exec(before)?.[1] ?? '';
    const parameter = `${parameterName(name)}=${escapePattern(lead)}\\d+`;
    const file = path.split('/').at(-1) ?? '';
    const folder = generalPath(path);
    const paths = [...(file === '' ? [] : [`/${escapePattern(file)}`]), `^https?://[^/?#]+${folder}`];
    const general = [
      `[?&]${parameter}`,
      ...[...paths, `^https?://[^/?#]+${escapePattern(path)}`].map((each) => `${each}\\?(?:[^#]*&)?${parameter}`),
    ];
    return [...general, ...general.map((each) => `${each}$`)];
  }
  const segment = before.slice(before.lastIndexOf('/') + 1);
  const rest = /^[^/?#]*/.exec(after)?.[0] ?? '';
  const folders = before.slice(0, before.lastIndexOf('/') + 1);
  const end = `${escapePattern(rest).replaceAll(/\d+/g, String.raw`\d+`)}(?:[/?#]|$)`;
  const anchored = `^https?://[^/?#]+`;
  if (segment === '') {
    const parent = folders.split('/').at(-2) ?? '';
    const near = /^[a-z_-]{1,12}$/i.test(parent) ? [`/${escapePattern(parent)}/\\d+${end}`] : [];
    return [...near, `${anchored}${generalPath(folders)}\\d+${end}`, `${anchored}${escapePattern(folders)}\\d+${end}`];
  }
  const lead = leadOf(segment);
  const isWhole = lead === escapePattern(segment);
  return [
    `${isWhole ? '/' : ''}${lead}\\d+${end}`,
    `${anchored}${generalPath(folders)}${isWhole ? '' : '[^/?#]*'}${lead}\\d+${end}`,
    `${anchored}${escapePattern(folders)}${isWhole ? '' : '[^/?#]*'}${lead}\\d+${end}`,
    `${anchored}${escapePattern(folders + segment)}\\d+${end}`,
  ];
}

/** The last word before a number, with the numbers in between: `temoignages-f26-` -> `-f\d+-`. */
function leadOf(segment: string): string {
  const lead = /[-_.,;]?[a-z]{1,40}(?:[-_.,;]?\d{1,20})?[-_.,;]?$|[-_.,;]$/i.exec(segment.slice(-80))?.[0] ?? segment;
  return escapePattern(lead).replaceAll(/\d+/g, String.raw`\d+`);
}

/** The first folder as it is, since it names the part of the site, and any others. */
function generalPath(path: string): string {
  const [first = '', ...others] = path.split('/').slice(1);
  return ['', escapePattern(first), ...others.map((each) => (each === '' ? '' : '[^/?#]+'))].join('/');
}

const parameterName = (name: string): string =>
  escapePattern(name).replaceAll('\\[', '(?:\\[|%5B)').replaceAll('\\]', '(?:\\]|%5D)');

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '');
