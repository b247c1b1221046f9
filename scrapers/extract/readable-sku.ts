import { memoizeText } from './memoize-text.ts';
import { distanceToHeading } from './layout.ts';
import type { Layout } from './layout.ts';
import type { Page } from './page.ts';
import { SKU_LABEL, SKU_LINE } from './sku-labels.ts';
import { ownText } from '../../shared/kit/html/text.ts';

const MAX_CODE = 40;
const MAX_SCRIPT_CHARS = 400_000;
const SCRIPT_CODE =
  /(?:sku|asin|(?:product|item|article)_?(?:id|sku|code|number))["']?\s{0,3}[:=]\s{0,3}["']?(?<code>[a-z\d][\w.-]{2,30})(?=["',;}\s])/gi;
/** Numbers shorter than this count pages, sizes, years. */
const ID = /^\d{5,}$/;
/** Names of what an address holds that numbers other things than the one shown. */
const OTHER_NUMBER =
  /store|shop|catalog|categ|^cat$|subcat|lang|page|session|sid$|user|seller|country|currency|type|group/i;
const MAX_DISTANCE = 1_500;

const isSkuLabel = memoizeText((label) => SKU_LABEL.test(label));

/**
 * The article number printed with a label on the page; of several the one that the address repeats, else the first.
 * Undefined when none is labelled.
 */
export function readPrintedSku(layout: Layout, facts: Record<string, string>, url: string): string | undefined {
  const codes = Object.entries(facts).flatMap(([label, value]) => {
    const code = value.trim().replace(/^[#:№\s]+/, '');
    return isSkuLabel(label) && isCode(code) ? [code] : [];
  });
  return codes.find((code) => url.includes(code)) ?? codes[0] ?? codeOfLine(layout);
}

/** A number of the address that the page itself confirms: in a field or data attribute, or as a text of its own. */
export function readSkuOfAddress(layout: Layout, url: string): string | undefined {
  const wanted = numbersOf(url);
  if (wanted.size === 0) return undefined;
  for (const element of layout.page.elements) {
    const { name, attribs } = element;
    if (name === 'input' && attribs.type?.toLowerCase() === 'hidden' && wanted.has(attribs.value ?? '')) {
      return attribs.value;
    }
    for (const [attribute, value] of Object.entries(attribs)) {
      if (!attribute.startsWith('data-') || !wanted.has(value)) continue;
      if (/id|sku|code|item|product|article/.test(attribute)) return value;
    }
    if (!layout.away.has(element) && element.children.length <= 2) {
      const text = ownText(element);
      if (text.length <= MAX_CODE && wanted.has(text) && Math.abs(distanceToHeading(layout, element) ?? 0) < 300)
        return text;
    }
  }
  return undefined;
}

/**
 * What is most likely the article number where nothing says it: of the codes that scripts call so the one that the address
 * repeats, or the only one; else the long number that ends the address.
 */
export function guessSku({ elements }: Page, url: string): string | undefined {
  const wanted = numbersOf(url);
  const codes = new Set<string>();
  let left = MAX_SCRIPT_CHARS;
  for (const { name, children } of elements) {
    const [child] = children;
    if (name !== 'script' || child?.type !== 'text' || left <= 0) continue;
    const source = child.data.slice(0, left);
    left -= source.length;
    for (const { groups } of source.matchAll(SCRIPT_CODE)) {
      if (groups?.code !== undefined && isCode(groups.code)) codes.add(groups.code);
    }
  }
  const [only] = codes.size === 1 ? codes : [];
  return [...codes].find((code) => wanted.has(code)) ?? only ?? [...wanted].findLast((code) => ID.test(code));
}

/** True when a reader finds this text on the page outside of what is about other things. */
export function isPrinted(layout: Layout, text: string): boolean {
  const wanted = text.toLowerCase();
  return layout.page.elements.some(
    (element) =>
      !layout.away.has(element) && element.name !== 'script' && ownText(element).toLowerCase().includes(wanted),
  );
}

const codeIn = memoizeText((text) => {
  const code = SKU_LINE.exec(text)?.groups?.code;
  return code !== undefined && isCode(code) ? code : undefined;
});

function codeOfLine(layout: Layout): string | undefined {
  for (const element of layout.page.elements) {
    if (layout.away.has(element) || Math.abs(distanceToHeading(layout, element) ?? 0) > MAX_DISTANCE) continue;
    const text = ownText(element);
    const code = text.length <= 80 && /\d/.test(text) ? codeIn(text) : undefined;
    if (code !== undefined) return code;
  }
  return undefined;
}

function isCode(code: string): boolean {
  return /\d/.test(code) && code.length <= MAX_CODE && !/\s.*\s/.test(code) && !/^\d{1,2}$/.test(code);
}

/** The numbers and codes an address is made of, whole and without letters before them. */
function numbersOf(url: string): Set<string> {
  if (!URL.canParse(url)) return new Set();
  const { pathname, searchParams } = new URL(url);
  const query = [...searchParams].flatMap(([name, value]) => (OTHER_NUMBER.test(name) ? [] : [value]));
  const parts = [...pathname.split(/[/\-_.,;]/), ...query].map((part) => part.slice(0, 60));
  const tokens = parts.filter((part) => /^[A-Za-z]{0,6}\d[\dA-Za-z]{3,}$/.test(part) && /\d.*\d/.test(part));
  return new Set(
    tokens.flatMap((token) => [token, ...(token.match(/\d{5,}/g) ?? []), token.replace(/^[A-Za-z]+/, '')]),
  );
}
