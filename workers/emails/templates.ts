import type { Email } from './layout.ts';
import { renderListingApproved } from './listing-approved.ts';
import { renderWebhookDisabled } from './webhook-disabled.ts';

type Template = {
  /** Sent whatever the recipient has chosen; others only to those who want mail. */
  essential: boolean;
  /** Throws a ZodError for data that lack what the text needs. */
  render: (data: Record<string, unknown>) => Email;
};

/** Every message that the service sends, by the name its jobs give. */
export const templates: Readonly<Record<string, Template | undefined>> = {
  'listing-approved': { essential: false, render: renderListingApproved },
  'webhook-disabled': { essential: true, render: renderWebhookDisabled },
};
