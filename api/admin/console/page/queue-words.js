/** What a queue works at, in the words of whoever runs the marketplace; its own name where there are none. */
const words = {
  'send-email': 'Mails',
  'mail-account-link': 'Mails with a link to sign in',
  'send-digests': 'Mails about saved searches',
  'match-saved-searches': 'Saved searches',
  'deliver-webhook': 'Webhook deliveries',
  'resume-webhooks': 'Webhooks that wait',
  'index-listing': 'Search index',
  'reindex-search': 'Search index, built anew',
  'reconcile-search-index': 'Search index, compared',
  'drain-search-backlog': 'Search index, caught up',
  'dedup-listing': 'Duplicates of new listings',
  'dedup-scan': 'Search for duplicates',
  'dedup-reelect': 'Duplicates, chosen anew',
  'localize-images': 'Pictures of listings',
  'hash-images': 'Pictures to compare by',
  'check-scams': 'Signs of scams',
  'localize-rental-images': 'Pictures of rentals',
  'requeue-images': 'Missing pictures',
  'export-account': 'Accounts to export',
  'erase-account': 'Accounts to erase',
  'delete-pictures': 'Pictures to delete',
  'collect-pictures': 'Pictures nobody uses',
  'run-scraper': 'Scrapers',
  'learn-site': 'Sites that are learnt',
  'try-page': 'Pages that are tried',
  'refresh-listing': 'Scraped pages, looked at again',
  'queue-refreshes': 'Scraped pages that are due',
  'publish-scraped': 'Scraped drafts to publish',
  'ingest-record': 'Records from scrapers',
  'reimport-listings': 'Reimport',
  'rewrite-listing': 'Texts to rewrite',
  'rewrite-migration': 'Rewriting of everything',
  'draft-listing': 'Drafts from pictures',
  'backup-database': 'Backup',
  'move-listings': 'Listings of changed categories',
  'expire-listings': 'Listings that expire',
  'notify-expiring': 'Reminders before the end',
  'close-promotions': 'Promotions that end',
  'lapse-bookings': 'Bookings nobody answered',
  'align-publications': 'What suspended accounts have on show',
  'end-suspensions': 'Suspensions that end',
  'sweep-leavings': 'Accounts that have left',
  'end-lost-runs': 'Runs that were lost',
  'purge-old-rows': 'Old rows to delete',
  'fold-counts': 'Counts of listings',
  'keep-figures': 'Figures of the market',
  'settle-analytics': 'Analytics of the day',
  'refresh-suggestions': 'Suggestions of the search',
  'refresh-rates': 'Exchange rates',
  'sample-metrics': 'Plots of this console',
};

/** @param {string} name */
export const nameQueue = (name) =>
  name.endsWith('.dead') ? `${nameQueue(name.slice(0, -'.dead'.length))}, given up` : (words[name] ?? name);

const kinds = {
  backup: 'Backup',
  dedup: 'Search for duplicates',
  erase: 'Account to erase',
  export: 'Account to export',
  images: 'Missing pictures',
  learn: 'Learning a site',
  recategorize: 'Listings of changed categories',
  reimport: 'Reimport',
  reindex: 'Search index',
  'rewrite-migration': 'Rewriting of everything',
  scraper: 'Scraper',
};

/** The kinds of runs and their names. */
export const runKinds = Object.entries(kinds);

/** @param {string} kind */
export const nameRun = (kind) => kinds[kind] ?? kind;
