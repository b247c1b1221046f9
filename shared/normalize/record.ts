import { isLanguage } from '../kit/codes.ts';
import type { IngestRecord, RawRecord } from './record-type.ts';
import { normalizeAttributes } from './attributes.ts';
import { normalizeBoat, type Boat } from './boat.ts';
import { normalizeCondition } from './condition.ts';
import { memoizeText } from '../kit/memoize-text.ts';
import { withoutColon } from '../kit/html/text.ts';
import { toPlainLine, toPlainText } from './html-text.ts';
import { normalizeLocation } from './location.ts';
import { repairMojibake } from './mojibake.ts';
import { normalizePrice, type NormalPrice } from './price.ts';
import { normalizeTaxStatus, type TaxStatus } from './tax-status.ts';
import { nameMaker } from './brand.ts';
import { convertWithdrawn } from './withdrawn-currencies.ts';

/** What is known about the site a record comes from. `country` settles currencies and places that the page leaves open. */
export type RecordContext = { site: string; now: Date; categoryId?: string; country?: string };

const WANTED =
  /^(?:wanted|wtb|looking for|in search of|iso|suche|gesuch|gesucht|kaufgesuch|cherche|recherche|busco|compro|cerco|gezocht|gevraagd|köpes|søges|kupię|買います|求む|【求む】|買取希望|삽니다|구합니다|구매합니다)(?!\p{L})/iu;
const HOME =
  /^(?:home|start(?:seite|sida)?|accueil|inicio|portada|hjem|hem|úvod|главная|ホーム|トップ|홈|suche|search|»|>)$/iu;
const MAX_HINT = 500;

/**
 * A raw record in canonical form, ready for ingest: plain texts, price, condition, location, boat facts, attributes, and the
 * raw record itself. A reason instead when no listing can be made of it: an address that is none, or no title.
 */
export function normalizeRecord(
  read: RawRecord,
  context: RecordContext,
): { record: IngestRecord } | { reason: string } {
  const raw = nameMaker(plainestFirst(read));
  if (!isAddress(raw.url)) return { reason: 'the address is no http(s) URL of at most 2048 characters' };
  const title = textOf(raw.title, toPlainLine)?.slice(0, 2_000);
  if (title === undefined) return { reason: 'no title was found' };
  const location = normalizeLocation(raw.location ?? labelledPlace(raw), context.country);
  // Signs that many share mean the money of the site, wherever the thing itself lies.
  const country = context.country ?? location?.country;
  const price = raw.price === undefined ? undefined : normalizePrice(raw.price, { currency: raw.currency, country });
  const tax = taxStatusOf(raw);
  const boat = withTaxPaid(normalizeBoat(raw, context.now), tax);
  const record: IngestRecord = {
    url: raw.url,
    title,
    description: textOf(raw.description, toPlainText)?.slice(0, 100_000),
    category_id: context.categoryId,
    category_hint: hintOf(raw, title),
    condition: normalizeCondition(raw.condition) ?? labelledCondition(raw),
    type: WANTED.test(title) ? 'wanted' : undefined,
    price: price && withTax(convertWithdrawn(price), tax),
    location,
    images: imagesOf(raw),
    attributes: normalizeAttributes(raw, context.now, boat !== undefined),
    boat,
    language: languageOf(raw.language),
    site: context.site,
    scraped_at: context.now.toISOString(),
    raw_record: read,
  };
  const filled = Object.entries(record).filter(([, value]) => value !== undefined);
  return { record: Object.fromEntries(filled) as IngestRecord };
}

/**
 * The labelled facts in an order of their own: of several labels for one fact the shortest is the plainest. Storage forgets the
 * order of the page, and what is stored has to mean the same when it is read anew.
 */
function plainestFirst(raw: RawRecord): RawRecord {
  if (raw.properties === undefined) return raw;
  const facts = Object.entries(raw.properties);
  facts.sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return { ...raw, properties: Object.fromEntries(facts) };
}

const TAX = /vat|tax|mwst|mehrwertsteuer|tva|iva|btw|moms|税|부가세/i;

