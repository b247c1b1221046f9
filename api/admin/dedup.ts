import { mergeGroup } from '../../shared/dedup/merge.ts';
import { readGroup, readGroups } from '../../shared/dedup/read-groups.ts';
import { rejectGroup } from '../../shared/dedup/reject.ts';
import { unmergeGroup, type NotRestored } from '../../shared/dedup/unmerge.ts';
import { notFound, ServiceError } from '../../shared/kit/errors.ts';
import { paginationOf } from '../http/pagination.ts';
import type { AuthenticatedRequest } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { viewOf } from '../listings/present.ts';
import type { Services } from '../services.ts';
import { presentGroup, withMemberClaims, type Group } from './dedup-present.ts';
import { countDedupGroups } from './stats.ts';

type Request = Pick<AuthenticatedRequest<'getDedupGroup'>, 'params' | 'locale' | 'links' | 'caller'>;

/** One page of groups with their members and evidence, the last found first. */
export const listDedupGroups: Handler<'listDedupGroups'> = async (services, request) => {
  const { status, min_confidence, page = 1, limit = 20 } = request.query;
  const { locale } = request;
  const filter = { status, minConfidence: min_confidence };
  const asked = { offset: (page - 1) * limit, limit, locale, now: services.clock.now() };
  const { groups, total } = await readGroups(services.db, filter, asked);
  const view = viewOf(services, request);
  const body = {
    results: await withMemberClaims(
      services.db,
      groups.map((group) => presentGroup(group, view)),
    ),
    pagination: paginationOf(page, limit, total),
  };
  return { status: 200, body, headers: { 'Content-Language': locale, Vary: 'Accept-Language' } };
};

/** One group with its members and evidence. */
export const getDedupGroup: AuthenticatedHandler<'getDedupGroup'> = async (services, request) => {
  const headers = { 'Content-Language': request.locale, Vary: 'Accept-Language' };
  return { status: 200, body: await show(services, request), headers };
};

/** How many groups there are in each status. */
export const getDedupStats: Handler<'getDedupStats'> = async ({ pool }) => ({
  status: 200,
  body: await countDedupGroups(pool),
});

/** Merges a group into one listing, chosen or elected. */
export const mergeDedupGroup: AuthenticatedHandler<'mergeDedupGroup'> = async (services, request) => {
  const { params, body, caller } = request;
  await mergeGroup(services, { groupId: params.id, canonicalId: body?.canonical_id, by: caller.userId });
  return answerChanged(await show(services, request));
};

/** Takes a merge back, and tells what could not come back. */
export const unmergeDedupGroup: AuthenticatedHandler<'unmergeDedupGroup'> = async (services, request) => {
  const notRestored = await unmergeGroup(services, request.params.id);
  return answerChanged(await show(services, request, notRestored));
};

/** Says that a group is no duplicates, for ever. */
export const rejectDedupGroup: AuthenticatedHandler<'rejectDedupGroup'> = async (services, request) => {
  await rejectGroup(services, { groupId: request.params.id, by: request.caller.userId });
  return { status: 200, body: await show(services, request) };
};

/** Merges groups one after the other; those that cannot be merged are named. */
export const bulkMergeDedupGroups: AuthenticatedHandler<'bulkMergeDedupGroups'> = async (
  services,
  { body, caller },
) => {
  const failed: { id: string; reason: string }[] = [];
  const ids = [...new Set(body.ids)];
  for (const groupId of ids) {
    try {
      await mergeGroup(services, { groupId, by: caller.userId });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      failed.push({ id: groupId, reason: error.message });
    }
  }
  return {
    status: 200,
    body: { merged: ids.length - failed.length, failed },
    effects: { changed: { listings: 'all' } },
  };
};

/** A group whose listings have changed. */
const answerChanged = (group: Group) => ({
  status: 200 as const,
  body: group,
  effects: { changed: { listings: group.members.map(({ listing_id }) => listing_id) } },
});

async function show(services: Services, request: Request, notRestored?: NotRestored[]) {
  const group = await readGroup(services.db, request.params.id, request.locale, services.clock.now());
  if (!group) throw notFound('group of duplicates', request.params.id);
  const [shown] = await withMemberClaims(services.db, [presentGroup(group, viewOf(services, request), notRestored)]);
  return shown!;
}
