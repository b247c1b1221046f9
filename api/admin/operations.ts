import { getAnalytics } from './analytics.ts';
import { startBackup } from './backup.ts';
import { startReindex } from './reindex.ts';
import { getConsole } from './console/serve.ts';
import { dedupHandlers } from './dedup-operations.ts';
import { expireListings, notifyExpiring } from './expire.ts';
import { previewFeed, uploadFeed } from './feeds.ts';
import { listExpiringListings } from './expiring.ts';
import { getDetailedHealth } from './health-detailed.ts';
import { getAdminHealth } from './health.ts';
import { deleteZeroImageListings, getImageStats, listZeroImageListings, localizeImages } from './images.ts';
import {
  addMarketplaceCategory,
  deleteMarketplaceCategory,
  listEditedCategories,
  putMarketplaceCategory,
} from './marketplace-categories.ts';
import { deleteMarketplaceAssetType, listEditedAssetTypes, putMarketplaceAssetType } from './marketplace-templates.ts';
import { getSettings, listSettingsVersions, putSettings, undoSettings } from './settings.ts';
import { getInventory } from './inventory.ts';
import { cancelJob, getJob, listJobs, retryJob } from './jobs.ts';
import { getCategoryKpis, getKpis } from './kpis.ts';
import { deleteAnyListing, editAnyListing, restoreListing, setAnyListingStatus } from './listing-changes.ts';
import { getListingRecord, listAllListings } from './listings.ts';
import { getAdminMetrics } from './metrics.ts';
import { listAuditEntries } from './audit.ts';
import { approveListing, listFlagged, listValidationQueue, rejectListing } from './moderation.ts';
import { getNauticalAnalytics, getNauticalTracking, getScrapeStats, listNauticalListings } from './nautical.ts';
import { findAnything } from './find-anything.ts';
import { getRevenue, listAllPayments, refundOrder } from './payments.ts';
import { getTimeSeries } from './timeseries.ts';
import {
  getAnyWebhook,
  listAllWebhooks,
  listAnyWebhookDeliveries,
  redeliverAny,
  switchAnyWebhook,
} from './webhooks.ts';
import { decideAppeal, decideReport, getReportedSubject, listAppeals, listReports } from './reports.ts';
import { listQueues, pauseQueue, redriveQueue, resumeQueue } from './queues.ts';
import { getRates, putRates } from './rates.ts';
import { listRecentRequests } from './recent-requests.ts';
import { listReimportChanges, listReimports, startReimport } from './reimports.ts';
import {
  getRewriteMigration,
  getRewriteService,
  getRewriteStatus,
  rewriteBatch,
  rewriteListing,
  startRewriteMigration,
  stopRewriteMigration,
} from './rewriting.ts';
import { listRewrites } from './rewrites.ts';
import { cancelLearning, getLearning, getLearningPage, learnSite } from './learning.ts';
import { acceptScraperRun, cancelScraperRun, listRuns, listScraperRuns, startScraperRun } from './runs.ts';
import { createScraper, getScraper, listScrapers, updateScraper } from './scrapers.ts';
import { deleteScraper, tryScraperPage } from './scraper-actions.ts';
import { getRunRecord, listRunHistory } from './run-history.ts';
import { getAdminStats } from './stats.ts';
import {
  logoutUser,
  resetSecondFactors,
  sendSignInLink,
  setUserRole,
  suspendUser,
  unsuspendUser,
  verifyUserEmail,
} from './change-users.ts';
import { getUserDetail, listUsers } from './users.ts';
import type { OperationId } from '../http/contract.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';

/** The operations of the tag `admin`, each its function. */
export const adminHandlers = {
  ...dedupHandlers,
  addMarketplaceCategory,
  deleteMarketplaceAssetType,
  deleteMarketplaceCategory,
  getSettings,
  listEditedAssetTypes,
  listEditedCategories,
  listSettingsVersions,
  putMarketplaceAssetType,
  putMarketplaceCategory,
  putSettings,
  undoSettings,
  getUserDetail,
  listAuditEntries,
  listUsers,
  logoutUser,
  resetSecondFactors,
  sendSignInLink,
  setUserRole,
  suspendUser,
  unsuspendUser,
  verifyUserEmail,
  acceptScraperRun,
  decideAppeal,
  decideReport,
  getReportedSubject,
  listAppeals,
  listReports,
  approveListing,
  cancelJob,
  cancelLearning,
  cancelScraperRun,
  createScraper,
  getLearning,
  getLearningPage,
  learnSite,
  deleteZeroImageListings,
  expireListings,
  getAdminHealth,
  getAdminMetrics,
  getAdminStats,
  getAnalytics,
  getCategoryKpis,
  getConsole,
  getDetailedHealth,
  getImageStats,
  getInventory,
  getJob,
  getKpis,
  getNauticalAnalytics,
  getNauticalTracking,
  getRates,
  getRewriteMigration,
  getRewriteService,
  getRewriteStatus,
  getScrapeStats,
  listExpiringListings,
  listFlagged,
  listJobs,
  listNauticalListings,
  listQueues,
  listRecentRequests,
  listReimportChanges,
  listReimports,
  listRewrites,
  listRuns,
  listScraperRuns,
  listScrapers,
  listValidationQueue,
  listZeroImageListings,
  localizeImages,
  notifyExpiring,
  pauseQueue,
  previewFeed,
  putRates,
  redriveQueue,
  rejectListing,
  resumeQueue,
  retryJob,
  rewriteBatch,
  rewriteListing,
  startBackup,
  startReimport,
  startReindex,
  startRewriteMigration,
  startScraperRun,
  stopRewriteMigration,
  updateScraper,
  uploadFeed,
  deleteScraper,
  getScraper,
  tryScraperPage,
  getRunRecord,
  listRunHistory,
  listAllPayments,
  getRevenue,
  refundOrder,
  listAllWebhooks,
  getAnyWebhook,
  switchAnyWebhook,
  listAnyWebhookDeliveries,
  redeliverAny,
  getTimeSeries,
  findAnything,
  listAllListings,
  getListingRecord,
  editAnyListing,
  setAnyListingStatus,
  deleteAnyListing,
  restoreListing,
} satisfies { [Op in OperationId]?: Handler<Op> | AuthenticatedHandler<Op> };
