import { z } from 'zod';
import { isFeedPath } from './paths.ts';

export const feedFormats = ['auto', 'xml', 'csv', 'json'] as const;
export const feedPresets = ['openmarine', 'google-merchant', 'csv'] as const;

/** The fields of a record that a mapping may fill; all of them are texts as the feed prints them. */
export const feedFields = [
  ...['url', 'id', 'title', 'description', 'price', 'currency', 'sku', 'brand', 'model', 'gtin', 'availability'],
  ...['condition', 'category', 'breadcrumbs', 'images', 'language', 'location', 'country', 'region', 'city'],
  ...['postal_code', 'lat', 'lng'],
] as const;

const MAX_PATH = 200;
const path = z.string().max(MAX_PATH).refine(isFeedPath, 'is not a path, such as advert/@ref or price');
const paths = z.union([path, z.array(path).min(1).max(10)]);
const text = z.string().max(500);

const condition = z.strictObject({ path: paths, equals: z.array(text).min(1).max(20) });

/** True of an item when one of the texts at `path` is one of `equals`, whatever its case. */
export type FeedCondition = z.infer<typeof condition>;

const source = z.union([
  path,
  z.strictObject({
    path: paths,
    /** Cuts each text into several. */
    split: z.string().min(1).max(10).optional(),
    /** Replaces whole texts, whatever their case; others stay. */
    map: z.record(text, text).optional(),
    unless: condition.optional(),
  }),
  z.strictObject({ template: z.string().min(1).max(500), unless: condition.optional() }),
]);

/** Where a text comes from: a path, several of which the first with a text counts, or a text with `{path}` in it. */
export type FeedSource = z.infer<typeof source>;

const sources = z.union([source, z.array(source).min(1).max(10)]);
const facts = z.strictObject({
  path: paths,
  /** Within the element; its own name when absent. */
  label: path.optional(),
  value: path.optional(),
  unit: path.optional(),
  /** Label -> how it is called here. */
  labels: z.record(text, text).optional(),
});

export const feedSettings = z.strictObject({
  format: z.enum(feedFormats).default('auto'),
  preset: z.enum(feedPresets).nullable().default(null),
  mode: z.enum(['full', 'delta']).default('full'),
  items: paths.optional(),
  fields: z.partialRecord(z.enum(feedFields as unknown as [string, ...string[]]), sources).optional(),
  properties: z.record(text, sources).optional(),
  facts: z.array(facts).max(20).optional(),
  other_fields: z.boolean().optional(),
  deleted: z
    .union([condition, z.array(condition).min(1).max(5)])
    .nullable()
    .optional(),
});

/** How a feed is read, as an admin describes it; what is absent comes from the preset. */
export type FeedSettings = z.infer<typeof feedSettings>;

/** The same as it is sent: without what goes without saying. */
export type SentFeedSettings = z.input<typeof feedSettings>;

/** How a feed is read, whole. */
export type FeedMapping = {
  format: (typeof feedFormats)[number];
  /** Where the items are; the parser's own choice when empty. */
  items: readonly string[];
  fields: Partial<Record<string, readonly FeedSource[]>>;
  properties: Record<string, readonly FeedSource[]>;
  facts: readonly z.infer<typeof facts>[];
  /** Whether texts of an item that no field takes are facts too, by their names. */
  otherFields: boolean;
  deleted: readonly FeedCondition[];
};

/** Names of the fields that hold lists: of them every source counts, of the others the first with a text. */
export const listFields: ReadonlySet<string> = new Set(['images', 'breadcrumbs']);

export const asList = <T>(value: T | readonly T[] | undefined | null): readonly T[] =>
  value === undefined || value === null ? [] : ([value].flat() as T[]);
