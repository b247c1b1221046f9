import { isDeepStrictEqual } from 'node:util';
import type { UpdateObject } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { DB } from '../../db/types.gen.ts';
import type { AiModeration } from '../adapters/ai-moderation.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { notFound } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { detectLanguage } from '../kit/language.ts';
import { judgeListing } from '../moderation/judge.ts';
import type { ModeratedText, Moderation } from '../moderation/moderate.ts';
import type { Profile } from '../profiles/profile.ts';
import { selectListing, type StoredImage } from './card.ts';
import { changeListing, requireOwner } from './change.ts';
import { contentHash } from './content-hash.ts';
import { refuseDuplicate } from './create.ts';
import { isShown, resolveImages } from './images.ts';
import type { EventListing } from './listing-event.ts';
import { replaceImages } from './replace-images.ts';
import {
  boatAfter,
  columnsOf,
  factsAfter,
  locationAfter,
  revisable,
  textToModerate,
  type Columns,
  type Revision,
  type StoredColumns,
} from './revision.ts';
import { requireAccepted } from './rules.ts';

type ModerationServices = {
  db: Database;
  clock: Clock;
  catalog: Catalog;
  profile: Pick<Profile, 'unknownCategoryListsIds' | 'moderation' | 'currencies'>;
  aiModeration: AiModeration | undefined;
};
type Dependencies = Pick<ModerationServices, 'clock' | 'catalog' | 'profile'> & {
  jobs: Pick<Jobs, 'enqueue'>;
  config: Pick<Config, 'staticUrl'>;
};

/** A moderation result with the text it is about. */
export type ModeratedRevision = { text: ModeratedText; moderation: Moderation };

/** Optimistic concurrency: the listing changed since it was moderated; moderate it again. */
export class RevisionSuperseded extends Error {}

const jsonColumns = new Set(['attributes', 'boat', 'images', 'moderation']);

/** Drops fields that only send a rewritten text back: it is not the seller's. */
export async function withoutRewrites(db: Database, idOrSlug: string, fields: Revision): Promise<Revision> {
  const texts = [fields.title, fields.description].filter((text) => text !== undefined);
  if (texts.length === 0) return fields;
  const rewrites = await db
    .selectFrom('listing_rewrites as r')
    .innerJoin('listings as l', 'l.id', 'r.listing_id')
    .select(['r.title', 'r.description'])
    .where((eb) => eb.or([eb('l.id', '=', idOrSlug), eb('l.slug', '=', idOrSlug)]))
    .where((eb) => eb.or([eb('r.title', 'in', texts), eb('r.description', 'in', texts)]))
    .execute();
  const isRewritten = (name: 'title' | 'description') => rewrites.some((rewrite) => rewrite[name] === fields[name]);
  const { title, description, ...others } = fields;
  return {
    ...others,
    ...(title !== undefined && !isRewritten('title') && { title }),
    ...(description !== undefined && !isRewritten('description') && { description }),
  };
}

/**
 * Moderates the text that an update leads to, before any lock is taken; undefined when no moderated text changes. 404 for
 * an unknown listing, 403 for somebody else's, validation_error for fields that break a rule.
 */
export async function moderateRevision(
  services: ModerationServices,
  idOrSlug: string,
  userId: string,
  fields: Revision,
): Promise<ModeratedRevision | undefined> {
  const stored = await selectListing(services.db, idOrSlug);
  if (!stored || stored.status === 'deleted') throw notFound('listing', idOrSlug);
  requireOwner(stored, userId);
  factsAfter(stored, fields, services);
  const text = textToModerate(stored, fields);
  return text && { text, moderation: await judgeListing(services, text) };
}

/**
 * Changes what is sent of a locked listing, by the rules of create for the listing as it will be: a field that is sent takes
 * the place of the one there is, images are fetched or dropped, an earlier price is kept in the boat's history. What is sent
 * as the listing answers it changes nothing, images that are still to be fetched included. Of two listings that become one text, the unique index refuses the second. Throws
 * Superseded when the judgement is about another text than the listing would have by now.
 */
export async function reviseListing(
  tx: Tx,
  services: Dependencies,
  listing: EventListing,
  fields: Revision,
  judged: ModeratedRevision | undefined,
): Promise<void> {
  const now = services.clock.now();
  const stored: StoredColumns = await tx
    .selectFrom('listings')
    .select(revisable)
    .where('id', '=', listing.id)
    .executeTakeFirstOrThrow();
  if (!isDeepStrictEqual(textToModerate(stored, fields), judged?.text)) throw new RevisionSuperseded();
  const wanted: Columns = {
    ...columnsOf(fields),
    ...locationAfter(stored, fields),
    ...factsAfter(stored, fields, services),
    ...(judged && moderationAfter(judged)),
    ...boatAfter({ ...stored, status: listing.status }, fields, now),
    ...(await textAfter(tx, stored, fields, listing.seller_id)),
    ...(await imagesAfter(tx, services, listing.id, stored, fields, now)),
  };
  const names = revisable.filter((name) => name in wanted && !isDeepStrictEqual(stored[name], wanted[name]));
  if (names.length === 0) return;
  const previous = names.includes('condition') ? { condition: stored.condition } : {};
  await changeListing(tx, services, listing, { event: 'listing.updated', set: toSet(names, wanted) }, previous);
}

function moderationAfter({ moderation }: ModeratedRevision): Columns {
  requireAccepted(moderation);
  return { moderation: moderation.verdict === 'accept' ? null : moderation };
}

/**
 * What follows from another text: its hash, unless the listing is known by a page instead, and its language, unless somebody
 * has stated one that the text did not show.
 */
async function textAfter(tx: Tx, stored: StoredColumns, fields: Revision, sellerId: string): Promise<Columns> {
  const { title = stored.title, description = stored.description } = fields;
  if (title === stored.title && description === stored.description) return {};
  const hash = stored.content_hash && contentHash(title, description);
  if (hash && stored.content_hash && !hash.equals(stored.content_hash)) await refuseDuplicate(tx, sellerId, hash);
  const before = await detectLanguage(`${stored.title}. ${stored.description}`);
  const isStated = before !== undefined && before !== stored.language;
  const language = isStated ? undefined : await detectLanguage(`${title}. ${description}`);
  return { content_hash: hash, language: language ?? stored.language };
}

async function imagesAfter(
  tx: Tx,
  { jobs, config }: Dependencies,
  listingId: string,
  stored: StoredColumns,
  fields: Revision,
  now: Date,
): Promise<Columns> {
  if (!fields.images) return {};
  const named = await resolveImages(tx, fields.images, config.staticUrl);
  if (isShown(stored.images as StoredImage[], named)) return {};
  const { images, isPending, removed } = await replaceImages(tx, listingId, named, now);
  if (isPending) await jobs.enqueue(tx, 'localize-images', { listing_id: listingId }, { key: listingId });
  if (removed.length > 0) await jobs.enqueue(tx, 'delete-pictures', { sha256: removed });
  return { images };
}

function toSet(names: readonly (keyof StoredColumns)[], wanted: Columns): UpdateObject<DB, 'listings'> {
  const set = names.map((name) => {
    const value = wanted[name];
    return [name, jsonColumns.has(name) && value !== null ? JSON.stringify(value) : value];
  });
  return Object.fromEntries(set) as UpdateObject<DB, 'listings'>;
}
