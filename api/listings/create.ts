import { inTransaction } from '../../db/client.ts';
import { invalid, ServiceError } from '../../shared/errors.ts';
import { normalizeUrl } from '../../shared/ingest/normalized-url.ts';
import { detectLanguage } from '../../shared/language.ts';
import { replaceBoat } from '../../shared/listings/boat.ts';
import { storeNewListing, type NewListing } from '../../shared/listings/create.ts';
import { resolveImages } from '../../shared/listings/images.ts';
import { applyListingRules, requireAccepted } from '../../shared/listings/rules.ts';
import { judgeListing } from '../../shared/moderation/judge.ts';
import type { AuthenticatedHandler, Body } from '../http/types.ts';
import { presentListing, viewOf } from './present.ts';

/** The longest normalised URL that an origin may have; what it is kept under is a little longer. */
const LONGEST_ORIGIN = 2_000;

/** Creates a draft; everything that a refused one has touched, quota and pictures to fetch included, is undone. */
export const createListing: AuthenticatedHandler<'createListing'> = async (services, request) => {
  const { body, caller, ip, links } = request;
  const { config, catalog, profile, jobs, clock, db } = services;
  const { attributes } = applyListingRules(body, { catalog, listValidCategories: profile.unknownCategoryListsIds });
  const moderation = await judgeListing(services, { ...body, category: body.category_id });
  requireAccepted(moderation);
  const listing: Omit<NewListing, 'images'> = {
    ...body,
    attributes,
    boat: replaceBoat(null, body.boat, body.price.price_history) ?? undefined,
    source: body.meta?.source ?? 'api',
    language:
      body.meta?.language ?? (await detectLanguage(`${body.title}. ${body.description}`)) ?? profile.defaultLocale,
    moderation,
    origin: readOrigin(body.meta?.origin),
  };
  const dependencies = { jobs, clock, profile, quotaMultiplier: config.rateLimitMultiplier };
  const seller = { userId: caller.userId, ip, admin: caller.role === 'admin' };
  const row = await inTransaction(db, async (tx) => {
    const images = await resolveImages(tx, body.images ?? [], config.staticUrl);
    return storeNewListing(tx, dependencies, seller, { ...listing, images });
  });
  return {
    status: 201,
    body: presentListing(row, viewOf(services, request)),
    headers: { Location: `${links.base}/api/listings/${row.id}` },
  };
};

function readOrigin(origin: NonNullable<Body<'createListing'>['meta']>['origin']): NewListing['origin'] {
  if (!origin) return undefined;
  const normalizedUrl = normalFormOf(origin.url);
  if (normalizedUrl === undefined || normalizedUrl.length > LONGEST_ORIGIN) {
    const message = `must be an http or https URL of at most ${LONGEST_ORIGIN} characters when normalised`;
    throw invalid('The origin cannot be kept.', [{ path: '/body/meta/origin/url', message }]);
  }
  return {
    url: origin.url,
    normalizedUrl,
    site: origin.site,
    scrapedAt: new Date(origin.scraped_at),
    raw: origin.raw_record,
  };
}

function normalFormOf(url: string): string | undefined {
  try {
    return normalizeUrl(url);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
