import type { JournalReader } from '../shared/journal-runner.ts';
import { queueMatching } from '../shared/saved-searches/candidates.ts';
import { dispatchWebhooks, webhookReader } from '../shared/webhooks/dispatch.ts';
import type { WorkerServices } from './services.ts';

/** Everything that follows the journal in this process; one process at a time advances each. */
export const journalReaders: readonly JournalReader<WorkerServices>[] = [
  { name: 'saved-searches', handle: queueMatching },
  { name: webhookReader, handle: dispatchWebhooks },
];
