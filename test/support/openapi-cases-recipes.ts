import type { OperationId } from '../../api/http/contract.ts';
import { pixel } from './openapi-cases-forms.ts';
import { settingsRecipes } from './recipes/settings.ts';
import {
  categoriesOf,
  connectApplication,
  createJob,
  createKey,
  createListing,
  createRun,
  createScraper,
  password,
} from './openapi-cases-things.ts';
import { newsletterRecipes } from './recipes/newsletter.ts';
import { accountRecipes } from './recipes/accounts.ts';
import { backupRecipes } from './recipes/backup.ts';
import { adminOverviewRecipes } from './recipes/admin-overview.ts';
import { conversationRecipes } from './recipes/conversations.ts';
import { dedupRecipes } from './recipes/dedup.ts';
import { dedupRunRecipes } from './recipes/dedup-runs.ts';
import { peopleRecipes } from './recipes/people.ts';
import { premiumRecipes } from './recipes/premium.ts';
import { pricingRecipes } from './recipes/pricing.ts';
import { fresh, ofListing, type Recipe } from './recipes/recipe.ts';
import { reimportRecipes } from './recipes/reimports.ts';
import { reportRecipes } from './recipes/reports.ts';
import { rentalRecipes } from './recipes/rentals.ts';
import { reviewRecipes } from './recipes/reviews.ts';
import { searchIndexRecipes } from './recipes/search-index.ts';
import { rewritingRecipes } from './recipes/rewriting.ts';
import { savedSearchRecipes } from './recipes/saved-searches.ts';
import { scraperRecipes } from './recipes/scrapers.ts';
import { signInRecipes } from './recipes/sign-in.ts';
import { webhookRecipes } from './recipes/webhooks.ts';

let pixels = 0;
const ofPicture = (name: string) => ({ form: [{ name, bytes: pixel((pixels += 1)) }] });

const ofScraper: Recipe = async ({ services, admin }) => ({ params: { id: await createScraper(services, admin) } });

/** The recipe of each operation that needs one; one without is sent the examples of the contract. */
export const recipes: Partial<Record<OperationId, Recipe>> = {
  ...backupRecipes,
  ...adminOverviewRecipes,
  ...conversationRecipes,
  ...dedupRecipes,
  ...dedupRunRecipes,
  ...reimportRecipes,
  ...rentalRecipes,
  ...reportRecipes,
  ...reviewRecipes,
  ...rewritingRecipes,
  ...searchIndexRecipes,
  ...accountRecipes,
  ...signInRecipes,
  ...savedSearchRecipes,
  ...webhookRecipes,
  ...newsletterRecipes,
  ...peopleRecipes,
  ...premiumRecipes,
  ...pricingRecipes,
  ...scraperRecipes,
  getListingClusters: () => ({
    query: [
      ['bbox', '9,54,11,55'],
      ['zoom', '9'],
    ],
  }),
  uploadImage: () => ofPicture('file'),
  addListingImages: async ({ services, owner }) => ({
    params: { id: (await createListing(services, owner, 'draft')).id },
    ...ofPicture('files'),
  }),
  register: (_, example) => ({ body: { ...(example as object), email: `${fresh()}@example.com` } }),
  changePassword: () => ({ body: { current: password, new: password } }),
  revokeApiKey: async ({ services, owner }) => ({ params: { id: (await createKey(services, owner, 'read')).id } }),
  disconnectApplication: async ({ services, owner }) => ({ params: { id: await connectApplication(services, owner) } }),
  createListing: ({ services }, example) => {
    const [category_id] = categoriesOf(services);
    return { body: { ...(example as object), title: `A boat of her own kind ${fresh()}`, category_id } };
  },
  ...settingsRecipes,
  getCategory: ({ services }) => ({ params: { id: categoriesOf(services)[0]! } }),
  getCategoryKpis: ({ services }) => ({ params: { category: categoriesOf(services)[0]! } }),
  getAssetType: ({ services }) => ({ params: { type: services.profile.assetTypes[0]!.id } }),
  suggest: () => ({ query: [['q', 'kestrel']] }),
  getListing: ofListing('active'),
  getListingMarkdown: ofListing('active'),
  publishListing: ofListing('draft'),
  updateListing: async ({ services, owner }) => ({
    params: { id: (await createListing(services, owner, 'active')).id },
    body: { price: { amount: 9_900, currency: 'EUR', negotiable: false }, tags: ['sound'] },
  }),
  setListingStatus: ofListing('active'),
  markListingSold: ofListing('active'),
  renewListing: ofListing('expired'),
  deleteListing: ofListing('paused'),
  listUserListings: ({ owner }) => ({ params: { id: owner.id } }),
  flagListing: ofListing('active'),
  contactListingOwner: ofListing('active'),
  findAnything: () => ({ query: [['q', 'kestrel']] }),
  getListingRecord: ofListing('active'),
  editAnyListing: ofListing('active'),
  setAnyListingStatus: ofListing('active'),
  deleteAnyListing: ofListing('paused'),
  restoreListing: ofListing('deleted'),
  approveListing: ofListing('flagged'),
  rejectListing: ofListing('flagged'),
  ingestRecords: (_, example) => {
    const [record] = (example as { records: object[] }).records;
    return { body: { records: [{ ...record, url: `https://boats.example.com/${fresh()}` }] } };
  },
  publishBulk: async ({ services, owner }) => ({ body: { ids: [(await createListing(services, owner, 'draft')).id] } }),
  updateScraper: ofScraper,
  getScraper: ofScraper,
  deleteScraper: ofScraper,
  tryScraperPage: ofScraper,
  getRunRecord: async ({ services, admin }) => ({
    params: { runId: await createRun(services, await createScraper(services, admin), 'failed') },
  }),
  listScraperRuns: ofScraper,
  startScraperRun: ofScraper,
  cancelScraperRun: async ({ services, admin }) => {
    const id = await createScraper(services, admin);
    return { params: { id, runId: await createRun(services, id, 'queued') } };
  },
  getJob: async ({ services }) => ({ params: { id: await createJob(services, 'queued') } }),
  cancelJob: async ({ services }) => ({ params: { id: await createJob(services, 'queued') } }),
  retryJob: async ({ services }) => ({ params: { id: await createJob(services, 'cancelled') } }),
};
