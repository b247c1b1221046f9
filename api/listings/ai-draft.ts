import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '../../db/client.ts';
import { SECOND_MS } from '../../shared/kit/clock.ts';
import { failDraft, readDraft, requestDraft, type DraftError } from '../../shared/drafts/store.ts';
import { invalid, notFound, unavailable } from '../../shared/kit/errors.ts';
import { readPreference } from '../http/prefer.ts';
import type { Result } from '../http/types.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { Services } from '../services.ts';

type DraftRow = NonNullable<Awaited<ReturnType<typeof readDraft>>>;
type DraftJob = Result<'getListingDraft', 200>;

const MAX_WAIT_SECONDS = 60;
const FIRST_LOOK_MS = 20;
const LOOK_MS = 400;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Drafts a listing from images: waits for the job, or answers its id at once to who prefers that. A failure uses no quota. */
export const generateListingDraft: AuthenticatedHandler<'generateListingDraft'> = async (services, request) => {
  const { caller, body, ip, locale, headers } = request;
  const user = { id: caller.userId, ip, admin: caller.role === 'admin' };
  const id = await inTransaction(services.db, (tx) =>
    requestDraft(tx, services, { user, images: body.images, locale }, services.clock.now()),
  );
  const { respondAsync, waitSeconds } = readPreference(headers['Prefer'], MAX_WAIT_SECONDS);
  if (respondAsync) {
    const applied: Record<string, string> = {
      Location: `${request.links.base}/api/me/ai-drafts/${id}`,
      'Preference-Applied': 'respond-async',
    };
    return { status: 202, headers: applied, body: { job_id: id } };
  }
  const draft = await waitFor(services, id, caller.userId, waitSeconds * SECOND_MS);
  if (draft.status === 'failed') throw toServiceError(draft.error as DraftError);
  const madeBy: Record<string, string> = { 'X-AI-Mode': draft.mode ?? 'stub' };
  return { status: 200, headers: madeBy, body: draft.result as Result<'generateListingDraft', 200> };
};

/** A draft of the caller's: whether it is done, and what came of it. */
export const getListingDraft: AuthenticatedHandler<'getListingDraft'> = async ({ db }, { params, caller }) => {
  const draft = uuid.test(params.jobId) ? await readDraft(db, params.jobId, caller.userId) : undefined;
  if (!draft) throw notFound('draft', params.jobId);
  return { status: 200, body: presentDraft(draft) };
};

/** The draft once it is finished; one that takes too long is given up, with its job and its use of the quota. */
async function waitFor(services: Services, id: string, userId: string, waitMs: number): Promise<DraftRow> {
  const { db, jobs, clock } = services;
  const until = performance.now() + waitMs;
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(LOOK_MS, pause * 1.5)) {
    const draft = await readDraft(db, id, userId);
    if (draft && draft.status !== 'pending') return draft;
    if (performance.now() >= until) break;
    await sleep(Math.min(pause, Math.max(0, until - performance.now())));
  }
  const error = { code: 'service_unavailable', message: 'The draft takes too long; try again later.' } as const;
  await inTransaction(db, (tx) => failDraft(tx, id, error, clock.now()));
  await jobs.boss.cancel('draft-listing', id);
  const draft = await readDraft(db, id, userId);
  if (!draft) throw unavailable(error.message);
  return draft;
}

function toServiceError({ code, message, errors = [] }: DraftError) {
  return code === 'validation_error' ? invalid(message, errors) : unavailable(message);
}

function presentDraft({ id, status, mode, result, error, created_at, finished_at }: DraftRow): DraftJob {
  return {
    job_id: id,
    status: status as DraftJob['status'],
    mode: mode as DraftJob['mode'],
    result: result as DraftJob['result'],
    error: error as DraftJob['error'],
    created_at: created_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
  };
}
