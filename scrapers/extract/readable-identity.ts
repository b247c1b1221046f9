import { distanceToHeading, wordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { lineOf } from './text.ts';

const SKU_LABEL =
  /^(?:sku|asin|(?:\p{L}+ )?item (?:number|no\.?|code|id|#)|(?:product|article|stock|catalogue|part|listing|ad|advert|reference|ref) ?(?:number|no\.?|nr\.?|code|id|#)|ref(?:erence|\.)?|art(?:ikel)?[. -]*(?:nr|nummer|no)\.?|best(?:ell)?[. -]*(?:nr|nummer)\.?|anzeigen?-?(?:nr|nummer|id)\.?|inserats?-?(?:nr|nummer|id)\.?|objekt-?(?:nr|nummer|id)\.?|produktnummer|code (?:article|produit)|référence(?: de l['’]annonce)?|réf\.?|numéro d['’]annonce|(?:número|código|referencia|ref\.) ?(?:de|del)? ?(?:artículo|producto|anuncio)?|codice(?: (?:articolo|prodotto|annuncio))?|riferimento|artikelnummer|kód(?: (?:produktu|tovaru))?|indeks|cod produs|商品(?:番号|コード)|管理番号|品番|型番|상품\s?(?:번호|코드)|품번|매물번호|رقم المنتج|מק["״]ט)$/iu;
const BRAND_LABEL =
  /^(?:brand(?: name)?|marke|marque|marca|merk|značka|marka|märke|hersteller|manufacturer|fabricant|fabbricante|produttore|fabrikant|výrobce|výrobca|producent|producător|make|builder|werft|ブランド(?:名)?|メーカー|브랜드|제조사|العلامة التجارية|מותג|יצרן|бренд|производитель)$/iu;
const NO_BRAND = /^(?:n\/?a|none|keine|sin marca|no(?:ne)? brand|unknown|other|-+)$/i;

/**
 * The article number printed with a label on the page; of several the one that the address repeats. Without any, a number
 * of the address that the page's own fields confirm.
 */
export function readSku(layout: Layout, facts: Record<string, string>, url: string): string | undefined {
  const codes = Object.entries(facts).flatMap(([label, value]) => {
    const code = value.trim().replace(/^[#:№\s]+/, '');
    return SKU_LABEL.test(label) && /\d/.test(code) && code.length <= 40 && !/\s.*\s/.test(code) ? [code] : [];
  });
  return codes.find((code) => url.includes(code)) ?? numberFromUrl(layout, url) ?? codes[0];
}

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
    const words = wordsOf(element);
    if (
      !words.some((word) => word === 'brand' || word === 'byline' || word === 'manufacturer' || word === 'designer')
    ) {
      continue;
    }
    const text = lineOf(element, 200);
    if (text.length < 2 || text.length > 60) continue;
    const labelled = /^([^:：]{2,30})[:：]\s*(.+)$/u.exec(text);
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

/** A number in the address names the thing when a hidden field or data attribute of the page repeats it. */
function numberFromUrl(layout: Layout, url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname, searchParams } = new URL(url);
  const parts = [...pathname.split(/[/\-_.,;]/), ...searchParams.values()].map((part) => part.slice(0, 60));
  const tokens = new Set(parts.filter((part) => /^[A-Za-z]{0,6}\d[\dA-Za-z]{3,}$/.test(part) && /\d.*\d/.test(part)));
  if (tokens.size === 0) return undefined;
  const wanted = new Map(
    [...tokens].flatMap((token) => [
      [token, token],
      [token.replace(/^[A-Za-z]+/, ''), token],
    ]),
  );
  for (const { name, attribs } of layout.page.elements) {
    if (name === 'input' && attribs.type?.toLowerCase() === 'hidden' && wanted.has(attribs.value ?? '')) {
      return attribs.value;
    }
    for (const [attribute, value] of Object.entries(attribs)) {
      if (attribute.startsWith('data-') && wanted.has(value) && /id|sku|code|item|product|article/.test(attribute)) {
        return value;
      }
    }
  }
  return undefined;
}
