import { distanceToHeading, nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { lineOf } from '../../shared/kit/html/text.ts';

const BRAND_LABEL =
  /^(?:brand(?: name)?|marke|marque|marca|merk|značka|marka|märke|hersteller|manufacturer|fabricant|fabbricante|produttore|fabrikant|výrobce|výrobca|producent|producător|make|builder|werft|ブランド(?:名)?|メーカー|브랜드|제조사|العلامة التجارية|מותג|יצרן|бренд|производитель)$/iu;
const LABEL_BEFORE = new RegExp(`^(?:${BRAND_LABEL.source.slice(4, -2)})\\s+(?=\\p{Lu})`, 'iu');
const BRAND_NAMES = new Set(['brand', 'byline', 'manufacturer', 'designer']);
const OPENERS = new Set(['a', 'h2', 'h3', 'h4']);
const NEAR = 12;
const NO_BRAND = /^(?:n\/?a|none|keine|sin marca|no(?:ne)? brand|unknown|other|-+)$/i;

const BRAND_LINK =
  /[/=?&](?:brands?|marken?|marques?|marcas?|merk|mark[ai]|fabricantes?|manufacturers?|designers?|producent|vyrobce|vyrobci|znacka|brend)[/=_-]/i;
const MAX_WORDS = 4;

/**
 * The brand of the page's thing: printed with a label, in a line named so near the heading, behind a link to the brand's
 * things, or a short line near the heading that opens the title.
 */
export function readBrand(
  layout: Layout,
  facts: Record<string, string>,
  title: string | undefined,
): string | undefined {
  for (const [label, value] of Object.entries(facts)) {
    if (BRAND_LABEL.test(label) && value.length <= 60 && isBrand(value)) return value.trim();
  }
  const opened = [title ?? '', documentTitle(layout)];
  let opening: string | undefined;
  for (const element of layout.page.elements) {
    const distance = distanceToHeading(layout, element);
    if (distance === undefined || distance < -40 || distance > 80 || layout.away.has(element)) continue;
    const isNamed = nameWordsOf(element).some((word) => BRAND_NAMES.has(word));
    const isLink = element.name === 'a' && BRAND_LINK.test(element.attribs.href ?? '');
    const text = lineOf(element, 200).replace(LABEL_BEFORE, '');
    if (text.length < 2 || text.length > 60) continue;
    if (isNamed || isLink) {
      const brand = namedBrand(text, title ?? '');
      if (brand !== undefined) return brand;
    }
    if (OPENERS.has(element.name) && Math.abs(distance) <= NEAR && text !== title && isOpening(text, opened))
      opening ??= text;
  }
  return opening;
}

function namedBrand(text: string, title: string): string | undefined {
  const labelled = /^([^:：]{2,30})[:：]\s*(\S.*)$/u.exec(text);
  if (labelled && BRAND_LABEL.test(labelled[1]?.trim() ?? '')) return labelled[2];
  const shared = sharedWords(text, title);
  if (shared !== undefined) return shared;
  return text.split(' ').length <= 3 && !/[:\d]/.test(text) && isBrand(text) ? text : undefined;
}

/** A short text with which a title begins, followed by other words. */
function isOpening(text: string, titles: string[]): boolean {
  if (text.split(' ').length > MAX_WORDS || !isBrand(text)) return false;
  const start = text.toLowerCase();
  return titles.some(
    (title) => title.toLowerCase().startsWith(`${start} `) && /^\s\p{L}/u.test(title.slice(text.length)),
  );
}

function documentTitle({ page }: Layout): string {
  const title = page.elements.find(({ name }) => name === 'title');
  return title ? lineOf(title, 300) : '';
}

/** A name has letters, and is no address. */
export function isBrand(text: string): boolean {
  return /\p{L}/u.test(text) && !/^https?:|[|<>]/i.test(text) && !NO_BRAND.test(text.trim());
}

/** The longest run of words of a text that the title starts with. */
function sharedWords(text: string, title: string): string | undefined {
  const opening = title.toLowerCase();
  const words = text.split(' ');
  for (let length = words.length; length > 0; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const run = words.slice(from, from + length).join(' ');
      if (run.length < 2 || !opening.startsWith(run.toLowerCase())) continue;
      if (!/[\p{L}\p{N}]/u.test(opening[run.length] ?? ' ')) return run;
    }
  }
  return undefined;
}
