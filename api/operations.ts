import { createApiKey, listApiKeys, revokeApiKey } from './accounts/api-keys.ts';
import { login } from './accounts/login.ts';
import { getMe } from './accounts/me.ts';
import { register } from './accounts/register.ts';
import { getAdminHealth } from './admin/health.ts';
import { cancelJob, getJob, listJobs, retryJob } from './admin/jobs.ts';
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
import { createListing } from './listings/create.ts';
import { publishListing } from './listings/publish.ts';
import { getListing, getListingMarkdown } from './listings/read.ts';
import { searchListings, searchListingsMarkdown } from './listings/search.ts';
import type { AuthenticatedHandler, Handler, OperationId } from './http/types.ts';

/** Every operation of openapi.yaml and its function: a missing or an extra one does not compile. */
export const handlers: { [Op in OperationId]?: Handler<Op> | AuthenticatedHandler<Op> } = {
  cancelJob,
  cancelScraperRun,
  createApiKey,
  createListing,
  createScraper,
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
  listJobs,
  listQueues,
  listRuns,
  listSchemas,
  listScraperRuns,
  listScrapers,
  login,
  pauseQueue,
  publishBulk,
  publishListing,
  redriveQueue,
  register,
  resumeQueue,
  retryJob,
  revokeApiKey,
  searchListings,
  searchListingsMarkdown,
  startScraperRun,
  updateScraper,
};
