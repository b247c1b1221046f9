import { z } from 'zod';
import { codeRules, isCurrency } from '../kit/codes.ts';
import { brandSchemas } from '../kit/config.ts';
import { findContradictions } from './contradictions.ts';
import { limitsSchema } from './limits.ts';
import { LOCALES, type CategoryNode, type Profile } from './profile.ts';
import { DAY_SECONDS } from '../kit/clock.ts';

const MAX_TEXT = 500;
const MAX_CHILDREN = 1_000;
const MAX_ATTRIBUTES = 100;
const MAX_OPTIONS = 500;
const MAX_PHRASES = 5_000;
const MAX_WEIGHT = 100;
const YEAR_SECONDS = 365 * DAY_SECONDS;

/** Ids and keys name properties of objects: `constructor` would find what every object has. */
const isFree = (name: string) => !(name in Object.prototype);
const slug = z
  .string()
  .max(60)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be small letters, digits and single hyphens, such as city-cars')
  .refine(isFree, 'is a reserved word');
const text = z.string().trim().min(1).max(MAX_TEXT);
const locale = z.enum(LOCALES);
const translations = z.partialRecord(locale, text);
const texts = z.strictObject({ en: text, ...optionalTexts() });
const phrases = z.array(text).max(MAX_PHRASES);
const wordLists = z.record(slug, phrases).default({});
const httpUrl = z.url({ protocol: /^https?$/ });
const currency = z.string().refine(isCurrency, codeRules.currency);

function optionalTexts() {
  return Object.fromEntries(LOCALES.filter((each) => each !== 'en').map((each) => [each, text.optional()])) as Record<
    Exclude<(typeof LOCALES)[number], 'en'>,
    z.ZodOptional<typeof text>
  >;
}

/** A category with those below it. */
export const categorySchema: z.ZodType<CategoryNode> = z.strictObject({
  id: slug,
  name: texts,
  asset_type: slug.optional(),
  get children() {
    return z.array(categorySchema).max(MAX_CHILDREN).optional();
  },
});

const filterTypes = { string: 'select', enum: 'select', number: 'range', boolean: 'boolean' } as const;

const attributeSchema = z
  .strictObject({
    key: z
      .string()
      .max(60)
      .regex(/^[a-z][a-z0-9_]*$/, 'must be small letters, digits and _, such as seats')
      .refine(isFree, 'is a reserved word'),
    label: text,
    labels: translations.optional(),
    type: z.enum(['string', 'number', 'boolean', 'enum']),
    required: z.boolean().default(false),
    filterable: z.boolean().default(true),
    options: z.array(text).min(1).max(MAX_OPTIONS).optional(),
    option_labels: z.record(z.string(), translations).optional(),
    unit: text.optional(),
    description: text.optional(),
    example: z.union([text, z.number(), z.boolean()]).optional(),
  })
  .refine(({ type, options }) => (options !== undefined) === (type === 'enum'), {
    path: ['options'],
    message: 'are needed by an enum, and by nothing else',
  })
  .transform((attribute) => ({
    ...attribute,
    ...(attribute.filterable && { filterType: filterTypes[attribute.type] }),
  }));

export const assetTypeSchema = z.strictObject({
  id: slug,
  label: text,
  description: text,
  attributes: z.array(attributeSchema).max(MAX_ATTRIBUTES),
});

const weight = z.number().min(0).max(MAX_WEIGHT).default(1);

const sections = z.strictObject({
  name: slug,
  tagline: texts,
  locales: z.array(locale).min(1),
  default_locale: locale.default('en'),
  currencies: z.array(currency).min(1).optional(),
  brand: z
    .strictObject({
      name: brandSchemas.name.optional(),
      color: brandSchemas.color.optional(),
      logo_url: httpUrl.optional(),
      imprint_url: httpUrl.optional(),
    })
    .default({}),
  statuses: z.strictObject({
    deleted: z.enum(['kept', 'removed']),
    for_owners_only: z.array(z.enum(['expired', 'flagged'])),
    mail_owners: z.boolean(),
  }),
  limits: limitsSchema,
  search: z.strictObject({
    default_sort: z.enum(['relevance', 'newest']),
    weights: z.strictObject({
      ...{ title: weight, brand: weight, tags: weight, category: weight, description: weight },
      ...{ freshness: weight, popularity: weight, completeness: weight },
    }),
  }),
  moderation: z
    .strictObject({
      ...{ reject: phrases.default([]), review: phrases.default([]), allow: phrases.default([]) },
      works: z.array(slug).default([]),
    })
    .prefault({}),
  trust: z
    .strictObject({
      reports_that_hide: z.int().min(1).max(1_000).default(3),
      min_account_age_seconds: z.int().min(0).max(YEAR_SECONDS).default(DAY_SECONDS),
      scam_score_that_holds: z.int().min(1).max(1_000).default(60),
      new_account_days: z.int().min(0).max(3_650).default(14),
      dear_from_eur: z.number().min(0).max(1_000_000_000).default(2_000),
    })
    .prefault({}),
  response_cache: z.boolean().default(true),
  errors_list_categories: z.boolean().default(true),
  item_type: z.enum(['Product', 'Vehicle']).default('Product'),
  categories: z.array(categorySchema).min(1).max(MAX_CHILDREN),
  asset_types: z.array(assetTypeSchema).max(MAX_CHILDREN).default([]),
  moved_categories: z.record(slug, slug).default({}),
  category_words: z
    .strictObject({
      fallback: slug.optional(),
      accessories: z.array(slug).default([]),
      ...{ words: wordLists, hints: wordLists, generic: wordLists, brands: wordLists },
    })
    .prefault({}),
});

/** A marketplace file: its sections, and that they do not contradict each other. Issues name the place in the file. */
export const marketplaceSchema = sections
  .superRefine((file, context) => {
    for (const issue of findContradictions(file)) context.addIssue({ code: 'custom', ...issue });
  })
  .transform(toProfile);

function toProfile(file: z.output<typeof sections>): Profile {
  const { brand, statuses, limits, search, trust, category_words: words } = file;
  return {
    name: file.name,
    tagline: file.tagline,
    locales: file.locales,
    defaultLocale: file.default_locale,
    ...(file.currencies && { currencies: file.currencies }),
    brand: { name: brand.name, color: brand.color, logoUrl: brand.logo_url, imprintUrl: brand.imprint_url },
    defaultSort: search.default_sort,
    searchWeights: search.weights,
    moderation: file.moderation,
    reportRule: { hidesFrom: trust.reports_that_hide, minAccountAgeSeconds: trust.min_account_age_seconds },
    scamRules: {
      holdFrom: trust.scam_score_that_holds,
      newAccountDays: trust.new_account_days,
      dearFrom: trust.dear_from_eur,
    },
    responseCache: file.response_cache,
    deleteMode: statuses.deleted === 'kept' ? 'soft' : 'hard',
    sendsStatusEmails: statuses.mail_owners,
    unknownCategoryListsIds: file.errors_list_categories,
    ownerOnlyStatuses: statuses.for_owners_only,
    itemType: file.item_type,
    rateLimits: limits.rates,
    quotas: limits.quotas,
    categories: file.categories,
    assetTypes: file.asset_types,
    movedCategories: file.moved_categories,
    categoryWords: { ...words, fallback: words.fallback ?? file.categories.at(-1)!.id },
  };
}
