import { ingestBatch } from '../../shared/ingest/ingest.ts';
import { pageOwnerOf } from '../../shared/ingest/page-owner.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Takes a batch of scraped records; what is wrong with one is told in the answer and stops none of the others. */
export const ingestRecords: AuthenticatedHandler<'ingestRecords'> = async (services, { body, caller }) => {
  const { config } = services;
  const outcome = await ingestBatch(
    {
      ...services,
      staticUrl: config.staticUrl,
      quotaMultiplier: config.rateLimitMultiplier,
      check: await services.recordCheck(),
    },
    { userId: caller.userId, owner: pageOwnerOf(caller), scraperId: null },
    body.records,
    { quota: true },
  );
  return { status: 200, body: outcome, effects: { changed: { listings: Object.values(outcome.ids) } } };
};
