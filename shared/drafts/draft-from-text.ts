import type { Pool } from 'pg';
import type { Catalog } from '../catalog/tree.ts';
import { checkAttributes, type Attributes } from '../listings/attributes.ts';
import { completeAttributes } from '../listings/rules.ts';
import { normalizeCondition } from '../normalize/condition.ts';
import { countryOf } from '../normalize/country.ts';
import { normalizePrice } from '../normalize/price.ts';
import { normalizeRecord } from '../normalize/record.ts';
import type { IngestRecord, RawRecord } from '../normalize/record-type.ts';
import { clip, type DraftText, type ListingDraft } from './draft.ts';
import { estimatePriceRange } from './price-range.ts';

/** A draft, with what its text says of price and place, and the facts that somebody has to be asked for. */
export type DraftFromText = ListingDraft & Pick<IngestRecord, 'price' | 'location'> & { missing: string[] };

const NO_PAGE = { url: 'https://draft.invalid/', site: 'draft.invalid' };
const MAX_TEXT = 5_000;
const MIN_TITLE = 5;
const MAX_TITLE = 120;
const MAX_FACTS = 100;
const MAX_SENTENCES = 200;
const MAX_HINT = 300;
const LABELLED = /^(?:[-*•] ?)?([^:\n]{2,40}): (\S[^\n]{0,200})$/gmu;
const PRICE_LABEL = /^(?:asking )?(?:price|preis|prix|precio|prezzo)$/iu;
const PLACE_LABEL = /^(?:location|place|city|town|ort|standort|ciudad|ville|città)$/iu;
const CONDITION_LABEL = /^(?:condition|zustand|état|estado|condizioni)$/iu;
const BUILT = /(?:built|year|baujahr|bj\.?|année|año|anno)[ :]{1,3}(?:in |of |de |di )?((?:19|20)\d{2})(?!\d)/iu;
const YEAR = /(?<![\d.,])((?:19|20)\d{2})(?![\d.,]*\d)/u;
const MEASURE = String.raw`\d{1,3}(?:[.,]\d{1,2})?\s?(?:m|metres?|meters?|ft|feet|foot)`;
const LENGTH = new RegExp(
  String.raw`(?<!\p{L})(?:length|loa|länge|longueur|eslora|lunghezza)(?!\p{L})[^\d\n]{1,12}(${MEASURE})(?!\p{L})|(?<![\d.,])(${MEASURE})[ -]long(?!\p{L})`,
  'iu',
);
/** A length that stands alone in a list: `Hanse 345 from 2012, 10.5 m, 78000 EUR`. */
const LISTED_LENGTH = new RegExp(String.raw`(?:^|[,;(\n])\s?(${MEASURE})\s?(?=[,;.)\n]|$)`, 'iu');
/** Clauses that tell the condition of the whole, not of a part of it: `, fair condition`, `She is in very good condition`, `in gutem Zustand`. */
const OPENING_OF_CLAUSE = String.raw`(?:^|[,;.!?(\n]|(?<!\p{L})(?:boat|yacht|vessel|she|it|item|boot|schiff|es|sie|bateau|il|barco|barca|è|est|está|ist|is))\s?(?:is |ist |est |está |è )?(?:in (?:einem )?|en |in )?`;
const CONDITION_CLAUSE = new RegExp(
  String.raw`${OPENING_OF_CLAUSE}((?:\p{L}{2,20}[ -]){1,2}(?:condition|zustand|état|estado)|(?:état|estado|condizioni|condition|zustand):?(?: \p{L}{2,20}){1,2}|\p{L}{2,20} condizioni)(?!\p{L})`,
  'giu',
);
/** The same in two words that need no noun: `, like new,`. */
const AS_NEW =
  /(?:^|[,;.!?(\n])\s?(?:it is |she is |is )?((?:like|as) new|brand new|wie neu|neuwertig|comme neuve?|como nuev[oa]|come nuov[oa])(?=\s?(?:[,;.!?)\n]|$))/giu;
/** `lying in Kiel, Germany`, `liegt in Kiel`, `visible à Brest`: a name in capitals after the verb, with the region or country that follows it. */
const NAME = String.raw`\p{Lu}[\p{L}'’.-]*(?: (?:(?:am|an der|de|del|la|les|sur|of|the|upon) )?\p{Lu}[\p{L}'’-]*){0,3}`;
const PLACE_CLAUSE = new RegExp(
  String.raw`(?<!\p{L})(?:[Ll]ying|[Ll]ies|[Ll]ocated|[Bb]erthed|[Mm]oored|[Kk]ept|[Ss]tored|[Bb]ased|[Ff]or sale|[Ll]iegt|[Ss]teht|[Ll]iegeplatz|[Ss]tandort|zu verkaufen|[Vv]isible|se trouve|à vendre|[Aa]marrad[oa]|[Uu]bicad[oa]|en venta|[Oo]rmeggiat[oa]|[Ss]ituat[oa]|[Vv]isibile|in vendita) (?:in|at|near|bei|à|au|en|a) (${NAME}(?:, ${NAME})?)`,
  'u',
);

