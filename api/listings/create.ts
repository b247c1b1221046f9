import { inTransaction } from '../../db/client.ts';
import { detectLanguage } from '../../shared/kit/language.ts';
import { replaceBoat } from '../../shared/listings/boat.ts';
import { storeNewListing, type NewListing } from '../../shared/listings/create.ts';
import { resolveImages } from '../../shared/listings/images.ts';
import { applyListingRules, requireAccepted } from '../../shared/listings/rules.ts';
import { judgeListing } from '../../shared/moderation/judge.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentListing, viewOf } from './present.ts';

/**
 * Creates a draft; everything that a refused one has touched, quota and images to fetch included, is undone. Where it comes
 * from is not its client's to say: of `meta.source` only that it was made on a site (`web`) is taken, and no origin.
 */
export const createListing: AuthenticatedHandler<'createListing'> = async (services, request) => {
  const { body, caller, ip, links } = request;
  const { config, catalog, profile, jobs, clock, db } = services;
  const { attributes } = applyListingRules(body, { catalog, profile });
  const moderation = await judgeListing(services, { ...body, category: body.category_id });
  requireAccepted(moderation);
  const listing: Omit<NewListing, 'images'> = {
    ...body,
    // A former id of a category means what it has become.
    category_id: catalog.find(body.category_id)?.id ?? body.category_id,
    attributes,
    boat: replaceBoat(null, body.boat) ?? undefined,
    source: body.meta?.source === 'web' ? 'web' : 'api',
    language:
      body.meta?.language ?? (await detectLanguage(`${body.title}. ${body.description}`)) ?? profile.defaultLocale,
    moderation,
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
    effects: { changed: { listings: [row.id] } },
  };
};
