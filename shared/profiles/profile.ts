import type { QuotaName, QuotaRule, RateRules } from './limits.ts';

/** A text in English, and in other languages of the pages. */
export type Texts = { en: string } & Partial<Record<Locale, string>>;

/** One category: a slug that is its id, its names per locale, and its children in display order. */
export type CategoryNode = {
  id: string;
  name: Texts;
  /** The attribute template of this category and of every descendant that names no other. */
  asset_type?: string;
  children?: CategoryNode[];
};

/** The languages that pages, mails and marketplaces may speak. */
export const LOCALES = ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'] as const;
export type Locale = (typeof LOCALES)[number];

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

/** An attribute of a marketplace: also its label, and its options, in other languages than English. */
export type AttributeTemplate = AttributeDefinition & {
  labels?: Partial<Record<Locale, string>>;
  option_labels?: Record<string, Partial<Record<Locale, string>>>;
};

/** AssetTypeDefinition of the interface: the template of the listed categories. */
export type AssetTypeDefinition = {
  id: string;
  label: string;
  description: string;
  categoryIds: string[];
  attributes: AttributeDefinition[];
};

/** The template of the categories that name it, and of those below them that name no other. */
export type AssetTypeTemplate = Omit<AssetTypeDefinition, 'categoryIds' | 'attributes'> & {
  attributes: AttributeTemplate[];
};

type WordLists = Record<string, readonly string[] | undefined>;

/** What words say about categories: category id -> phrases in several languages, in the notation of createPhraseFinder. */
export type CategoryWords = {
  /** Where a record goes that no word places. */
  fallback: string;
  /** Subtrees of parts and accessories: beside a word for the thing itself, theirs tells what is offered ("sailboat winch"). */
  accessories: readonly string[];
  /** Words that name the category wherever they stand. */
  words: WordLists;
  /** Words that name it only in a category field or a breadcrumb. */
  hints: WordLists;
  /** Words that hardly narrow it down. */
  generic: WordLists;
  /** Makers that stand for one kind of thing, at the start of a title; `^` marks those that count as its very first word only. */
  brands: WordLists;
};

/** How much each counts for the relevance of a listing: times what it is tuned to, so that 1 leaves it as it is. */
export type SearchWeights = Record<
  'title' | 'brand' | 'tags' | 'category' | 'description' | 'freshness' | 'popularity' | 'completeness',
  number
>;

/** When a listing that shows signs of a scam waits for a moderator. */
export type ScamRules = {
  /** The least sum of weights of the evidence. */
  holdFrom: number;
  /** An account is new for so many days. */
  newAccountDays: number;
  /** What is dear for a new account to offer, in euros. */
  dearFrom: number;
};

/** When open reports hide a listing before a moderator has looked: from that many accounts on, of that age at least. */
export type ReportRule = { hidesFrom: number; minAccountAgeSeconds: number };

/** Everything in which marketplaces differ, as data. */
export type Profile = {
  name: string;
  /** What is found here, in a few words behind the name of the brand. */
  tagline: Texts;
  locales: readonly Locale[];
  defaultLocale: Locale;
  /** The currencies that a listing may have, the one that forms begin with first; absent, all in use and EUR. */
  currencies?: readonly string[];
  /** Beaten by the settings of the same names. */
  brand: {
    name?: string | undefined;
    color?: string | undefined;
    logoUrl?: string | undefined;
    imprintUrl?: string | undefined;
  };
  /** The order of a list that names none; `relevance` reads as `newest` when there is no query. */
  defaultSort: 'relevance' | 'newest';
  searchWeights: SearchWeights;
  /** Phrases in the notation of createPhraseFinder, and ids of categories. */
  moderation: Record<'reject' | 'review' | 'allow' | 'works', readonly string[]>;
  /** Whether answers to anonymous readers are cached and carry `X-Cache`. */
  responseCache: boolean;
  /** `soft` keeps the row with status deleted; `hard` removes it with its stored images. */
  deleteMode: 'soft' | 'hard';
  /** Whether publishing and selling mail the owner. */
  sendsStatusEmails: boolean;
  /** Whether the 400 for an unknown category_id lists the valid ids. */
  unknownCategoryListsIds: boolean;
  /** Statuses whose listings are shown to their owner only. */
  ownerOnlyStatuses: readonly string[];
  /** What schema.org calls the things. */
  itemType: 'Product' | 'Vehicle';
  rateLimits: RateRules;
  quotas: Record<QuotaName, readonly QuotaRule[]>;
  scamRules: ScamRules;
  reportRule: ReportRule;
  categories: readonly CategoryNode[];
  assetTypes: readonly AssetTypeTemplate[];
  categoryWords: CategoryWords;
  /** Ids that were renamed or removed, and what they mean since. */
  movedCategories: Readonly<Record<string, string>>;
};
