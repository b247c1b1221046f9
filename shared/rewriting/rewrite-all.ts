import { AiError } from '../adapters/ai-error.ts';
import { rewriteText, type RewriteOutcome } from './rewrite.ts';

const AT_ONCE = 4;

/**
 * Brings every text of one listing up to date, some at a time: `failed` when one was refused. A provider in trouble throws its
 * AiError, once those that were begun have ended; what is done is done.
 */
export async function rewriteAllTexts(
  services: Parameters<typeof rewriteText>[0],
  listingId: string,
  locales: readonly string[],
  signal: AbortSignal,
): Promise<'done' | 'failed'> {
  const waiting = [...locales];
  const outcomes: RewriteOutcome[] = [];
  const faults: unknown[] = [];
  const work = async () => {
    for (let locale = waiting.shift(); locale !== undefined && faults.length === 0; locale = waiting.shift()) {
      try {
        outcomes.push(await rewriteText(services, { listingId, locale }, signal));
      } catch (error) {
        faults.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (faults.length > 0) throw faults.find((fault) => !(fault instanceof AiError)) ?? faults[0];
  return outcomes.includes('failed') ? 'failed' : 'done';
}
