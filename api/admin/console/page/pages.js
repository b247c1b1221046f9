import { page as duplicates } from './pages/duplicates.js';
import { page as jobs } from './pages/jobs.js';
import { page as moderation } from './pages/moderation.js';
import { page as overview } from './pages/overview.js';
import { page as requests } from './pages/requests.js';
import { page as rewriting } from './pages/rewriting.js';
import { page as runs } from './pages/runs.js';
import { page as scrapers } from './pages/scrapers.js';
import { page as upkeep } from './pages/upkeep.js';

/**
 * @typedef {object} Page
 * @property {string} path `#/name`; the name is also that of its icon
 * @property {string} title
 * @property {string} [short] the title where there is little room
 * @property {string} shortcut two keys, `g` and one more
 * @property {() => unknown} View
 * @property {'nautical'} [profile] the only profile that has it
 * @property {(options: { signal: AbortSignal }) => Promise<number>} [count] what waits there, shown in the rail
 */

/** The pages in the order of the rail; the first is where one lands. @type {Page[]} */
export const pages = [overview, moderation, duplicates, rewriting, jobs, runs, scrapers, upkeep, requests];
