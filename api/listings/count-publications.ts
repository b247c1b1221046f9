import { consumePublications } from '../../shared/profiles/quotas.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Services } from '../services.ts';

/** Counts listings that the caller makes public against the daily limit of the key, in the transaction that does it; 429 beyond it. */
export async function countPublications(
  tx: Tx,
  { clock }: Pick<Services, 'clock'>,
  { bucket, publicationsPerDay }: Caller,
  count = 1,
): Promise<void> {
  if (publicationsPerDay === undefined || count === 0) return;
  await consumePublications(tx, { keyId: bucket, limit: publicationsPerDay, count }, clock.now());
}
