import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from '../catalog/tree.ts';
import { codeRules, isCountry, isCurrency, isLanguage } from '../kit/codes.ts';
import { invalid, ServiceError, type FieldError } from '../kit/errors.ts';
import type { Profile } from '../profiles/profile.ts';
import { tellReasons, type Moderation } from '../moderation/moderate.ts';
import { checkAttributes, type Attributes } from './attributes.ts';
import type { Boat, PricePoint } from './boat.ts';
import { deriveAttributes } from './derive-boat.ts';

/** What a client may say about a listing; the schema of openapi.yaml holds already. */
export type ListingFields = {
  title: string;
  description: string;
  category_id: string;
  condition: string;
  type?: string;
  price: {
    amount: number;
    currency: string;
    negotiable: boolean;
    vat_included?: boolean;
    vat_rate?: number;
    price_history?: PricePoint[];
  };
  location: {
    country: string;
    city: string;
    shipping: boolean;
    postal_code?: string;
    lat?: number;
    lng?: number;
    country_name?: string;
    region?: string;
    marina?: string;
  };
  images?: { url: string; alt?: string }[];
  attributes?: Attributes;
  boat?: Boat;
  tags?: string[];
};

type Rules = { catalog: Catalog; profile: Pick<Profile, 'unknownCategoryListsIds' | 'currencies'> };
/**
 * What a listing says already, and may say again although it breaks a rule, as what was found on a page may: codes, and, while
 * its category stays, attributes.
 */
type Known = { codes: readonly string[]; attributes: Attributes | undefined };

/** So many attributes a listing has at most. */
const MAX_ATTRIBUTES = 100;

const EARLIEST_YEAR = 1_000;
const LATEST_YEAR = 3_000;

/**
 * What a schema cannot say about the fields of a listing, for create and (with the fields that are sent) for update: the
 * category exists, codes of currencies, countries and languages are real, attributes fit the template of the category. It
 * answers the attributes as they are stored, completed from the boat; a validation_error names every field that is wrong.
 */
export function applyListingRules(
  fields: Partial<ListingFields> & Pick<ListingFields, 'category_id'> & { meta?: { language?: string } },
  rules: Rules,
  known: Known = { codes: [], attributes: undefined },
): { attributes: Attributes; warnings: string[] } {
  const errors = [
    ...findUnknownCategory(fields.category_id, rules.catalog),
    ...findUnrealCodes(fields, known, rules.profile),
  ];
  const complete = completeAttributes(fields.attributes, fields.boat);
  const isKept = (key: string) =>
    known.attributes !== undefined && isDeepStrictEqual(complete[key], known.attributes[key]);
  const checked = checkAttributes(complete, rules.catalog.assetTypeOf(fields.category_id), isKept);
  errors.push(...checked.errors);
  if (errors.length === 0) return checked;
  const isUnknown = errors[0]?.path === '/body/category_id';
  throw invalid(
    isUnknown ? `There is no category '${fields.category_id}'.` : 'The listing has fields that are wrong.',
    errors,
    isUnknown && rules.profile.unknownCategoryListsIds ? { valid_categories: rules.catalog.validIds() } : {},
  );
}

/** Throws moderation_rejected, with the codes of its reasons, for a listing that may not be shown. */
export function requireAccepted({ verdict, reasons }: Moderation): void {
  if (verdict !== 'reject') return;
  throw new ServiceError('moderation_rejected', tellReasons(reasons), {
    details: { reasons: [...new Set(reasons.map(({ code }) => code))] },
  });
}

/** The attributes with what the boat implies where they say nothing, a hundred at most. */
export function completeAttributes(attributes: Attributes = {}, boat?: Boat | null): Attributes {
  const said = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null && value !== ''));
  const implied = Object.entries(boat ? deriveAttributes(boat) : {}).filter(([key]) => !(key in said));
  const room = Math.max(0, MAX_ATTRIBUTES - Object.keys(said).length);
  return { ...Object.fromEntries(implied.slice(0, room)), ...said };
}

/** The columns that lists sort by, read from the attributes: year of build, and length in metres; null where there is no such number. */
export function indexedFacts(attributes: Attributes): { year: number | null; length_m: number | null } {
  const { year, length } = attributes;
  const isYear = typeof year === 'number' && Number.isInteger(year) && year >= EARLIEST_YEAR && year <= LATEST_YEAR;
  const isLength = typeof length === 'number' && length > 0 && length < 1e6;
  return { year: isYear ? year : null, length_m: isLength ? length : null };
}

function findUnknownCategory(id: string, catalog: Catalog): FieldError[] {
  return catalog.find(id) ? [] : [{ path: '/body/category_id', message: 'is not a category', reason: 'not_a_choice' }];
}

function findUnrealCodes(
  { price, location, boat, meta }: Partial<ListingFields> & { meta?: { language?: string } },
  known: Known,
  { currencies }: Rules['profile'],
): FieldError[] {
  const histories: [string, readonly PricePoint[] | undefined][] = [
    ['/body/price/price_history', price?.price_history],
    ['/body/boat/price_history', boat?.['price_history'] as PricePoint[] | undefined],
  ];
  const isOffered = (code: string) => currencies?.includes(code) === true;
  const codes: (readonly [string | undefined, (code: string) => boolean, string, string])[] = [
    [price?.currency, isCurrency, '/body/price/currency', codeRules.currency],
    ...(currencies && isCurrency(price?.currency ?? '')
      ? [[price?.currency, isOffered, '/body/price/currency', `must be ${currencies.join(' or ')} here`] as const]
      : []),
    [location?.country, isCountry, '/body/location/country', codeRules.country],
    [meta?.language, isLanguage, '/body/meta/language', codeRules.language],
    ...histories.flatMap(([path, points = []]) =>
      points.map(({ currency }, index): [string, typeof isCurrency, string, string] => [
        currency,
        isCurrency,
        `${path}/${index}/currency`,
        codeRules.currency,
      ]),
    ),
  ];
  return codes.flatMap(([code, isReal, path, message]) =>
    code === undefined || isReal(code) || known.codes.includes(code) ? [] : [{ path, message, reason: 'not_a_choice' }],
  );
}
