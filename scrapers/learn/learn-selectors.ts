import type { DomElement } from '../../shared/kit/html/dom.ts';
import { lineOf } from '../../shared/kit/html/text.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { pageRecords } from '../extract/extract-page.ts';
import type { Selectors } from '../extract/selectors.ts';
import { isRecordPage, type PageFacts } from './read-page-facts.ts';

/** So many pages have to agree before a selector is believed. */
const MIN_AGREEING = 3;
const MAX_TEXT = 300;
const FIELDS = ['title', 'price', 'sku', 'brand', 'model', 'condition'] as const;
type Field = (typeof FIELDS)[number];
/** Every field whose loss would make a page worse. */
const COMPARED = [...FIELDS, 'currency', 'availability', 'description', 'category'] as const;

/**
 * Induces CSS selectors from pages of one template: an element is the place of a field when it holds, and alone holds, what
 * markup says of the field on every page that says it. They are proposed only when reading with them finds something that
 * general extraction misses, and loses and changes nothing else on any page; undefined else.
 */
export function learnSelectors(pages: readonly PageFacts[]): Selectors | undefined {
  const things = pages.filter(isRecordPage);
  if (things.length < MIN_AGREEING) return undefined;
  const lacking = FIELDS.filter((field) => things.some(({ records: [record] }) => record?.[field] === undefined));
  const title = selectorOf(things, 'title');
  if (title === undefined || lacking.length === 0) return undefined;
  const kept: Selectors = { title };
  for (const field of lacking.filter((name) => name !== 'title')) {
    const selector = selectorOf(things, field);
    if (selector !== undefined) kept[field] = selector;
  }
  if (Object.keys(kept).length === 1) return undefined;
  return isBetter(things, kept) ? kept : undefined;
}

/** The shortest name of a place that holds a field on all pages where something tells what is right. */
function selectorOf(things: readonly PageFacts[], field: Field): string | undefined {
  const told = things.filter(({ records: [record] }) => record?.[field] !== undefined);
  const certain = told.filter(({ records: [record] }) => !['page', 'state'].includes(record?.evidence?.[field] ?? ''));
  const proof = field === 'title' ? told : certain;
  if (proof.length < MIN_AGREEING) return undefined;
  const candidates = proof.map((facts) => new Set(placesOf(facts, facts.records[0]?.[field] ?? '')));
  const [first = new Set<string>(), ...rest] = candidates;
  return [...first]
    .filter((selector) => rest.every((others) => others.has(selector)))
    .filter((selector) => things.every(({ page }) => page.$(selector).length === 1))
    .toSorted((a, b) => a.length - b.length)[0];
}

/** Selectors of the elements of a page that hold exactly this text. */
function placesOf({ page }: PageFacts, value: string): string[] {
  const wanted = normal(value);
  if (wanted === '') return [];
  return page.elements
    .filter((element) => normal(lineOf(element, MAX_TEXT)) === wanted)
    .flatMap((element) => selectorsOf(element));
}

function selectorsOf({ name, attribs }: DomElement): string[] {
  const isName = (text: string) => /^[A-Za-z][\w-]{1,60}$/.test(text) && !/\d{3}/.test(text);
  const classes = (attribs.class ?? '').split(/\s+/).filter(isName);
  const id = attribs.id ?? '';
  return [
    ...(name === 'h1' ? ['h1'] : []),
    ...(isName(id) ? [`#${id}`] : []),
    ...classes.map((each) => `${name}.${each}`),
    ...(attribs.itemprop && isName(attribs.itemprop) ? [`${name}[itemprop="${attribs.itemprop}"]`] : []),
  ];
}

function isBetter(things: readonly PageFacts[], selectors: Selectors): boolean {
  let gained = 0;
  for (const { page, records } of things) {
    const [general] = records;
    const [learned] = pageRecords(page, { mode: 'selectors', selectors });
    if (!general || !learned || isWorse(general, learned)) return false;
    gained += FIELDS.filter((field) => general[field] === undefined && learned[field] !== undefined).length;
  }
  return gained > 0;
}

function isWorse(general: RawRecord, learned: RawRecord): boolean {
  const isLost = COMPARED.some(
    (field) => general[field] !== undefined && normal(general[field]) !== normal(learned[field] ?? ''),
  );
  const facts = (record: RawRecord) => Object.keys(record.properties ?? {}).length;
  const images = (record: RawRecord) => record.images?.length ?? 0;
  const hasPlace = (record: RawRecord) => record.location !== undefined;
  return (
    isLost ||
    images(learned) < images(general) ||
    facts(learned) < facts(general) ||
    (hasPlace(general) && !hasPlace(learned))
  );
}

const normal = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
