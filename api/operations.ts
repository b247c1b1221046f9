import { createApiKey, listApiKeys, revokeApiKey } from './accounts/api-keys.ts';
import { listMyListings, listUserListings } from './accounts/listings.ts';
import { login } from './accounts/login.ts';
import { getMe } from './accounts/me.ts';
import { register } from './accounts/register.ts';
import { getAdminHealth } from './admin/health.ts';
import { cancelJob, getJob, listJobs, retryJob } from './admin/jobs.ts';
import { approveListing, listFlagged, listValidationQueue, rejectListing } from './admin/moderation.ts';
import { listQueues, pauseQueue, redriveQueue, resumeQueue } from './admin/queues.ts';
import { cancelScraperRun, listRuns, listScraperRuns, startScraperRun } from './admin/runs.ts';
import { createScraper, listScrapers, updateScraper } from './admin/scrapers.ts';
import { getAdminStats } from './admin/stats.ts';
import { getAssetType, listAssetTypes } from './catalog/asset-types.ts';
import { getCategory, listCategories, listCategoriesFlat } from './catalog/categories.ts';
import { getDocs } from './discovery/docs.ts';
import { getDiscovery, getOpenapiJson, getOpenapiYaml, getRobots } from './discovery/documents.ts';
import { getDatabaseHealth, getHealth } from './discovery/health.ts';
import { getMetrics } from './discovery/metrics.ts';
import { getListingSchema, getListingSchemaMarkdown, listSchemas } from './discovery/schemas.ts';
import { publishBulk } from './ingest/publish-bulk.ts';
import { ingestRecords } from './ingest/records.ts';
import { contactListingOwner } from './listings/contact.ts';
import { createListing } from './listings/create.ts';
import { addListingImages } from './listings/images.ts';
import { deleteListing } from './listings/delete.ts';
import { markListingSold } from './listings/mark-sold.ts';
import { flagListing } from './listings/flag.ts';
import { publishListing } from './listings/publish.ts';
import { getListing, getListingMarkdown } from './listings/read.ts';
import { renewListing } from './listings/renew.ts';
import { searchListings, searchListingsMarkdown } from './listings/search.ts';
import { setListingStatus } from './listings/status.ts';
import { updateListing } from './listings/update.ts';
import { suggest } from './search/suggest.ts';
import { uploadImage } from './uploads/upload.ts';
import type { AuthenticatedHandler, Handler, OperationId } from './http/types.ts';

/** Every operation of openapi.yaml and its function: a missing or an extra one does not compile. */
export const handlers: { [Op in OperationId]?: Handler<Op> | AuthenticatedHandler<Op> } = {
  addListingImages,
  approveListing,
  cancelJob,
  cancelScraperRun,
  contactListingOwner,
  createApiKey,
  createListing,
  createScraper,
  deleteListing,
  flagListing,
  getAdminHealth,
  getAdminStats,
  getAssetType,
  getCategory,
  getDatabaseHealth,
  getDiscovery,
  getDocs,
  getHealth,
  getJob,
  getListing,
  getListingMarkdown,
  getListingSchema,
  getListingSchemaMarkdown,
  getMe,
  getMetrics,
  getOpenapiJson,
  getOpenapiYaml,
  getRobots,
  ingestRecords,
  listApiKeys,
  listAssetTypes,
  listCategories,
  listCategoriesFlat,
  listFlagged,
  listJobs,
  listMyListings,
  listQueues,
  listRuns,
  listSchemas,
  listScraperRuns,
  listScrapers,
  listValidationQueue,
  listUserListings,
  login,
  markListingSold,
  pauseQueue,
  publishBulk,
  publishListing,
  redriveQueue,
  register,
  rejectListing,
  renewListing,
  resumeQueue,
  retryJob,
  revokeApiKey,
  searchListings,
  searchListingsMarkdown,
  setListingStatus,
  startScraperRun,
  updateListing,
  suggest,
  updateScraper,
  uploadImage,
};
