import assetTypes from '../../db/seed/asset-types.nautical.json' with { type: 'json' };
import categories from '../../db/seed/categories.nautical.json' with { type: 'json' };
import { commonQuotas, perMinute, type Profile } from './profile.ts';
import { parseAssetTypes, parseCategories } from './seed.ts';

/** The marketplace for boats and nautical equipment. */
export const nautical: Profile = {
  name: 'nautical',
  defaultSort: 'newest',
  locales: ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'],
  defaultLocale: 'en',
  responseCache: true,
  deleteMode: 'hard',
  sendsStatusEmails: true,
  unknownCategoryListsIds: true,
  restrictedStatusesOwnerOnly: true,
  rateLimits: {
    read: { anonymous: perMinute('read', 200, 'ip'), authenticated: perMinute('read', 600, 'user') },
    write: { anonymous: perMinute('write', 30, 'ip'), authenticated: perMinute('write', 30, 'user') },
    // Guessing passwords with a session of one's own must not raise the budget: always by address.
    credentials: {
      anonymous: perMinute('credentials', 10, 'ip'),
      authenticated: perMinute('credentials', 10, 'ip'),
    },
    upload: { anonymous: perMinute('upload', 20, 'ip'), authenticated: perMinute('upload', 20, 'user') },
    admin: { anonymous: perMinute('read', 200, 'ip'), authenticated: perMinute('admin', 1_000, 'user') },
  },
  quotas: {
    ...commonQuotas,
    listing_creation: [
      ...commonQuotas.listing_creation,
      { limit: 20, windowSeconds: 86_400, keyedBy: 'ip', adminsExempt: false },
    ],
  },
  categories: parseCategories(categories),
  assetTypes: parseAssetTypes(assetTypes),
};
