import { inTransaction } from '../../db/client.ts';
import { startRequeueRun } from '../../shared/images/requeue.ts';
import {
  countWithoutImages,
  createdBefore,
  deleteWithoutImages,
  findWithoutImages,
} from '../../shared/search/without-images.ts';
import type { Request } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { presentCard, viewOf } from '../listings/present.ts';
import { readSlowFigures } from './figures.ts';

/** Listings with and without images, what is stored, and what could not be had. */
export const getImageStats: Handler<'getImageStats'> = async (services) => ({
  status: 200,
  body: await readSlowFigures(services, 'images'),
});

/** One page of the listings that show no image and wait for none, newest first. */
export const listZeroImageListings: Handler<'listZeroImageListings'> = async (services, request) => {
  const { page = 1, limit = 20 } = request.query;
  const { locale } = request;
  const filter = filterOf(request.query, services.clock.now());
  const { rows, total } = await findWithoutImages(services.db, filter, { offset: (page - 1) * limit, limit, locale });
  const view = viewOf(services, request);
  const body = {
    results: rows.map((row) => presentCard(row, view)),
    pagination: { page, limit, total, pages: Math.ceil(total / limit) },
  };
  return { status: 200, body, headers: { 'Content-Language': locale, Vary: 'Accept-Language' } };
};

/** Deletes up to 1,000 of them, the oldest first, and tells how many are left. */
export const deleteZeroImageListings: Handler<'deleteZeroImageListings'> = async (services, { query }) => {
  const now = services.clock.now();
  const filter = filterOf(query, now);
  const deleted = await deleteWithoutImages(services, filter);
  const remaining = await countWithoutImages(services.db, filter);
  return {
    status: 200,
    body: { deleted, remaining, timestamp: now.toISOString() },
    effects: { changed: { listings: 'all' } },
  };
};

/** Queues a run that sends images which listings lack to the workers once more; 409 while one is live. */
export const localizeImages: AuthenticatedHandler<'localizeImages'> = async ({ db, jobs, clock }, { caller }) => {
  const job_id = await inTransaction(db, (tx) => startRequeueRun(tx, jobs, caller.userId, clock.now()));
  return { status: 202, body: { job_id, status: 'queued' } };
};

function filterOf(
  { status, source, older_than_days: days = 0 }: Request<'deleteZeroImageListings'>['query'],
  now: Date,
) {
  return { status, source, createdBefore: createdBefore(now, days) };
}
