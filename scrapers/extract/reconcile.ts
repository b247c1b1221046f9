import { collapseWhitespace } from '../../shared/kit/html/text.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { isBrand } from './brand-candidates.ts';
import { hasAmount } from './map-offer.ts';

/** What one kind of evidence says about a thing. */
export type Statement = { source: string; facts: Partial<RawRecord> };

const MAX_LINE = 1_000;
const MAX_DESCRIPTION = 100_000;

const FIELDS = [
  'title',
  'sku',
  'brand',
  'model',
  'gtin',
  'availability',
  'condition',
  'breadcrumbs',
  'category',
  'location',
  'language',
] as const;

/**
 * One record from statements in the order of trust: every field from the first that has it, noted in `evidence`.
 * Price and currency stay together; a zero price yields to a real one; a description cut short yields to its full text;
 * one image is followed by several; labelled facts are joined.
 */
export function reconcile(url: string, statements: Statement[]): RawRecord {
  const record: RawRecord = { url };
  const evidence: Record<string, string> = {};
  for (const field of FIELDS) {
    const found = statements.find(
      ({ facts }) => isFilled(facts[field]) && (field !== 'brand' || isBrand(facts.brand ?? '')),
    );
    if (!found) continue;
    Object.assign(record, { [field]: found.facts[field] });
    evidence[field] = found.source;
  }
  takePrice(record, evidence, statements);
  takeDescription(record, evidence, statements);
  takeImages(record, evidence, statements);
  takeProperties(record, evidence, statements);
  // The maker's number stands in for the seller's where there is no other.
  if (record.sku === undefined && record.properties?.mpn !== undefined) record.sku = record.properties.mpn;
  return { ...bounded(record), evidence };
}

/** A page may hold megabytes in any field: lines are joined and cut at 1,000 characters, descriptions at 100,000. */
function bounded(record: RawRecord): RawRecord {
  const { url, description, location, ...rest } = record;
  const lines = Object.entries(rest).map(([field, value]) => [field, typeof value === 'string' ? line(value) : value]);
  const kept: RawRecord = { url, ...(Object.fromEntries(lines) as Omit<RawRecord, 'url'>) };
  if (description !== undefined) kept.description = description.slice(0, MAX_DESCRIPTION);
  if (location) {
    const parts = Object.entries(location).map(([part, value]) => [
      part,
      typeof value === 'string' ? line(value) : value,
    ]);
    kept.location = Object.fromEntries(parts) as RawRecord['location'];
  }
  return kept;
}

function line(text: string): string {
  return collapseWhitespace(text.slice(0, 10 * MAX_LINE))
    .trim()
    .slice(0, MAX_LINE);
}

function takePrice(record: RawRecord, evidence: Record<string, string>, statements: Statement[]): void {
  const priced =
    statements.find(({ facts }) => hasAmount(facts.price)) ?? statements.find(({ facts }) => isFilled(facts.price));
  if (priced) {
    record.price = priced.facts.price;
    evidence.price = priced.source;
  }
  const money = priced?.facts.currency ? priced : statements.find(({ facts }) => isFilled(facts.currency));
  if (!money) return;
  record.currency = money.facts.currency;
  evidence.currency = money.source;
}

function takeDescription(record: RawRecord, evidence: Record<string, string>, statements: Statement[]): void {
  for (const { source, facts } of statements) {
    const text = facts.description;
    if (!isFilled(text)) continue;
    const have = record.description;
    const opening = have?.slice(0, 40);
    const isFuller =
      have === undefined || (text.length > have.length && opening !== undefined && text.startsWith(opening));
    if (!isFuller) continue;
    record.description = text;
    evidence.description = source;
  }
}

/** Several images of weaker evidence follow the one of the strongest; a gallery that holds one of several adds its others. */
function takeImages(record: RawRecord, evidence: Record<string, string>, statements: Statement[]): void {
  const first = statements.find(({ facts }) => (facts.images?.length ?? 0) > 0);
  if (!first) return;
  const found = statements.find(({ facts }) => (facts.images?.length ?? 0) > 1) ?? first;
  const images = found === first ? [] : (first.facts.images ?? []);
  const known = new Set(images.map(({ url }) => url));
  record.images = [...images, ...(found.facts.images ?? []).filter(({ url }) => !known.has(url))];
  const names = new Set(record.images.map(fileNameOf));
  const fuller = statements.find(
    ({ facts }) =>
      (facts.images?.length ?? 0) > names.size && facts.images?.some((image) => names.has(fileNameOf(image))),
  );
  record.images.push(...(fuller?.facts.images ?? []).filter((image) => !names.has(fileNameOf(image))));
  evidence.images = found.source;
}

/** Without its folder: sizes of one image often lie in folders of their own. */
function fileNameOf({ url }: { url: string }): string {
  const { pathname } = new URL(url);
  return pathname.slice(pathname.lastIndexOf('/') + 1);
}

function takeProperties(record: RawRecord, evidence: Record<string, string>, statements: Statement[]): void {
  const withProperties = statements.filter(({ facts }) => facts.properties && Object.keys(facts.properties).length > 0);
  if (withProperties.length === 0) return;
  record.properties = Object.assign({}, ...withProperties.map(({ facts }) => facts.properties).toReversed()) as Record<
    string,
    string
  >;
  evidence.properties = withProperties.map(({ source }) => source).join(',');
}

function isFilled<T>(value: T | undefined): value is T {
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
}
