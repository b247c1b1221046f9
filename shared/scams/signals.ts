import { createHash } from 'node:crypto';
import { findContradiction, isOtherModel } from '../dedup/agreement.ts';
import type { Fingerprint } from '../dedup/fingerprint.ts';
import { isCopied } from '../dedup/proof.ts';
import { findContactDetails, type ContactDetail } from '../moderation/contact-details.ts';
import type { ScamRules } from '../profiles/profile.ts';
import type { ImageChange, ScamEvidence } from './evidence.ts';

/** A listing of another seller, older than the one that is checked, as far as signals read it. */
export type Elsewhere = {
  print: Fingerprint;
  /** Whose it is: the account, or the site of a scraped page. */
  seller: string;
  /** The account is not new, or it is a page of a site: only such sellers make a photo a maker's. */
  isEstablished: boolean;
  /** Its price in the currency of the listing that is checked; undefined where there is no rate. */
  price: number | undefined;
};
/** An image of the listing that another seller's listing shows too. */
export type SharedImage = { sha256: string; other: Elsewhere; changes: ImageChange[] };
export type Guidance = { median: number; currency: string; listings: number; isSure: boolean };

/** Photos and texts that so many other sellers have are a maker's or a portal's. */
const MANY_SELLERS = 3;
/** The same thing at less than this share of the price elsewhere is no shared sale. */
const SAME_SALE_FROM = 0.8;
/** The text of an offer at less than this share of its price is that of an offer that does not exist. */
const FAR_BELOW = 0.6;
const MAX_NAMED = 5;
const weights = {
  copiedImages: 50,
  copiedText: 30,
  copiedOffer: 50,
  sharedSale: 5,
  dearOfNewAccount: 20,
  newAccount: 10,
  velocity: 15,
  contact: 5,
  contactInTitle: 10,
  disguisedContact: 15,
} as const;
/** Below such a share of the median a price weighs so much. */
const lowPrices = [
  { ratio: 0.3, weight: 40 },
  { ratio: 0.45, weight: 30 },
] as const;

/** Photos of the listing that listings of others show, altered or not; stock photos and photos of one shared sale are little or nothing. */
export function judgeImages(own: Fingerprint, price: number, shared: readonly SharedImage[]): ScamEvidence | undefined {
  const telling = [...Map.groupBy(shared, ({ sha256 }) => sha256).values()]
    .filter((uses) => countSellers(uses.map(({ other }) => other)) < MANY_SELLERS)
    .map((uses) => uses.filter(({ other }) => !isMakersOwn(own, other)))
    .filter((uses) => uses.length > 0);
  const copied = telling.flatMap((uses) => uses.filter(({ other }) => !isSharedSale(own, price, other)).slice(0, 1));
  const uses = copied.length > 0 ? copied : telling.flatMap((each) => each.slice(0, 1));
  const [first] = uses;
  if (!first) return undefined;
  const listings = [...new Set(uses.map(({ other }) => other.print.id))].slice(0, MAX_NAMED);
  const changes = [...new Set(uses.flatMap((use) => use.changes))];
  const how = changes.length > 0 ? ` (${changes.join(', ')})` : '';
  const photos = uses.length === 1 ? 'A photo' : `${uses.length} photos`;
  const reason =
    copied.length > 0
      ? `${photos}${how} stood in another seller's listing before: ${describe(own, price, first.other)}.`
      : `${photos}${how} stand in another seller's listing of the same thing at about the same price.`;
  return {
    signal: 'copied_images',
    weight: copied.length > 0 ? weights.copiedImages : weights.sharedSale,
    reason,
    details: {
      listings,
      images: uses.slice(0, 10).map(({ sha256, other, changes: each }) => ({
        sha256,
        listing_id: other.print.id,
        changes: each,
      })),
    },
    keys: uses.map(({ sha256 }) => `image:${copied.length > 0 ? 'copied' : 'shared'}:${sha256}`),
  };
}

/** A description that another seller's listing had before; a text of many sellers is a maker's. */
export function judgeText(own: Fingerprint, price: number, others: readonly Elsewhere[]): ScamEvidence | undefined {
  const alike = others.filter(({ print }) => isCopied(own, print));
  if (countSellers(alike) >= MANY_SELLERS) return undefined;
  const telling = alike.filter((other) => !isMakersOwn(own, other));
  const copied = telling.filter((other) => !isSharedSale(own, price, other));
  const isFarBelow = ({ price: there = 0 }: Elsewhere) => price > 0 && price < there * FAR_BELOW;
  const offers = copied.filter((other) => isFarBelow(other) && !isOtherThing(own, other.print));
  const [first] = offers.length > 0 ? offers : copied.length > 0 ? copied : telling;
  if (!first) return undefined;
  const weightOfCopy = offers.length > 0 ? weights.copiedOffer : weights.copiedText;
  return {
    signal: 'copied_text',
    weight: copied.length > 0 ? weightOfCopy : weights.sharedSale,
    reason:
      copied.length > 0
        ? `The description stood in another seller's listing before: ${describe(own, price, first)}.`
        : "The description is that of another seller's listing of the same thing at about the same price.",
    details: {
      listings: [...new Set((copied.length > 0 ? copied : telling).map(({ print }) => print.id))].slice(0, MAX_NAMED),
    },
    keys: [
      `text:${offers.length > 0 ? 'offer' : copied.length > 0 ? 'copied' : 'shared'}:${digest(own.minhash.join('.'))}`,
    ],
  };
}

