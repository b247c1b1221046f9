import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import type { OperationId } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { callers, createWorld, readyRequest, type Caller, type World } from '../support/openapi-cases-world.ts';
import { createSender, readCases, toWire, type Send } from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';

type Row = Record<Caller, number>;

/** Nobody's credential is looked at. */
const blind = (status: number): Row => row(status, { bad: status, keys: [status, status, status] });
/** Open to everybody, but whoever brings a credential must bring a good one. */
const open = (status: number): Row => row(status, { keys: [status, status, status] });
/** Open to every session and every key. */
const signedIn = (status: number): Row => row(status, { anonymous: 401, keys: [status, status, status] });
/** Changes something: keys need the permission. */
const writing = (status: number): Row => row(status, { anonymous: 401, keys: [403, status, status] });
/** Sessions only. */
const session = (status: number): Row => row(status, { anonymous: 401, keys: [403, 403, 403] });
/** Sessions of admins only. */
const admins = (status: number): Row => ({ ...session(403), admin: status });

function row(
  status: number,
  { anonymous = status, bad = 401, keys }: { anonymous?: number; bad?: number; keys: [number, number, number] },
): Row {
  const [readKey, writeKey, adminKey] = keys;
  return {
    anonymous,
    badToken: bad,
    expired: bad,
    revoked: bad,
    readKey,
    writeKey,
    adminKey,
    owner: status,
    other: status,
    admin: status,
  };
}

/**
 * What each caller is answered to a request that succeeds for whoever is entitled. `owner` owns what the request names,
 * and the read and write keys; `other` is a stranger; the admin key is `admin`'s, who owns nothing here.
 */
