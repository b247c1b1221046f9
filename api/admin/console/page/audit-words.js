/** What each act is called where people read it, by the operation: kinds of acts that belong together stand together. */
export const actNames = {
  suspendUser: 'suspended',
  unsuspendUser: 'lifted the suspension',
  setUserRole: 'changed the role',
  logoutUser: 'logged out everywhere',
  resetSecondFactors: 'removed second factors',
  verifyUserEmail: 'took the address for proved',
  sendSignInLink: 'mailed a sign-in link',
  getUserDetail: 'looked at the account',
  getReportedSubject: 'looked at reports',
  decideReport: 'decided about reports',
  decideAppeal: 'decided about an appeal',
  approveListing: 'approved the listing',
  rejectListing: 'rejected the listing',
  editAnyListing: 'edited the listing',
  setAnyListingStatus: 'changed the status of the listing',
  deleteAnyListing: 'deleted the listing',
  restoreListing: 'restored the listing',
  publishBulk: 'published drafts',
  expireListings: 'let listings expire',
  notifyExpiring: 'reminded owners of listings that expire',
  deleteZeroImageListings: 'deleted listings without pictures',
  localizeImages: 'had missing pictures fetched',
  mergeDedupGroup: 'merged duplicates',
  bulkMergeDedupGroups: 'merged groups of duplicates',
  unmergeDedupGroup: 'took a merge back',
  rejectDedupGroup: 'rejected duplicates',
  scanDedup: 'looked for duplicates',
  scanAndMergeDedup: 'looked for duplicates and merged them',
  startDedupJob: 'started the search for duplicates',
  stopDedupJob: 'stopped the search for duplicates',
  refundOrder: 'gave a payment back',
  switchAnyWebhook: 'switched a webhook on or off',
  redeliverAny: 'posted a delivery again',
  addMarketplaceCategory: 'added a category',
  putMarketplaceCategory: 'changed a category',
  deleteMarketplaceCategory: 'removed a category',
  putMarketplaceAssetType: 'changed a template',
  deleteMarketplaceAssetType: 'removed a template',
  putSettings: 'changed settings',
  undoSettings: 'went back to earlier settings',
  putRates: 'set exchange rates',
  createScraper: 'made a scraper',
  updateScraper: 'changed a scraper',
  deleteScraper: 'deleted a scraper',
  tryScraperPage: 'tried a scraper on a page',
  startScraperRun: 'started a run of a scraper',
  cancelScraperRun: 'cancelled a run of a scraper',
  acceptScraperRun: 'accepted a run of a scraper',
  uploadFeed: 'uploaded a feed',
  previewFeed: 'tried a feed',
  learnSite: 'had a site learnt',
  cancelLearning: 'cancelled the learning of a site',
  startReimport: 'started a reimport',
  rewriteListing: 'had a listing rewritten',
  rewriteBatch: 'had listings rewritten',
  editListingRewrite: 'wrote a text of a listing',
  migrateRewrites: 'had texts rewritten',
  startRewriteMigration: 'started the rewriting of everything',
  stopRewriteMigration: 'stopped the rewriting of everything',
  cancelJob: 'cancelled a job',
  retryJob: 'had a job run again',
  pauseQueue: 'paused a queue',
  resumeQueue: 'resumed a queue',
  redriveQueue: 'had jobs run again that were given up',
  startBackup: 'started a backup',
  startReindex: 'had the search index built anew',
  listAuditEntries: 'exported the audit log',
};

/** What an act is called; one without words of its own by its operation, `doThis` as "do this". */
export const nameAct = (action) => actNames[action] ?? action.replaceAll(/(?<=[a-z])([A-Z])/g, ' $1').toLowerCase();

const MOST_NAMED = 3;

function tell(value) {
  if (Array.isArray(value)) return value.length > MOST_NAMED ? `${value.length} of them` : value.map(tell).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * What was sent with an act, beside what it was done to: a reason by itself, all else by name.
 * @param {{ data: Record<string, any>, subject: string | null }} entry
 */
export function tellSent({ data: { body, query, ...rest }, subject }) {
  const sent = Object.entries({ ...rest, ...query, ...body }).filter(
    ([, value]) => value !== null && value !== subject,
  );
  if (sent.length === 1 && sent[0][0] === 'reason') return sent[0][1];
  return sent.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${tell(value)}`).join('; ');
}
