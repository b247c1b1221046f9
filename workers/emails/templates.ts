import { renderAccountLeft } from './account-left.ts';
import { renderBookingCancelled } from './booking-cancelled.ts';
import { renderBookingConfirmed } from './booking-confirmed.ts';
import { loadBooking } from './booking-data.ts';
import { renderBookingDeclined } from './booking-declined.ts';
import { renderBookingLapsed } from './booking-lapsed.ts';
import { renderBookingRequested } from './booking-requested.ts';
import { loadWithCard, sampleCard, sampleImage } from './card.ts';
import { loadContactOwner, renderContactOwner } from './contact-owner.ts';
import { loadExportReady, renderExportReady } from './export-ready.ts';
import { moderationTemplates } from './moderation-templates.ts';
import { loadListingApproved, renderListingApproved } from './listing-approved.ts';
import { renderListingExpiring } from './listing-expiring.ts';
import { loadListingMerged, renderListingMerged } from './listing-merged.ts';
import { renderListingSold } from './listing-sold.ts';
import { loadMagicLink, renderMagicLink } from './magic-link.ts';
import { loadNewMessage, renderNewMessage } from './new-message.ts';
import { loadNewReview, renderNewReview } from './new-review.ts';
import { renderNewsletterWelcome } from './newsletter-welcome.ts';
import { loadPasswordChanged, renderPasswordChanged } from './password-changed.ts';
import { loadPasswordReset, renderPasswordReset } from './password-reset.ts';
import { renderPremiumActivated } from './premium-activated.ts';
import { loadSavedSearchMatches, renderSavedSearchMatches, sampleMatches } from './saved-search-matches.ts';
import { loadScraperQuarantined, renderScraperQuarantined } from './scraper-quarantined.ts';
import { renderSecondFactorsReset } from './second-factors-reset.ts';
import { renderSecurityNotice } from './security-notice.ts';
import type { Template } from './template.ts';
import { loadVerifyEmail, renderVerifyEmail } from './verify-email.ts';
import { loadWebhook } from './webhook-data.ts';
import { renderWebhookDisabled } from './webhook-disabled.ts';
import { renderWebhookGone } from './webhook-gone.ts';

const sampleListing = {
  title: 'Hallberg-Rassy 36 Mk II',
  url: 'https://boats.example.com/listings/hallberg-rassy-36-mk-ii',
  card: sampleCard,
};

const sampleLink = (page: string) => ({
  url: `https://boats.example.com/sign-in/${page}?token=Zm9yLXRoZS1leGFtcGxlLW9ubHktbm90LWEtdG9rZW4`,
});

const sampleWebhook = {
  url: 'https://shop.example.com/hooks',
  guide: 'https://boats.example.com/api/docs#/webhooks/updateWebhook',
};

/** The button of a mail about a boat that cannot be had leads to others, not to that one. */
const bookingElsewhere = (render: Template['render']): Template => {
  const { load, sample, ...rest } = booking(render);
  const withoutCard = <Data extends Record<string, unknown> | undefined | null>(data: Data) =>
    data && { ...data, card: undefined };
  return { ...rest, load: async (...args) => withoutCard(await load?.(...args)), sample: withoutCard(sample) };
};

const booking = (render: Template['render']): Template => ({
  essential: false,
  load: loadBooking,
  render,
  sample: {
    title: 'Lagoon 42 catamaran in Palma',
    renter: 'Anna Petersen',
    date_from: '2027-07-10',
    date_to: '2027-07-17',
    total_price: 3_360,
    currency: 'EUR',
    message: 'We are two families with a licence. Is the dinghy included?',
    url: 'https://boats.example.com/rentals/lagoon-42-catamaran-in-palma',
    list_url: 'https://boats.example.com/rentals',
    bookings_url: 'https://boats.example.com/my/bookings',
    card: { title: 'Lagoon 42 catamaran in Palma', amount: 3_360, currency: 'EUR', image_url: sampleImage },
  },
});

