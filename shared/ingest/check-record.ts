import { z } from 'zod';
import { codeRules, isCountry, isCurrency, isLanguage } from '../kit/codes.ts';
import type { FieldError } from '../kit/errors.ts';
import { findFault } from '../kit/json-faults.ts';
import { countryOf } from '../normalize/country.ts';
import { describeForm } from '../kit/text-forms.ts';
import { normalizeUrl } from './normalized-url.ts';
import type { IngestRecord } from '../normalize/record-type.ts';

export type RecordFailure = {
  url: string | null;
  reason: string;
  details?: { errors: FieldError[]; valid_categories?: string[] };
};
export type CheckedRecord =
  | { ok: true; record: IngestRecord; normalizedUrl: string }
  | { ok: false; failure: RecordFailure };
/** Holds one record against the contract. */
export type CheckRecord = (record: unknown, pointer: string) => CheckedRecord;

/** The part of an OpenAPI document that is read here. */
type Document = Record<string, unknown>;
type Issue = z.core.$ZodIssue;

const COUNTRY_RULE = `${codeRules.country}, its alpha-3 code or its name`;
const MAX_ERRORS = 20;
const MAX_ECHO_LENGTH = 2_048;

/**
 * The check of IngestRecord as openapi.yaml describes it, so that a record is judged alike wherever it comes from; what a
 * schema cannot say (real codes, text that cannot be stored, a URL with a normal form) included. Fields that the contract
 * does not know are dropped. It is compiled at its first use, from openapi.yaml where no document is given.
 */
export function createRecordCheck(document?: Document): () => Promise<CheckRecord> {
  let check: Promise<CheckRecord> | undefined;
  return () => (check ??= Promise.resolve(document ?? readOwnDocument()).then(compileCheck));
}

async function readOwnDocument(): Promise<Document> {
  const { readOpenApiFile } = await import('../kit/openapi-document.ts');
  return readOpenApiFile().document;
}

function compileCheck(document: Document): CheckRecord {
  const { schemas } = document['components'] as { schemas: unknown };
  const definitions = JSON.parse(JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/$defs/')) as Record<
    string,
    { properties?: Record<string, unknown> }
  >;
  const known = new Set(Object.keys(definitions['IngestRecord']?.properties ?? {}));
  const schema = z.fromJSONSchema({ $ref: '#/$defs/IngestRecord', $defs: definitions } as Parameters<
    typeof z.fromJSONSchema
  >[0]);

  return (value, pointer) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return refuse(null, 'The record is not an object.');
    const sent: Record<string, unknown> = Object.fromEntries(Object.entries(value).filter(([key]) => known.has(key)));
    const { url } = sent;
    if (typeof url !== 'string' || url.trim() === '')
      return refuse(null, 'The record has no url.', [{ path: `${pointer}/url`, message: 'is required' }]);
    const fault = findFault(value, pointer);
    if (fault) return refuse(url, 'The record holds a value that cannot be stored.', [fault]);
    const parsed = schema.safeParse(sent);
    if (!parsed.success)
      return refuse(
        url,
        'The record does not fit the schema IngestRecord.',
        toFieldErrors(parsed.error.issues, pointer),
      );
    const record = withCountryCode(parsed.data as IngestRecord);
    const unreal = findUnrealCodes(record, pointer);
    if (unreal.length > 0) return refuse(url, 'The record holds a code that does not exist.', unreal);
    try {
      return { ok: true, record, normalizedUrl: normalizeUrl(url) };
    } catch (error) {
      return refuse(url, error instanceof Error ? error.message : 'The URL cannot be read.');
    }
  };
}

function refuse(url: string | null, reason: string, errors: FieldError[] = []): CheckedRecord {
  const details = errors.length > 0 ? { details: { errors: errors.slice(0, MAX_ERRORS) } } : {};
  return { ok: false, failure: { url: url && url.slice(0, MAX_ECHO_LENGTH).toWellFormed(), reason, ...details } };
}

/** The record with the code of the country it names, in whatever way; one that nobody knows by that name stays as it is. */
function withCountryCode(record: IngestRecord): IngestRecord {
  const named = record.location?.country;
  const country = named === undefined ? undefined : (countryOf(named) ?? countryOf(named.toUpperCase()));
  return country === undefined ? record : { ...record, location: { ...record.location, country } };
}

function findUnrealCodes({ price, location, language, boat }: IngestRecord, pointer: string): FieldError[] {
  const history = (boat?.['price_history'] ?? []) as { currency: string }[];
  return [
    ...unless(price === undefined || isCurrency(price.currency), `${pointer}/price/currency`, codeRules.currency),
    ...unless(
      location?.country === undefined || isCountry(location.country),
      `${pointer}/location/country`,
      COUNTRY_RULE,
    ),
    ...unless(language === undefined || isLanguage(language), `${pointer}/language`, codeRules.language),
    ...history.flatMap(({ currency }, index) =>
      unless(isCurrency(currency), `${pointer}/boat/price_history/${index}/currency`, codeRules.currency),
    ),
  ];
}

const unless = (holds: boolean, path: string, message: string): FieldError[] => (holds ? [] : [{ path, message }]);

function toFieldErrors(issues: readonly Issue[], pointer: string): FieldError[] {
  return issues.map((issue) => ({
    path: [pointer, ...issue.path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/'),
    message: messageOf(issue),
  }));
}

function messageOf(issue: Issue): string {
  if (issue.code === 'invalid_union') {
    const branches = issue.errors.flatMap((errors) => errors.slice(0, 1).map(messageOf));
    return [...new Set(branches)].join('; or ');
  }
  if (issue.code === 'invalid_format') return describeForm(formOf(issue)) ?? issue.message;
  if (issue.code === 'invalid_key') return 'is not a key that attributes can have';
  return issue.message.replace(/^Invalid input: /, '');
}

/** The pattern or the format as openapi.yaml has it. */
function formOf({ format, pattern }: z.core.$ZodIssueInvalidStringFormat): string {
  if (format === 'datetime') return 'date-time';
  return format === 'regex' ? (pattern ?? '').slice(1, -1).replaceAll('\\/', '/') : format;
}
