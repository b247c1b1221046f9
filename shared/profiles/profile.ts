/** One category of the seed files: a slug that is its id, its names per locale (English always), and its children in display order. */
export type CategoryNode = {
  id: string;
  name: { en: string } & Partial<Record<Locale, string>>;
  /** The attribute template of this category and of every descendant that names no other. */
  asset_type?: string;
  children?: CategoryNode[];
};

export type Locale = 'en' | 'es' | 'fr' | 'de' | 'it' | 'ko' | 'ja';

/** AttributeDefinition of the interface: one field of a template. */
export type AttributeDefinition = {
  key: string;
  label: string;
  type: 'string' | 'number' | 'boolean' | 'enum';
  required: boolean;
  filterable: boolean;
  filterType?: 'range' | 'select' | 'boolean';
  options?: string[];
  unit?: string;
  description?: string;
  example?: string | number | boolean;
};

/** AssetTypeDefinition of the interface: the template of the listed categories. */
export type AssetTypeDefinition = {
  id: string;
  label: string;
  description: string;
  categoryIds: string[];
  attributes: AttributeDefinition[];
};

/** What an operation counts as: `x-rate-limit` in openapi.yaml names one of these. */
export type RateClass = 'read' | 'write' | 'credentials' | 'upload' | 'admin';

/**
 * Calls that name the same bucket for the same key share one budget: that of an address, of a user with all of their keys,
 * or of a session's user and of each key on its own.
 */
export type RateRule = { bucket: string; limit: number; windowSeconds: number; keyedBy: 'ip' | 'user' | 'user or key' };

export type RateRules = Record<RateClass, { anonymous: RateRule; authenticated: RateRule }>;

export type QuotaName =
  | 'listing_creation'
  | 'image_upload'
  | 'ai_generation'
  | 'contact_owner'
  | 'ingest_records'
  | 'new_conversation';

/** An exact limit of successful uses; all rules of a quota hold at once. */
export type QuotaRule = { limit: number; windowSeconds: number; keyedBy: 'ip' | 'user'; adminsExempt: boolean };

/** Everything in which the two marketplaces differ, as data: no handler asks for a profile's name. */
export type Profile = {
  name: 'general' | 'nautical';
  /** The order of a list that names none; `relevance` reads as `newest` when there is no query. */
  defaultSort: 'relevance' | 'newest';
  locales: readonly Locale[];
  defaultLocale: Locale;
  /** Whether answers to anonymous readers are cached and carry `X-Cache`. */
  responseCache: boolean;
  /** `soft` keeps the row with status deleted; `hard` removes it with its stored images. */
  deleteMode: 'soft' | 'hard';
  /** Whether publishing and selling mail the owner. */
  sendsStatusEmails: boolean;
  /** Whether the 400 for an unknown category_id lists the valid ids. */
  unknownCategoryListsIds: boolean;
  /** Whether expired and flagged listings are shown to their owner only. */
  restrictedStatusesOwnerOnly: boolean;
  rateLimits: RateRules;
  quotas: Record<QuotaName, readonly QuotaRule[]>;
  categories: readonly CategoryNode[];
  assetTypes: readonly AssetTypeDefinition[];
};

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** A per-minute rate rule. */
export const perMinute = (bucket: string, limit: number, keyedBy: RateRule['keyedBy']): RateRule => ({
  bucket,
  limit,
  windowSeconds: MINUTE,
  keyedBy,
});

/** The quotas that both marketplaces share. */
export const commonQuotas = {
  listing_creation: [{ limit: 10, windowSeconds: DAY, keyedBy: 'user', adminsExempt: false }],
  image_upload: [{ limit: 50, windowSeconds: DAY, keyedBy: 'user', adminsExempt: false }],
  ai_generation: [{ limit: 5, windowSeconds: HOUR, keyedBy: 'user', adminsExempt: false }],
  contact_owner: [{ limit: 5, windowSeconds: HOUR, keyedBy: 'ip', adminsExempt: false }],
  ingest_records: [{ limit: 1_000, windowSeconds: DAY, keyedBy: 'user', adminsExempt: true }],
  new_conversation: [{ limit: 50, windowSeconds: DAY, keyedBy: 'user', adminsExempt: true }],
} as const satisfies Record<QuotaName, readonly QuotaRule[]>;