/** Every message that the service sends, by the name its jobs give. */
export const templates: Readonly<Record<string, Template | undefined>> = {
  ...moderationTemplates,
  'account-left': { essential: true, render: renderAccountLeft, sample: {} },
  'booking-cancelled': booking(renderBookingCancelled),
  'booking-confirmed': booking(renderBookingConfirmed),
  'booking-declined': bookingElsewhere(renderBookingDeclined),
  'booking-lapsed': bookingElsewhere(renderBookingLapsed),
  'booking-requested': booking(renderBookingRequested),
  'contact-owner': {
    essential: true,
    load: loadContactOwner,
    render: renderContactOwner,
    sample: { ...sampleListing, name: 'Ada', email: 'ada@example.com', message: 'Is she still for sale?' },
  },
  'export-ready': {
    essential: true,
    load: loadExportReady,
    render: renderExportReady,
    sample: {
      url: 'https://boats.example.com/my/export?token=exp_01K6Q8Z3V4H5J6K7M8N9P0Q1R2-qS3xJ0m4bF2v8nT6kYcR1wZpL5dHgU7eXaOiV9sBtMQ',
    },
  },
  'listing-approved': {
    essential: false,
    load: loadListingApproved,
    render: renderListingApproved,
    sample: sampleListing,
  },
  'listing-expiring': {
    essential: false,
    load: loadWithCard,
    render: renderListingExpiring,
    sample: {
      ...sampleListing,
      url: 'https://boats.example.com/my/listings/lst_01K6QC1A2B3C4D5E6F7G8H9J0K',
      expires_at: '2026-01-08T09:30:00.000Z',
      days: 7,
    },
  },
  'listing-merged': {
    essential: true,
    load: loadListingMerged,
    render: renderListingMerged,
    sample: { ...sampleListing, kept_title: 'Hallberg-Rassy 36 in Orust' },
  },
  'listing-sold': { essential: false, load: loadWithCard, render: renderListingSold, sample: sampleListing },
  'magic-link': {
    essential: true,
    load: loadMagicLink,
    render: renderMagicLink,
    sample: sampleLink('link'),
  },
  'new-message': {
    essential: false,
    load: loadNewMessage,
    render: renderNewMessage,
    sample: {
      sender: 'Jonas Lind',
      title: sampleListing.title,
      card: sampleCard,
      excerpt: 'Is she still for sale? I could come and see her on Saturday.',
      url: 'https://boats.example.com/inbox/cnv_01K6QC1A2B3C4D5E6F7G8H9J0K',
    },
  },
  'new-review': {
    essential: false,
    load: loadNewReview,
    render: renderNewReview,
    sample: {
      reviewer: 'Jonas Lind',
      title: sampleListing.title,
      card: sampleCard,
      rating: 5,
      comment: 'Exactly as described, and a seller who takes her time to explain everything.',
      url: 'https://boats.example.com/sellers/usr_01K6Q8X0A2B4C6D8E0F2G4H6J8',
    },
  },
  'newsletter-welcome': { essential: false, render: renderNewsletterWelcome, sample: {} },
  'password-changed': {
    essential: true,
    load: loadPasswordChanged,
    render: renderPasswordChanged,
    sample: {
      changed_at: '2026-01-01T09:30:00.000Z',
      url: 'https://boats.example.com/sign-in/forgot',
      keys: [{ label: 'Listing agent', key_prefix: 'svc_9rJ2kQwX' }],
      webhooks: [{ url: 'https://shop.example.com/hooks' }],
      applications: [{ name: 'Boat agent' }],
    },
  },
  'password-reset': {
    essential: true,
    load: loadPasswordReset,
    render: renderPasswordReset,
    sample: sampleLink('reset'),
  },
  'premium-activated': {
    essential: true,
    load: loadWithCard,
    render: renderPremiumActivated,
    sample: {
      ...sampleListing,
      payment_id: 'pay_01K6QB5N8P2R4T6V8X0Z2B4D6F',
      featured: true,
      duration: 30,
      until: '2026-03-31T10:00:00.000Z',
      paid_at: '2026-03-01T10:00:00.000Z',
      amount_cents: 4_900,
      currency: 'EUR',
    },
  },
  'saved-search-matches': {
    essential: false,
    load: loadSavedSearchMatches,
    render: renderSavedSearchMatches,
    sample: sampleMatches,
  },
  'scraper-quarantined': {
    essential: false,
    load: loadScraperQuarantined,
    render: renderScraperQuarantined,
    sample: {
      name: 'Baltic Yachts',
      site: 'baltic-yachts.example.com',
      is_feed: false,
      oddities: [
        { kind: 'field', field: 'price', now: 0.04, before: 0.97 },
        { kind: 'record_share', now: 0.31, before: 0.92 },
        { kind: 'missed_pages', now: 41, of: 60 },
      ],
      url: 'https://boats.example.com/admin#/scrapers?run=scr_01K6QB5N8P2R4T6V8X0Z2B4D6F+run_01K6QC1A2B3C4D5E6F7G8H9J0K',
    },
  },
  'second-factors-reset': {
    essential: true,
    render: renderSecondFactorsReset,
    sample: { at: '2026-06-04T09:32:36.428Z', url: 'https://boats.example.com/sign-in/forgot' },
  },
  'security-notice': {
    essential: true,
    render: renderSecurityNotice,
    sample: {
      event: 'signed_in',
      at: '2026-06-04T09:32:36.428Z',
      device: 'Firefox, macOS',
      network: '203.0.113.0',
      url: 'https://boats.example.com/my/account',
    },
  },
  'verify-email': {
    essential: true,
    load: loadVerifyEmail,
    render: renderVerifyEmail,
    sample: sampleLink('verify'),
  },
  'webhook-disabled': {
    essential: true,
    load: loadWebhook,
    render: renderWebhookDisabled,
    sample: { ...sampleWebhook, failing_since: '2026-01-01T00:00:00Z' },
  },
  'webhook-gone': {
    essential: true,
    load: loadWebhook,
    render: renderWebhookGone,
    sample: sampleWebhook,
  },
};
