import { inTransaction } from '../../db/client.ts';
import type { CardRow } from '../../shared/listings/card.ts';
import * as decide from '../../shared/listings/decide.ts';
import { readDoubtful, readFlagged } from '../../shared/listings/moderation-lists.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import { paginationOf } from '../http/pagination.ts';
import { withAllPageClaims } from '../listings/page-claims.ts';
import { presentCard, viewOf, type View } from '../listings/present.ts';
import type { Services } from '../services.ts';
import { presentScamCheck } from './scam-check-present.ts';

type FlaggedListing = Result<'listFlagged', 200>['results'][number];
type DoubtfulListing = Result<'listValidationQueue', 200>['results'][number];

/** Makes a flagged listing or a draft public. */
export const approveListing: Handler<'approveListing'> = async (services, { params }) => {
  const { id, status } = await inTransaction(services.db, (tx) => decide.approveListing(tx, services, params.id));
  const message =
    status === 'active'
      ? 'The listing is approved and published.'
      : 'The reports are dismissed; the listing stays as it is.';
  return {
    status: 200,
    body: { id, status: status as Result<'approveListing', 200>['status'], message },
    effects: { changed: { listings: [id] } },
  };
};

/** Deletes a flagged listing or a draft, and tells its owner why. */
export const rejectListing: Handler<'rejectListing'> = async (services, { params, body }) => {
  const { id } = await inTransaction(services.db, (tx) => decide.rejectListing(tx, services, params.id, body?.reason));
  return {
    status: 200,
    body: { id, status: 'deleted', message: 'The listing is rejected; its owner is told.' },
    effects: { changed: { listings: [id] } },
  };
};

/** The listings that moderation doubts, the longest waiting first. */
export const listValidationQueue: Handler<'listValidationQueue'> = async (services, request) => {
  const { page = 1, limit = 20 } = request.query;
  const { rows, total } = await readDoubtful(services.pool, { offset: (page - 1) * limit, limit });
  const view = viewOf(services, request);
  const listings = await presentClaimed(services, rows, view);
  const results = rows.map((row, index) => ({
    listing: listings[index]!,
    reasons: row.reasons as DoubtfulListing['reasons'],
    since: row.since,
    scam_check: presentScamCheck(row.scam_check),
  }));
  return { status: 200, body: { results, pagination: paginationOf(page, limit, total) } };
};

/** The flagged and the reported listings with their reports, the one reported last first. */
export const listFlagged: Handler<'listFlagged'> = async (services, request) => {
  const { page = 1, limit = 20 } = request.query;
  const { rows, total } = await readFlagged(services.pool, { offset: (page - 1) * limit, limit });
  const view = viewOf(services, request);
  const listings = await presentClaimed(services, rows, view);
  const results = rows.map((row, index) => ({
    listing: listings[index]!,
    flags: row.flags as FlaggedListing['flags'],
    count: row.count,
    scam_check: presentScamCheck(row.scam_check),
  }));
  return { status: 200, body: { results, pagination: paginationOf(page, limit, total) } };
};

const presentClaimed = ({ db }: Services, rows: readonly CardRow[], view: View) =>
  withAllPageClaims(
    db,
    rows.map((row) => presentCard(row, view)),
  );
