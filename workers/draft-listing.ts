import { inTransaction } from '../db/client.ts';
import { AiError } from '../shared/adapters/ai-error.ts';
import { composeDraft } from '../shared/drafts/compose.ts';
import { ImageFault } from '../shared/drafts/draft-images.ts';
import { completeDraft, failDraft, type DraftError } from '../shared/drafts/store.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { queueOf } from '../shared/queues/queues.ts';
import type { WorkerServices } from './services.ts';

/** Makes the draft that has this job's id, and keeps it or why there is none; one that nobody waits for any more is left alone. */
export const draftListing: JobHandler<WorkerServices, 'draft-listing'> = async (
  services,
  _payload,
  { jobId, signal, attempt, log },
) => {
  const { db, clock } = services;
  const pending = await db
    .selectFrom('ai_drafts')
    .select(['images', 'locale'])
    .where('id', '=', jobId)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  if (!pending) return { outcome: 'not waited for' };
  try {
    const made = await composeDraft(services, pending, signal);
    const isKept = await completeDraft(db, jobId, made, clock.now());
    return { outcome: isKept ? 'completed' : 'not waited for' };
  } catch (error) {
    const isLast = attempt >= queueOf('draft-listing').retryLimit;
    const failure = failureOf(error) ?? (isLast ? lost : undefined);
    if (!failure || signal.aborted) throw error;
    await inTransaction(db, (tx) => failDraft(tx, jobId, failure, clock.now()));
    if (!(error instanceof AiError) && !(error instanceof ImageFault)) throw error;
    log.warn({ failure: error.message }, 'no draft');
    return { outcome: 'failed', reason: failure.code };
  }
};

const lost: DraftError = { code: 'service_unavailable', message: 'The draft could not be made; try again later.' };

/** What the caller is told; undefined for faults of our own, which the job is repeated for. */
function failureOf(error: unknown): DraftError | undefined {
  if (error instanceof AiError)
    return { code: 'service_unavailable', message: 'The AI service gives no usable answer; try again later.' };
  if (!(error instanceof ImageFault)) return undefined;
  const errors = [{ path: `/body/images/${error.index}`, message: error.message }];
  return { code: 'validation_error', message: 'An image cannot be used.', errors };
}
