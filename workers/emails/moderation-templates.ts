import { loadAccountRestored, renderAccountRestored } from './account-restored.ts';
import { loadAccountSuspended, renderAccountSuspended } from './account-suspended.ts';
import { loadAppealDecided, renderAppealDecided } from './appeal-decided.ts';
import { loadContentRestricted, renderContentRestricted } from './content-restricted.ts';
import { loadListingRejected, renderListingRejected } from './listing-rejected.ts';
import { loadReportDecided, renderReportDecided } from './report-decided.ts';
import { sampleNotice } from './statement-parts.ts';
import type { Template } from './template.ts';

/** The messages about what moderators decide. */
export const moderationTemplates = {
  'account-restored': {
    essential: true,
    load: loadAccountRestored,
    render: renderAccountRestored,
    sample: { url: 'https://boats.example.com/my/listings' },
  },
  'account-suspended': {
    essential: true,
    reachesSuspended: true,
    load: loadAccountSuspended,
    render: renderAccountSuspended,
    sample: {
      reason: 'Several buyers have paid for boats that do not exist.',
      until: '2027-03-01T10:00:00.000Z',
      notice: { ...sampleNotice, subject_type: 'user', restriction: 'account_suspended', explanation: null },
    },
  },
  'appeal-decided': {
    essential: true,
    load: loadAppealDecided,
    render: renderAppealDecided,
    sample: {
      granted: true,
      answer: 'The papers show that the boat is yours. We are sorry for the trouble.',
      url: 'https://boats.example.com/my/notices',
    },
  },
  'content-restricted': {
    essential: true,
    load: loadContentRestricted,
    render: renderContentRestricted,
    sample: { notice: sampleNotice, url: 'https://boats.example.com/my/notices' },
  },
  'listing-rejected': {
    essential: true,
    load: loadListingRejected,
    render: renderListingRejected,
    sample: {
      title: 'Hallberg-Rassy 36 Mk II',
      reason: 'The pictures show another boat.',
      notice: { ...sampleNotice, restriction: 'listing_removed' },
      notices_url: 'https://boats.example.com/my/notices',
      sell_url: 'https://boats.example.com/sell',
    },
  },
  'report-decided': {
    essential: true,
    load: loadReportDecided,
    render: renderReportDecided,
    sample: {
      type: 'listing',
      title: 'Hallberg-Rassy 36 Mk II',
      acted: true,
      url: 'https://boats.example.com/my/reports',
    },
  },
} satisfies Record<string, Template>;
