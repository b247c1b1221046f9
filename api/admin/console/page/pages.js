import { page as audit } from './pages/audit.js';
import { page as duplicates } from './pages/duplicates.js';
import { page as jobs } from './pages/jobs.js';
import { page as listings } from './pages/listings.js';
import { page as moderation } from './pages/moderation.js';
import { page as overview } from './pages/overview.js';
import { page as people } from './pages/people.js';
import { page as payments } from './pages/payments.js';
import { page as reports } from './pages/reports.js';
import { page as requests } from './pages/requests.js';
import { page as rewriting } from './pages/rewriting.js';
import { page as runs } from './pages/runs.js';
import { page as scrapers } from './pages/scrapers.js';
import { page as settings } from './pages/settings.js';
import { page as upkeep } from './pages/upkeep.js';
import { page as webhooks } from './pages/webhooks.js';

/**
 * @typedef {object} Page
 * @property {string} path `#/name`; the name is also that of its icon
 * @property {string} title
 * @property {string} [short] the title where there is little room
 * @property {string} shortcut two keys, `g` and one more
 * @property {() => unknown} View
 * @property {(props: { id: string }) => unknown} [Detail] one thing of the page, at `#/name/id`, under its own heading
 * @property {'moderator'} [role] moderators have it too
 * @property {'nautical'} [profile] the only profile that has it
 * @property {(options: { signal: AbortSignal }) => Promise<number>} [count] what waits there, shown in the rail
 */

/** The pages in the order of the rail; the first is where one lands. @type {Page[]} */
export const pages = [
  overview,
  listings,
  people,
  reports,
  moderation,
  duplicates,
  payments,
  scrapers,
  rewriting,
  webhooks,
  runs,
  jobs,
  upkeep,
  requests,
  audit,
  settings,
];
