import { distanceToHeading, nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { lineOf } from '../../shared/kit/html/text.ts';

const BRAND_LABEL =
  /^(?:brand(?: name)?|marke|marque|marca|merk|značka|marka|märke|hersteller|manufacturer|fabricant|fabbricante|produttore|fabrikant|výrobce|výrobca|producent|producător|make|builder|werft|ブランド(?:名)?|メーカー|브랜드|제조사|العلامة التجارية|מותג|יצרן|бренд|производитель)$/iu;
const LABEL_BEFORE = new RegExp(`^(?:${BRAND_LABEL.source.slice(4, -2)})\\s+(?=\\p{Lu})`, 'iu');
const NO_BRAND = /^(?:n\/?a|none|keine|sin marca|no(?:ne)? brand|unknown|other|-+)$/i;

/** The brand printed with a label, or in a line of its own near the heading whose words also open the title. */
export function readBrand(
  layout: Layout,
  facts: Record<string, string>,
  title: string | undefined,
): string | undefined {
  for (const [label, value] of Object.entries(facts)) {
    if (BRAND_LABEL.test(label) && value.length <= 60 && !NO_BRAND.test(value)) return value.trim();
  }
  for (const element of layout.page.elements) {
    const distance = distanceToHeading(layout, element);
    if (distance === undefined || distance < -40 || distance > 80 || layout.away.has(element)) continue;
    const words = nameWordsOf(element);
    if (
      !words.some((word) => word === 'brand' || word === 'byline' || word === 'manufacturer' || word === 'designer')
    ) {
      continue;
    }
    const text = lineOf(element, 200).replace(LABEL_BEFORE, '');
    if (text.length < 2 || text.length > 60) continue;
    const labelled = /^([^:：]{2,30})[:：]\s*(\S.*)$/u.exec(text);
    if (labelled && BRAND_LABEL.test(labelled[1]?.trim() ?? '')) return labelled[2];
    const shared = sharedWords(text, title ?? '');
    if (shared !== undefined) return shared;
    if (text.split(' ').length <= 3 && !/[:\d]/.test(text)) return text;
  }
  return undefined;
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
