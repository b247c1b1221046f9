import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message } from './layout.ts';

/** A message that the service sends: what it needs, and how it is worded. */
export type Template = {
  /** Sent whatever the recipient has chosen; others only to those who want mail. */
  essential: boolean;
  /** Sent to a suspended account too, which gets nothing else. */
  reachesSuspended?: true;
  /** What the text needs, where it must not travel in the job; undefined when it is lost, null when there is nothing left to tell. */
  load?: (
    services: WorkerServices,
    data: Record<string, unknown>,
    /** The user or subscriber that the message goes to. */
    recipientId: string,
  ) => Promise<Record<string, unknown> | undefined | null>;
  /** Throws a ZodError for data that lack what the text needs. */
  render: (data: Record<string, unknown>, locale: Locale) => Message;
  /** What `render` is given in previews and in tests. */
  sample: Record<string, unknown>;
};