/** A price far below what comparable listings cost. */
export function judgePriceGap(price: number, guidance: Guidance | undefined): ScamEvidence | undefined {
  if (!guidance?.isSure || guidance.median <= 0 || price <= 0) return undefined;
  const ratio = price / guidance.median;
  const step = lowPrices.find((each) => ratio < each.ratio);
  if (!step) return undefined;
  const { median, currency, listings } = guidance;
  return {
    signal: 'low_price',
    weight: step.weight,
    reason: `The price is ${percent(ratio)} of what ${listings} comparable listings cost in the middle (${Math.round(median)} ${currency}).`,
    details: { price: { median, currency, ratio: Math.round(ratio * 100) / 100, listings } },
    keys: [`price:${step.ratio}`],
  };
}

/** Ways to reach the seller past the marketplace: little by themselves, more in the title or in disguise. */
export function judgeContacts({
  title,
  description,
}: {
  title: string;
  description: string;
}): ScamEvidence | undefined {
  const found = [
    ...findContactDetails(title).map((detail) => ({ ...detail, where: 'title' as const })),
    ...findContactDetails(description).map((detail) => ({ ...detail, where: 'description' as const })),
  ];
  if (found.length === 0) return undefined;
  const isDisguised = found.some(({ disguised }) => disguised);
  const inTitle = found.some(({ where }) => where === 'title');
  const weight = isDisguised ? weights.disguisedContact : inTitle ? weights.contactInTitle : weights.contact;
  const what = [...new Set(found.map(nameOf))].join(', ');
  const places = [...new Set(found.map(({ where }) => where))].join(' and ');
  return {
    signal: 'contact_details',
    weight,
    reason: `The ${places} ${found.length === 1 ? 'names a way' : 'name ways'} to reach the seller elsewhere: ${what}.`,
    details: {
      contacts: found.map(({ kind, where, disguised, text }) => ({ kind, where, disguised, masked: mask(text) })),
    },
    keys: found.map(({ kind, where, text }) => `contact:${kind}:${where}:${digest(text.toLowerCase())}`),
  };
}

/** Many publications within an hour by an account that is new. */
export function judgeVelocity(published: number, ageDays: number, rules: ScamRules): ScamEvidence | undefined {
  if (published < MANY_PUBLICATIONS || ageDays >= rules.newAccountDays) return undefined;
  return {
    signal: 'velocity',
    weight: weights.velocity,
    reason: `The account is new and has published ${published} listings within an hour.`,
    details: { published_within_hour: published },
    keys: ['velocity'],
  };
}

const MANY_PUBLICATIONS = 5;

/** An account that is new, and more so one that offers what is dear by its price or by what comparable things cost (in euros). */
export function judgeAccount(worth: number, ageDays: number, rules: ScamRules): ScamEvidence | undefined {
  if (ageDays >= rules.newAccountDays) return undefined;
  const isDear = worth >= rules.dearFrom;
  const days = Math.floor(ageDays);
  const age = days === 0 ? 'less than a day' : days === 1 ? 'one day' : `${days} days`;
  return {
    signal: 'new_account',
    weight: isDear ? weights.dearOfNewAccount : weights.newAccount,
    reason: isDear ? `The account is ${age} old and offers something dear.` : `The account is ${age} old.`,
    details: { account_age_days: days },
    keys: [`account:${isDear ? 'dear' : 'new'}`],
  };
}

/** Accounts of one day that copy each other are no sellers of one make. */
const countSellers = (others: readonly Elsewhere[]) =>
  new Set(others.filter(({ isEstablished }) => isEstablished).map(({ seller }) => seller)).size;

/** Whether both may show what their maker tells and shows of it: new stock of one brand. */
function isMakersOwn(own: Fingerprint, { print }: Elsewhere): boolean {
  const isNew = own.condition === 'new' && (print.condition ?? 'new') === 'new';
  return isNew && own.brand !== undefined && own.brand === print.brand;
}

/** One thing at about one price: a seller with two accounts, a broker beside the owner, the page of the seller's own site. */
function isSharedSale(own: Fingerprint, price: number, other: Elsewhere): boolean {
  if (isOtherThing(own, other.print)) return false;
  return other.price === undefined || price >= other.price * SAME_SALE_FROM;
}

/** Facts that contradict, other names of maker or model, or titles without a word in common. */
function isOtherThing(own: Fingerprint, other: Fingerprint): boolean {
  const words = new Set(other.title.words);
  const isUnlike = words.size > 0 && !own.title.words.some((word) => words.has(word));
  return isUnlike || findContradiction(own, other) !== undefined || isOtherModel(own, other);
}

function describe(own: Fingerprint, price: number, { print, price: there }: Elsewhere): string {
  if (isOtherThing(own, print)) return `${print.id}, which offers another thing`;
  return `${print.id}, which asks ${there === undefined || there <= 0 ? 'more' : `${percent(there / price)} of this price`}`;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
const nameOf = ({ kind, disguised }: ContactDetail) => {
  const names = { email: 'an e-mail address', phone: 'a telephone number', messenger: 'a messenger' };
  return disguised ? `${names[kind]} in disguise` : names[kind];
};
const digest = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 12);
/** Enough to find it in the text by, too little to be used. */
const mask = (text: string) => (text.length <= 4 ? text : `${text.slice(0, 2)}…${text.slice(-2)}`);
