import { runQueue, type Queue } from './queue.ts';
import { DAY_SECONDS } from '../kit/clock.ts';

/** The queues that export and erase accounts. */
export const leavingQueues = {
  'erase-account': {
    does: 'Erases what an account that has left leaves behind, from where it stands to its end.',
    ...runQueue,
    keepSeconds: DAY_SECONDS,
  },
  'export-account': {
    does: 'Writes all that is held of one person into an archive, and mails them the link to it.',
    ...runQueue,
    keepSeconds: DAY_SECONDS,
  },
} as const satisfies Record<string, Queue>;