/** What the page says of value added tax beside the price, else among its facts, else in its texts. */
function taxStatusOf(raw: RawRecord): TaxStatus | undefined {
  const facts = Object.entries(raw.properties ?? {}).filter(([label, value]) => TAX.test(label) || TAX.test(value));
  const texts = [raw.price, facts.map(([label, value]) => `${label} ${value}`).join('. '), raw.title, raw.description];
  for (const text of texts) {
    const status = text === undefined || text === '' ? undefined : normalizeTaxStatus(text);
    if (status) return status;
  }
  return undefined;
}

function withTax(price: NormalPrice, tax: TaxStatus | undefined): IngestRecord['price'] {
  if (tax?.included === undefined) return price;
  return { ...price, vat_included: tax.included, ...(tax.rate !== undefined && { vat_rate: tax.rate }) };
}

function withTaxPaid(boat: Boat | undefined, tax: TaxStatus | undefined): Boat | undefined {
  if (!boat || tax?.paid === undefined) return boat;
  return { ...boat, specs: { ...boat.specs, additional: { ...boat.specs?.['additional'], tax_paid: tax.paid } } };
}

function isAddress(url: string): boolean {
  return url.length <= 2048 && /^https?:\/\//i.test(url) && URL.canParse(url);
}

function textOf(text: string | undefined, plain: (text: string) => string): string | undefined {
  return text === undefined ? undefined : plain(repairMojibake(text)) || undefined;
}

/** Breadcrumbs without the home page and the thing itself, then the category the page names. */
function hintOf(raw: RawRecord, title: string): string | undefined {
  const crumbs = (raw.breadcrumbs ?? []).map(toPlainLine).filter((name) => name !== '' && !HOME.test(name));
  const last = crumbs.at(-1)?.toLowerCase();
  const isThing = last !== undefined && (title.toLowerCase().startsWith(last) || last.startsWith(title.toLowerCase()));
  const path = isThing ? crumbs.slice(0, -1) : crumbs;
  const category = raw.category === undefined ? undefined : toPlainLine(raw.category);
  const parts = category === undefined || category === '' || path.includes(category) ? path : [...path, category];
  return parts.length === 0 ? undefined : parts.join(' > ').slice(-MAX_HINT);
}

const CONDITION_LABEL =
  /^(?:condition|zustand|état|etat|estado|condizion[ei]|stato|staat|skick|状態|コンディション|상태)$/iu;
const PLACE_LABEL =
  /^(?:(?:current |item |vessel |boat )?location|located(?: in| at)?|lying(?: in| at)?|standort|liegeort|lieu|localisation|localité|visible (?:à|a)|ubicación|ubicacion|localidad|luogo|località|localita|ubicazione|visibile a|locatie|plaats|ligplaats|所在地|保管場所|保管地|위치|소재지|지역)$/iu;
const saysCondition = memoizeText((label) => CONDITION_LABEL.test(withoutColon(label.trim())));
const saysPlace = memoizeText((label) => PLACE_LABEL.test(withoutColon(label.trim())));
const MAX_PLACE_LENGTH = 200;

function labelledCondition(raw: RawRecord): ReturnType<typeof normalizeCondition> {
  return normalizeCondition(labelled(raw, saysCondition));
}

/** Where a table of facts says that the thing is. */
function labelledPlace(raw: RawRecord): RawRecord['location'] {
  const text = labelled(raw, saysPlace);
  return text !== undefined && text.length <= MAX_PLACE_LENGTH && /\p{L}{2}/u.test(text) ? { text } : undefined;
}

const labelled = (raw: RawRecord, isMeant: (label: string) => boolean): string | undefined =>
  Object.entries(raw.properties ?? {}).find(([label]) => isMeant(label))?.[1];

function imagesOf(raw: RawRecord): IngestRecord['images'] {
  const images = (raw.images ?? []).flatMap(({ url, alt }) => {
    if (!isAddress(url)) return [];
    const text = alt === undefined ? '' : toPlainLine(alt).slice(0, 300);
    return [text === '' ? { url } : { url, alt: text }];
  });
  return images.length > 0 ? images.slice(0, 100) : undefined;
}

/** Only what the page says and ISO 639-1 knows: `de-AT` is `de`. */
function languageOf(text: string | undefined): string | undefined {
  const code = /^\s*([a-z]{2})(?:[-_]|\s*$)/i.exec(text ?? '')?.[1]?.toLowerCase();
  return code !== undefined && isLanguage(code) ? code : undefined;
}
