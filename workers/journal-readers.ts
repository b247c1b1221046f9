import { queueChecks } from '../shared/dedup/check-listings.ts';
import type { JournalReader } from '../shared/journal/runner.ts';
import { queueReelections } from '../shared/dedup/reelect.ts';
import { followListings } from '../shared/rewriting/queue.ts';
import { queueScamChecks } from '../shared/scams/queue-checks.ts';
import { queueMatching } from '../shared/saved-searches/find-news.ts';
import { dispatchWebhooks, webhookReader } from '../shared/webhooks/dispatch.ts';
import type { WorkerServices } from './services.ts';

/** Everything that follows the journal in this process; one process at a time advances each. */
export const journalReaders: readonly JournalReader<WorkerServices>[] = [
  { name: 'dedup', handle: queueChecks },
  { name: 'dedup-kept', handle: queueReelections },
  { name: 'rewriting', handle: followListings },
  { name: 'saved-searches', handle: queueMatching },
  { name: 'scams', handle: queueScamChecks },
  { name: webhookReader, handle: dispatchWebhooks },
];
