import { AiError } from '../shared/adapters/ai-error.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { queueOf } from '../shared/queues/queues.ts';
import { giveTextUp, rewriteText } from '../shared/rewriting/rewrite.ts';
import type { WorkerServices } from './services.ts';

/** Brings one text up to date; a provider in trouble is asked again later, and given up on after the last try. */
export const rewriteListing: JobHandler<WorkerServices, 'rewrite-listing'> = async (
  services,
  { listing_id: listingId, locale },
  { signal, attempt },
) => {
  const text = { listingId, locale };
  try {
    return { outcome: await rewriteText(services, text, signal) };
  } catch (error) {
    const isLast = attempt >= queueOf('rewrite-listing').retryLimit;
    const isFinal = isLast || (error instanceof AiError && !error.retryable);
    if (!isFinal || signal.aborted) throw error;
    await giveTextUp(services, text);
    if (!(error instanceof AiError)) throw error;
    return { outcome: 'failed' };
  }
};
