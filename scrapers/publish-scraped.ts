import { inTransaction } from '../db/client.ts';
import { addMilliseconds, MINUTE_MS, SECOND_MS } from '../shared/kit/clock.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { publishDrafts } from '../shared/listings/publish.ts';
import { isInQuarantine } from '../shared/scrapers/quarantine.ts';
import type { ScraperServices } from './services.ts';

/** About a day, with the pauses below. */
const MAX_ROUNDS = 100;

/**
 * Publishes the drafts of a scraper that publishes by itself: those whose images are stored, or known not to come. Others
 * are looked at again, ever more slowly, for about a day. What moderation or the scraper's demands refuse stays a draft,
 * and so does everything while the last run is in quarantine.
 */
export const publishScraped: JobHandler<ScraperServices, 'publish-scraped'> = async (
  services,
  { scraper_id: scraperId, round = 0 },
  { signal },
) => {
  const { db, jobs, clock } = services;
  const scraper = await db
    .selectFrom('scrapers')
    .select(['owner_id', 'auto_publish'])
    .where('id', '=', scraperId)
    .executeTakeFirst();
  if (!scraper?.auto_publish) return { skipped: 'the scraper does not publish by itself' };
  if (await isInQuarantine(db, scraperId)) return { skipped: 'the last run is in quarantine' };
  const drafts = await readDrafts(services, scraperId);
  const ready = drafts.filter((draft) => !draft.waits).map((draft) => draft.id);
  const waiting = drafts.length - ready.length;
  const { published, failed } = await publishDrafts(services, ready, { sellerId: undefined }, signal);
  if (waiting > 0 && round < MAX_ROUNDS) {
    const startAfter = addMilliseconds(clock.now(), Math.min(15 * MINUTE_MS, 2 * SECOND_MS * 2 ** round));
    await inTransaction(db, (tx) =>
      jobs.enqueue(
        tx,
        'publish-scraped',
        { scraper_id: scraperId, round: round + 1 },
        { key: `${scraperId}:later`, startAfter },
      ),
    );
  }
  return { published, refused: failed.length, waiting };
};

/** The drafts of a scraper that their pages have not withdrawn, oldest first, and whether images of theirs are still on their way. */
async function readDrafts({ pool }: ScraperServices, scraperId: string): Promise<{ id: string; waits: boolean }[]> {
  const { rows } = await pool.query<{ id: string; waits: boolean }>(
    `select l.id, exists (select from listing_images i where i.listing_id = l.id and i.status = 'pending') as waits
     from listing_sources s join listings l on l.id = s.listing_id
     where s.scraper_id = $1 and l.status = 'draft' and s.withdrawn_at is null order by l.id`,
    [scraperId],
  );
  return rows;
}
