import type { WorkerServices } from '../services.ts';
import { loadContactOwner, renderContactOwner } from './contact-owner.ts';
import type { Email } from './layout.ts';
import { renderListingApproved } from './listing-approved.ts';
import { renderListingRejected } from './listing-rejected.ts';
import { renderListingSold } from './listing-sold.ts';
import { renderWebhookDisabled } from './webhook-disabled.ts';

type Template = {
  /** Sent whatever the recipient has chosen; others only to those who want mail. */
  essential: boolean;
  /** What the text needs, where it must not travel in the job; undefined when it is not there any more. */
  load?: (services: WorkerServices, data: Record<string, unknown>) => Promise<Record<string, unknown> | undefined>;
  /** Throws a ZodError for data that lack what the text needs. */
  render: (data: Record<string, unknown>) => Email;
};

/** Every message that the service sends, by the name its jobs give. */
export const templates: Readonly<Record<string, Template | undefined>> = {
  'contact-owner': { essential: true, load: loadContactOwner, render: renderContactOwner },
  'listing-approved': { essential: false, render: renderListingApproved },
  'listing-rejected': { essential: true, render: renderListingRejected },
  'listing-sold': { essential: false, render: renderListingSold },
  'webhook-disabled': { essential: true, render: renderWebhookDisabled },
};