const expected: Record<OperationId, Row> = {
  register: blind(201),
  login: blind(200),
  requestMagicLink: blind(200),
  verifyMagicLink: blind(200),
  requestPasswordReset: blind(200),
  confirmPasswordReset: blind(200),
  verifyEmail: blind(200),
  resendVerification: writing(200),
  logoutAll: session(200),
  changePassword: session(200),
  listSessions: session(200),
  endSession: { ...session(200), other: 404, admin: 404 },
  getTotp: session(200),
  startTotp: session(200),
  confirmTotp: { ...session(200), other: 400, admin: 400 },
  removeTotp: session(200),
  listPasskeys: session(200),
  createPasskey: { ...session(201), other: 400, admin: 400 },
  createPasskeyOptions: session(200),
  deletePasskey: { ...session(200), other: 404, admin: 404 },
  createPasskeyLoginOptions: blind(200),
  loginWithPasskey: blind(200),
  getMe: signedIn(200),
  updateMe: writing(200),
  // Of the world's administrators there is one.
  deleteMe: { ...session(200), admin: 409 },
  getExport: session(200),
  requestExport: session(202),
  downloadExport: blind(200),
  getUser: open(200),
  getAccountPage: blind(200),
  getConsole: blind(200),
  listMyListings: signedIn(200),
  listMyExpiringListings: signedIn(200),
  listUserListings: open(200),
  listApiKeys: signedIn(200),
  createApiKey: session(201),
  revokeApiKey: { ...session(200), other: 403, admin: 403 },
  listConnectedApplications: session(200),
  disconnectApplication: { ...session(200), other: 403, admin: 403 },

  recommendPrice: open(200),
  assessPrice: open(200),

  listFavorites: signedIn(200),
  addFavorite: writing(200),
  removeFavorite: writing(200),
  listSavedSearches: signedIn(200),
  createSavedSearch: writing(201),
  updateSavedSearch: { ...writing(200), adminKey: 404, other: 404, admin: 404 },
  deleteSavedSearch: { ...writing(200), adminKey: 404, other: 404, admin: 404 },
  showUnsubscribe: blind(200),
  unsubscribe: blind(200),

  listCategories: open(200),
  listCategoriesFlat: open(200),
  getCategory: open(200),
  listAssetTypes: open(200),
  getAssetType: open(200),

  searchListings: open(200),
  getListingClusters: open(200),
  multiSearchListings: open(200),
  searchListingsMarkdown: open(200),
  suggest: open(200),
  getListing: open(200),
  getListingMarkdown: open(200),
  createListing: writing(201),
  flagListing: writing(201),
  contactListingOwner: row(201, { keys: [403, 201, 201] }),
  publishListing: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  updateListing: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  setListingStatus: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  markListingSold: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  renewListing: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  deleteListing: { ...writing(200), adminKey: 403, other: 403, admin: 403 },

  editListingRewrite: { ...writing(200), other: 403 },
  deleteListingRewrite: { ...writing(200), other: 403 },

  createPremiumCheckout: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  getPremiumStatus: open(200),
  listMyPayments: signedIn(200),
  getPaymentStatus: blind(200),
  getCheckoutReturn: blind(200),
  receivePaymentEvent: blind(200),
  getStubCheckout: blind(200),
  completeStubCheckout: blind(200),

  addListingImages: { ...writing(201), adminKey: 403, other: 403, admin: 403 },
  uploadImage: writing(201),

  subscribeNewsletter: blind(200),
  unsubscribeNewsletter: blind(200),
  countNewsletterSubscribers: open(200),
  trackEvent: open(200),

  listConversations: signedIn(200),
  startConversation: writing(201),
  getConversation: { ...signedIn(200), adminKey: 404, other: 404, admin: 404 },
  sendMessage: { ...writing(201), adminKey: 404, other: 404, admin: 404 },
  markConversationRead: { ...writing(200), adminKey: 404, other: 404, admin: 404 },

  createReview: { ...writing(201), adminKey: 403, other: 403, admin: 403 },
  listListingReviews: open(200),
  replyToReview: { ...writing(201), adminKey: 403, other: 403, admin: 403 },
  listUserReviews: open(200),
  getUserRating: open(200),

  listRentals: open(200),
  listRentalsMarkdown: open(200),
  createRental: writing(201),
  getRentalAvailability: open(200),
  getRental: open(200),
  getRentalMarkdown: open(200),
  updateRental: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  deleteRental: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  listMyRentals: signedIn(200),
  createBooking: { ...writing(201), other: 403 },
  listRentalBookings: { ...signedIn(200), adminKey: 403, other: 403, admin: 403 },
  confirmBooking: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  declineBooking: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  cancelBooking: { ...writing(200), adminKey: 403, admin: 403 },
  listMyBookings: signedIn(200),

  listEvents: signedIn(200),
  streamEvents: signedIn(200),
  createWebhook: writing(201),
  listWebhooks: signedIn(200),
  getWebhook: { ...signedIn(200), adminKey: 404, other: 404, admin: 404 },
  updateWebhook: { ...writing(200), adminKey: 404, other: 404, admin: 404 },
  deleteWebhook: { ...writing(200), adminKey: 404, other: 404, admin: 404 },
  testWebhook: { ...writing(200), adminKey: 404, other: 404, admin: 404 },
  rotateWebhookSecret: { ...writing(200), adminKey: 404, other: 404, admin: 404 },
  listWebhookDeliveries: { ...signedIn(200), adminKey: 404, other: 404, admin: 404 },
  retryWebhookDelivery: { ...writing(202), adminKey: 404, other: 404, admin: 404 },

  ingestRecords: writing(200),
  publishBulk: writing(200),
  reimportRecords: writing(200),
  nextRefreshes: writing(200),
  processRefreshes: writing(202),
  getRefreshStats: signedIn(200),

  getAdminStats: admins(200),
  generateListingDraft: session(200),
  getListingDraft: { ...session(200), other: 404, admin: 404 },
  getRewriteMigration: admins(200),
  getRewriteService: admins(200),
  getRewriteStatus: admins(200),
  listRewrites: admins(200),
  rewriteBatch: admins(202),
  rewriteListing: admins(202),
  startRewriteMigration: admins(202),
  stopRewriteMigration: admins(202),
  migrateRewrites: { ...admins(200), adminKey: 200 },
  getAdminHealth: admins(200),
  getAdminMetrics: admins(200),
  getInventory: admins(200),
  getDetailedHealth: admins(200),
  listRecentRequests: admins(200),
  getKpis: admins(200),
  getCategoryKpis: admins(200),
  getImageStats: admins(200),
  listZeroImageListings: admins(200),
  deleteZeroImageListings: admins(200),
  localizeImages: admins(202),
  listDedupGroups: admins(200),
  getDedupGroup: admins(200),
  getDedupStats: admins(200),
  mergeDedupGroup: admins(200),
  unmergeDedupGroup: admins(200),
  rejectDedupGroup: admins(200),
  bulkMergeDedupGroups: admins(200),
  scanDedup: admins(200),
  scanAndMergeDedup: admins(200),
  startDedupJob: admins(202),
  stopDedupJob: admins(202),
  getDedupJob: admins(200),
  listDedupJobs: admins(200),
  expireListings: admins(200),
  notifyExpiring: admins(200),
  getNauticalAnalytics: admins(200),
  getNauticalTracking: admins(200),
  getScrapeStats: admins(200),
  listNauticalListings: admins(200),
  getAnalytics: admins(200),
  listExpiringListings: admins(200),
  approveListing: admins(200),
  rejectListing: admins(200),
  listValidationQueue: admins(200),
  listFlagged: admins(200),
  listAllPayments: admins(200),
  getRevenue: admins(200),
  refundOrder: admins(200),
  listAllWebhooks: admins(200),
  getAnyWebhook: admins(200),
  switchAnyWebhook: admins(200),
  listAnyWebhookDeliveries: admins(200),
  redeliverAny: admins(202),
  getTimeSeries: admins(200),
  findAnything: admins(200),
  listAllListings: admins(200),
  getListingRecord: admins(200),
  editAnyListing: admins(200),
  setAnyListingStatus: admins(200),
  deleteAnyListing: admins(200),
  restoreListing: admins(200),
  listScrapers: admins(200),
  createScraper: admins(201),
  getScraper: admins(200),
  deleteScraper: admins(200),
  tryScraperPage: admins(202),
  listRunHistory: admins(200),
  getRunRecord: admins(200),
  updateScraper: admins(200),
  listScraperRuns: admins(200),
  startBackup: admins(202),
  startReindex: admins(202),
  startReimport: admins(202),
  listReimports: admins(200),
  listReimportChanges: admins(200),
  startScraperRun: admins(202),
  cancelScraperRun: admins(200),
  acceptScraperRun: admins(200),
  uploadFeed: admins(202),
  previewFeed: admins(200),
  learnSite: admins(202),
  getLearning: admins(200),
  cancelLearning: admins(200),
  getLearningPage: admins(200),
  listRuns: admins(200),
  listJobs: admins(200),
  getJob: admins(200),
  cancelJob: admins(200),
  retryJob: admins(200),
  listQueues: admins(200),
  pauseQueue: admins(200),
  resumeQueue: admins(200),
  redriveQueue: admins(200),
  listEditedCategories: admins(200),
  addMarketplaceCategory: admins(201),
  putMarketplaceCategory: admins(200),
  deleteMarketplaceCategory: admins(200),
  listEditedAssetTypes: admins(200),
  putMarketplaceAssetType: admins(200),
  deleteMarketplaceAssetType: admins(200),
  getSettings: admins(200),
  putSettings: admins(200),
  listSettingsVersions: admins(200),
  undoSettings: admins(200),
  getRates: admins(200),
  putRates: admins(200),

  listUsers: admins(200),
  getUserDetail: admins(200),
  suspendUser: admins(200),
  unsuspendUser: admins(200),
  setUserRole: admins(200),
  logoutUser: admins(200),
  verifyUserEmail: admins(200),
  resetSecondFactors: admins(200),
  sendSignInLink: admins(202),
  listAuditEntries: admins(200),
  createReport: writing(202),
  listMyReports: signedIn(200),
  listMyNotices: signedIn(200),
  appealNotice: { ...writing(202), adminKey: 404, other: 404, admin: 404 },
  appealListing: { ...writing(202), adminKey: 403, other: 403, admin: 403 },
  listReports: admins(200),
  getReportedSubject: admins(200),
  decideReport: admins(200),
  listAppeals: admins(200),
  decideAppeal: admins(200),
  getMyTrader: signedIn(200),
  declareTrader: session(200),
  withdrawTrader: session(200),
  listBlocks: signedIn(200),
  blockUser: writing(200),
  unblockUser: writing(200),

  getHealth: blind(200),
  getDatabaseHealth: blind(200),
  getMetrics: admins(200),
  getDiscovery: blind(200),
  getRobots: blind(200),
  getSecurityTxt: blind(200),
  getManifest: blind(200),
  getLlms: blind(200),
  getLlmsFull: blind(200),
  getApiCatalog: blind(200),
  getAgentCard: blind(200),
  getOpenapiSlice: open(200),
  getReference: open(200),
  getOperationReference: open(200),
  getSitemap: open(200),
  getSitemapPage: open(200),
  getListingsAtom: open(200),
  getListingsRss: open(200),
  getProducts: open(200),
  getOpenapiJson: open(200),
  getOpenapiYaml: open(200),
  getDocs: open(200),
  listSchemas: open(200),
  getListingSchema: open(200),
  getListingSchemaMarkdown: open(200),
};

