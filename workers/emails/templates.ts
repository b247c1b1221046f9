import type { Locale } from '../../shared/profiles/profile.ts';
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
  load?: (
    services: WorkerServices,
    data: Record<string, unknown>,
    userId: string,
  ) => Promise<Record<string, unknown> | undefined>;
  /** Throws a ZodError for data that lack what the text needs. */
  render: (data: Record<string, unknown>, locale: Locale) => Email;
  /** What `render` is given in previews and in tests. */
  sample: Record<string, unknown>;
};

const sampleListing = {
  title: 'Hallberg-Rassy 36 Mk II',
  url: 'https://boats.example.com/api/listings/hallberg-rassy-36-mk-ii',
};

/** Every message that the service sends, by the name its jobs give. */
export const templates: Readonly<Record<string, Template | undefined>> = {
  'contact-owner': {
    essential: true,
    load: loadContactOwner,
    render: renderContactOwner,
    sample: { ...sampleListing, name: 'Ada', email: 'ada@example.com', message: 'Is she still for sale?' },
  },
  'listing-approved': { essential: false, render: renderListingApproved, sample: sampleListing },
  'listing-rejected': {
    essential: true,
    render: renderListingRejected,
    sample: { title: sampleListing.title, reason: 'The pictures show another boat.' },
  },
  'listing-sold': { essential: false, render: renderListingSold, sample: sampleListing },
  'webhook-disabled': {
    essential: true,
    render: renderWebhookDisabled,
    sample: { url: 'https://shop.example.com/hooks', failing_since: '2026-01-01T00:00:00Z' },
  },
};
