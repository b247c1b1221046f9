import type { Kysely, Selectable } from 'kysely';
import type { DB, RunFindings, Runs, Scrapers } from '../../db/types.gen.ts';
import { withoutCredentials } from '../../shared/kit/proxy-url.ts';
import { readCounters } from '../../shared/runs/runs.ts';

import { fillRatesOf } from '../../shared/scrapers/findings.ts';
import { noCounts } from '../../shared/scrapers/runs.ts';
import type { Result } from '../http/types.ts';

export type ScraperRow = Selectable<Scrapers>;
/** A run; what is said of its quarantine is there when it was read with `selectRuns`. */
export type RunRow = Selectable<Runs> &
  Partial<Pick<Selectable<RunFindings>, 'quarantine_reasons' | 'accepted_at' | 'counts'>>;
type Scraper = Result<'updateScraper', 200>;
export type Run = Result<'cancelScraperRun', 200>;

/** How many errors of a run are shown. */
const MAX_ERRORS = 50;

/** Runs of scrapers, with what they found and what their quarantine says. */
export function selectRuns(db: Kysely<DB>) {
  return db
    .selectFrom('runs')
    .leftJoin('run_findings', 'run_findings.run_id', 'runs.id')
    .where('kind', '=', 'scraper')
    .selectAll('runs')
    .select(['quarantine_reasons', 'accepted_at', 'counts']);
}

/** A scraper as the API shows it, with its newest run. */
export function presentScraper(row: ScraperRow, lastRun: RunRow | undefined): Scraper {
  return {
    id: row.id,
    name: row.name,
    site: row.site,
    kind: row.kind as Scraper['kind'],
    start_urls: row.start_urls,
    link_pattern: row.link_pattern,
    pagination_pattern: row.pagination_pattern,
    extract: row.extract as Scraper['extract'],
    feed: row.feed as Scraper['feed'],
    category_id: row.category_id,
    schedule: row.schedule,
    max_pages: row.max_pages,
    requests_per_minute: row.requests_per_minute,
    respect_robots: row.respect_robots,
    proxy_urls: row.proxy_urls?.map(withoutCredentials) ?? null,
    auto_publish: row.auto_publish,
    require_images: row.require_images,
    enabled: row.enabled,
    created_at: row.created_at.toISOString(),
    last_run: lastRun ? presentRun(lastRun) : null,
  };
}

/**
 * A run as the API shows it. Pages that robots.txt forbids count as skipped and pages that failed or are gone as failed,
 * beside the records that were; an error of the whole run comes first.
 */
export function presentRun(row: RunRow): Run {
  const counts = readCounters(noCounts, row.counters);
  const fillRates = fillRatesOf(row.counts);
  const ofTheRun =
    row.error === null ? [] : [{ message: row.error, at: (row.finished_at ?? row.updated_at).toISOString() }];
  return {
    id: row.id,
    scraper_id: row.subject,
    ...(row.job_id !== null && { job_id: row.job_id }),
    trigger: row.trigger as Run['trigger'],
    status: row.status as Run['status'],
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    pages_fetched: counts.pages_fetched,
    records_found: counts.records_found,
    created: counts.created,
    updated: counts.updated,
    unchanged: counts.unchanged,
    skipped: counts.skipped + counts.pages_skipped,
    failed: counts.failed + counts.pages_failed + counts.pages_gone,
    withdrawn: counts.withdrawn,
    ...(fillRates && { fill_rates: fillRates }),
    ...(row.quarantine_reasons && {
      quarantine: { reasons: row.quarantine_reasons, accepted_at: row.accepted_at?.toISOString() ?? null },
    }),
    errors: [...ofTheRun, ...(row.errors as Run['errors'])].slice(0, MAX_ERRORS),
  };
}