const cases = readCases(readContract());

let app: TestApp;
let world: World;
let send: Send;
beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app.services);
  send = createSender(app.url, createResponseChecker(app.services.contract));
});
afterAll(async () => {
  await app.close();
});

test('every operation of openapi.yaml has its row, and no row is about anything else', () => {
  expect(Object.keys(expected).toSorted()).toEqual(cases.map(({ id }) => String(id)).toSorted());
});

describe('who is answered what', () => {
  test.each(cases.map((each) => [each.id, each] as const))('%s', async (id, each) => {
    const statuses: Partial<Row> = {};
    for (const caller of callers) {
      const ready = await readyRequest(world, each);
      statuses[caller] = (await send(toWire(each, { ...ready, token: world.tokens[caller] }))).status;
    }
    expect(statuses).toEqual(expected[id]);
  });
});

describe('401 and 403 come before anything is said about the request itself', () => {
  const closed = cases.filter(({ operation }) => operation.auth.required);

  test.each(closed.map((each) => [each.id, each] as const))('%s', async (_id, each) => {
    const params = Object.fromEntries(
      each.parameters.filter((each) => each.in === 'path').map(({ name }) => [name, 'no such thing']),
    );
    const nonsense = {
      params,
      query: [['x_unknown', '%ff']] as [string, string][],
      headers: { 'Content-Type': 'text/plain' },
      text: '{',
    };
    expect((await send(toWire(each, nonsense))).status).toBe(401);
    const refused = callers.filter(
      (caller) => expected[each.id][caller] === 403 && expected[each.id].owner !== expected[each.id][caller],
    );
    if (!refused.includes('readKey')) return;
    expect((await send(toWire(each, { ...nonsense, token: world.tokens.readKey }))).status).toBe(403);
  });
});