/**
 * Drafts a listing by the rules that ingest reads pages with, and no AI: the first line or sentence is the title, lines such as
 * `Year: 2006` are facts, an amount with a currency is the price, a clause tells condition or place; category, maker and attributes follow from these. `missing`
 * names title, category, price, location and condition where the text tells none.
 */
export async function draftFromText(
  services: { pool: Pool; catalog: Catalog },
  given: string,
  now: Date,
): Promise<DraftFromText> {
  const { catalog } = services;
  const text = clip(given, MAX_TEXT).replaceAll(/ ?\n ?/g, '\n');
  const raw = toRawRecord(text);
  const category = mapCategory(catalog, raw.title ?? '', text);
  const read = normalizeRecord({ ...raw, category: catalog.localizedName(category.id, 'en') }, { ...NO_PAGE, now });
  const record: Partial<IngestRecord> = 'record' in read ? read.record : {};
  const draft: DraftText = {
    title: raw.title ?? '',
    description: text,
    category: category.id,
    condition: record.condition ?? 'good',
    tags: [],
    attributes: knownAttributes(record, category.id, catalog),
  };
  const missing = [
    ...(draft.title.length >= MIN_TITLE ? [] : ['title']),
    ...(category.confidence > 0 ? [] : ['category']),
    ...(record.price ? [] : ['price']),
    ...(record.location?.city === undefined ? ['location'] : []),
    ...(record.condition === undefined ? ['condition'] : []),
  ];
  const estimatedPriceRange = await estimatePriceRange(services, draft, now);
  return { ...draft, estimatedPriceRange, price: record.price, location: record.location, missing };
}

/** The category that the title names; where it names none, that of the opening words. */
function mapCategory(catalog: Catalog, title: string, text: string) {
  const named = catalog.mapCategory({ title });
  return named.confidence > 0 ? named : catalog.mapCategory({ title: text.slice(0, MAX_HINT) });
}

/** What the text tells of the attributes that listings of the category have. */
function knownAttributes(
  { attributes, boat }: Partial<IngestRecord>,
  categoryId: string,
  catalog: Catalog,
): Attributes {
  const assetType = catalog.assetTypeOf(categoryId);
  const complete = Object.entries(completeAttributes(attributes, boat));
  const keys = new Set(assetType?.attributes.map(({ key }) => key));
  const known = assetType === undefined ? complete : complete.filter(([key]) => keys.has(key));
  return checkAttributes(Object.fromEntries(known), assetType).attributes;
}

function toRawRecord(text: string): RawRecord {
  const [first = ''] = text.split(/\n|(?<=[.!?])\s/u, 1);
  const title = clip(first.replace(/[.!?:]{1,3}$/u, ''), MAX_TITLE);
  const facts = [...text.matchAll(LABELLED)]
    .slice(0, MAX_FACTS)
    .map(([, label = '', value = '']): [string, string] => [label.trim(), value.trim()]);
  const factOf = (label: RegExp) => facts.find(([name]) => label.test(name))?.[1];
  const others = facts.filter(([name]) => ![PRICE_LABEL, PLACE_LABEL, CONDITION_LABEL].some((each) => each.test(name)));
  const year = BUILT.exec(text)?.[1] ?? YEAR.exec(title)?.[1];
  const length = LENGTH.exec(text) ?? LISTED_LENGTH.exec(text);
  const place = factOf(PLACE_LABEL) ?? placeIn(text);
  const country = countryOf(place?.split(',').at(-1)?.trim());
  return {
    url: NO_PAGE.url,
    title,
    description: text,
    price: factOf(PRICE_LABEL) ?? findPrice(text.slice(first.length), country) ?? findPrice(first, country),
    condition: factOf(CONDITION_LABEL) ?? conditionIn(text),
    ...(place !== undefined && { location: { text: place } }),
    properties: {
      ...(year !== undefined && { Year: year }),
      ...(length && { Length: length[1] ?? length[2] ?? '' }),
      ...Object.fromEntries(others),
    },
  };
}

/** The first line or sentence that names an amount with its currency: other numbers of a text are no price. */
const findPrice = (text: string, country: string | undefined): string | undefined =>
  text
    .split(/\n|(?<=[.!?])\s/u, MAX_SENTENCES)
    .find((sentence) => (normalizePrice(sentence, { country })?.amount ?? 0) > 0);

/** The first clause that tells a condition. */
const conditionIn = (text: string): string | undefined =>
  [...text.matchAll(CONDITION_CLAUSE), ...text.matchAll(AS_NEW)]
    .map(([, clause]) => clause)
    .find((clause) => normalizeCondition(clause));

/** The place that a clause names, with a comma before its country: `Kiel Germany` is written as often as `Kiel, Germany`. */
function placeIn(text: string): string | undefined {
  const place = PLACE_CLAUSE.exec(text)?.[1];
  if (place === undefined || place.includes(',')) return place;
  const words = place.split(' ');
  const first = words.findIndex((_, index) => index > 0 && countryOf(words.slice(index).join(' ')) !== undefined);
  return first < 0 ? place : `${words.slice(0, first).join(' ')}, ${words.slice(first).join(' ')}`;
}
