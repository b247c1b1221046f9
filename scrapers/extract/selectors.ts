import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { canonicalAvailability } from './availability.ts';
import { canonicalUrl } from './identity.ts';
import { imageSource } from './images.ts';
import { addFact } from './map-properties.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import { parsePage, resolveUrl } from './page.ts';
import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import type { Page } from './page.ts';
import { readLanguage } from './readable.ts';
import { readMetaTags } from './opengraph.ts';
import { lineOf, textOf, withoutColon } from '../../shared/kit/html/text.ts';

/** CSS selectors by field, each with an optional attribute: `{title: 'h1', images: '.gallery img@src'}`. */
export type Selectors = Record<string, string>;

const LINE_FIELDS = new Set([
  ...['title', 'price', 'currency', 'sku', 'brand', 'model', 'gtin', 'condition', 'category', 'language'],
  ...['availability'],
]);
const LOCATION_FIELDS = new Map<string, 'text' | 'country' | 'region' | 'city' | 'postalCode'>(
  Object.entries({
    location: 'text',
    country: 'country',
    region: 'region',
    city: 'city',
    postal_code: 'postalCode',
    postalCode: 'postalCode',
  }),
);
const MAX_MATCHES = 100;
const MAX_DESCRIPTION = 100_000;

/**
 * The one record that a site's selectors read on a page. Known fields are RawRecord's, `location`, `country`, `region`,
 * `city` and `postal_code`; any other name becomes a labelled fact. What does not match is left out; a selector that is
 * no valid CSS throws a SyntaxError naming the field.
 */
export function extractSelectors(html: string, url: string, selectors: Selectors): RawRecord {
  return selectRecord(parsePage(html, url), selectors);
}

/** `extractSelectors` of a page that is already parsed. */
export function selectRecord(page: Page, selectors: Selectors): RawRecord {
  const record: RawRecord = { url: canonicalUrl(page) };
  const properties: Record<string, string> = {};
  const location: NonNullable<RawRecord['location']> = {};
  for (const [field, expression] of Object.entries(selectors)) {
    const { css, attribute } = splitExpression(expression);
    const matches = matchesOf(page, field, css);
    if (matches.length === 0) continue;
    const read = (element: DomElement) => readValue(element, attribute, page.base);
    if (field === 'images') record.images = imagesOf(matches, attribute, page.base);
    else if (field === 'breadcrumbs')
      record.breadcrumbs = matches
        .map(read)
        .filter((name) => name !== '')
        .slice(0, 20);
    else if (field === 'description') record.description = descriptionOf(matches, attribute);
    else if (field === 'properties') addPairs(properties, matches);
    else if (field === 'url') record.url = resolveUrl(linkOf(matches[0], attribute), page.base) ?? record.url;
    else {
      const value = matches.map(read).find((text) => text !== '');
      if (value === undefined) continue;
      const place = LOCATION_FIELDS.get(field);
      if (place !== undefined) location[place] = value;
      else if (field === 'availability') record.availability = canonicalAvailability(value) ?? value;
      else if (LINE_FIELDS.has(field)) Object.assign(record, { [field]: value });
      else addFact(properties, field, value);
    }
  }
  if (Object.keys(location).length > 0) record.location = location;
  if (Object.keys(properties).length > 0) record.properties = properties;
  return withEvidence(record, page);
}

/** The language comes from the page itself when no selector names it. */
function withEvidence(record: RawRecord, page: Page): RawRecord {
  const evidence: Record<string, string> = {};
  for (const [field, value] of Object.entries(record)) {
    if (field !== 'url' && value !== undefined) evidence[field] = 'selector';
  }
  const language = record.language ?? readLanguage(page, readMetaTags(page));
  if (record.language === undefined && language !== undefined) evidence.language = 'page';
  return { ...record, language, evidence };
}

/** `@attr` counts only at the end and outside brackets: attribute selectors may hold an `@` of their own. */
function splitExpression(expression: string): { css: string; attribute?: string } {
  const match = /^(.*?)@([A-Za-z][\w:-]*)\s*$/s.exec(expression);
  if (
    !match ||
    match[1] === undefined ||
    (match[1].match(/\[/g)?.length ?? 0) !== (match[1].match(/\]/g)?.length ?? 0)
  ) {
    return { css: expression.trim() };
  }
  return { css: match[1].trim() || '*', attribute: match[2]?.toLowerCase() };
}

function matchesOf(page: Page, field: string, css: string): DomElement[] {
  try {
    return (page.$(css).toArray() as DomNode[]).filter(isElement).slice(0, MAX_MATCHES);
  } catch (error) {
    throw new SyntaxError(`the selector of ${field} is no valid CSS: ${css}`, { cause: error });
  }
}

function readValue(element: DomElement, attribute: string | undefined, base: string): string {
  if (attribute === undefined) return element.attribs.content?.trim() ?? lineOf(element, 5_000);
  const value = element.attribs[attribute]?.trim() ?? '';
  return attribute === 'href' || attribute === 'src' ? (resolveUrl(value, base) ?? value) : value;
}

function descriptionOf(matches: DomElement[], attribute: string | undefined): string | undefined {
  const texts = matches.map((element) =>
    attribute === undefined
      ? (element.attribs.content?.trim() ?? textOf(element, MAX_DESCRIPTION))
      : (element.attribs[attribute]?.trim() ?? ''),
  );
  const text = texts.filter((part) => part !== '').join('\n\n');
  return text === '' ? undefined : text.slice(0, MAX_DESCRIPTION);
}

function imagesOf(matches: DomElement[], attribute: string | undefined, base: string): RawRecord['images'] {
  const images: NonNullable<RawRecord['images']> = [];
  for (const element of matches) {
    const link = attribute === undefined ? undefined : element.attribs[attribute];
    const url = attribute === undefined ? imageSource(element, base) : link && resolveUrl(link, base);
    if (!url || images.some((image) => image.url === url)) continue;
    const alt = element.attribs.alt?.trim();
    images.push(alt ? { url, alt } : { url });
  }
  return images.length > 0 ? images : undefined;
}

/** Each match holds a label and a value: its first and last element, or the two sides of a colon. */
function addPairs(properties: Record<string, string>, matches: DomElement[]): void {
  for (const element of matches) {
    const parts = element.children.filter(isElement);
    const [first, last] = [parts[0], parts.at(-1)];
    if (first && last && first !== last) {
      addFact(properties, withoutColon(lineOf(first, 200)), lineOf(last, 1_000));
      continue;
    }
    const [label, ...value] = lineOf(element, 1_000).split(/[:：]/);
    addFact(properties, label, value.join(':'));
  }
}

function linkOf(element: DomElement | undefined, attribute: string | undefined): string {
  return element?.attribs[attribute ?? 'href'] ?? element?.attribs.content ?? '';
}
