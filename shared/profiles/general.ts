import assetTypes from '../../db/seed/asset-types.general.json' with { type: 'json' };
import categories from '../../db/seed/categories.general.json' with { type: 'json' };
import { commonQuotas, perMinute, type Profile } from './profile.ts';
import { parseAssetTypes, parseCategories } from './seed.ts';

const everyCall = { anonymous: perMinute('all', 100, 'ip'), authenticated: perMinute('all', 300, 'user or key') };

/** The marketplace for everything. */
export const general: Profile = {
  name: 'general',
  defaultSort: 'relevance',
  locales: ['en'],
  defaultLocale: 'en',
  responseCache: false,
  deleteMode: 'soft',
  sendsStatusEmails: false,
  unknownCategoryListsIds: false,
  restrictedStatusesOwnerOnly: false,
  rateLimits: {
    read: everyCall,
    write: everyCall,
    credentials: everyCall,
    upload: everyCall,
    admin: everyCall,
  },
  quotas: commonQuotas,
  categories: parseCategories(categories),
  assetTypes: parseAssetTypes(assetTypes),
};
