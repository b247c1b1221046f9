import type { Pool } from 'pg';

export type ImageStats = {
  listings: { total: number; with_images: number; without_images: number; waiting: number };
  stored: { pictures: number; bytes: number; unused_uploads: number };
  remote: { pending: number; stored: number; failed: number };
  failures: { reason: string; count: number }[];
};

const REASONS = 10;

/** How many listings show images, what is stored, and what became of images elsewhere on the web. Deleted listings do not count. */
export async function readImageStats(pool: Pool): Promise<ImageStats> {
  const [listings, stored, remote, failures] = await Promise.all([
    pool.query<{ total: number; without: number; waiting: number }>(
      `with shown as (
         select coalesce(sum(n), 0)::int as total from (
           select n from listing_counts where status <> 'deleted' union all select n from listing_count_deltas where status <> 'deleted') as c),
       bare as (select id from listings where images = '[]' and status <> 'deleted')
       select total, (select count(*)::int from bare) as without,
         (select count(*)::int from bare where id in (select listing_id from listing_images where status = 'pending')) as waiting
       from shown`,
    ),
    pool.query<ImageStats['stored']>(
      `select count(*)::int as pictures, coalesce(sum(bytes), 0)::bigint as bytes, (select count(distinct sha256)::int from uploads) as unused_uploads
       from images`,
    ),
    pool.query<{ status: keyof ImageStats['remote']; n: number }>(
      'select status, count(*)::int as n from listing_images group by status',
    ),
    pool.query<{ reason: string; count: number }>(
      `select coalesce(error, 'unknown') as reason, count(*)::int as count from listing_images where status = 'failed'
       group by 1 order by 2 desc, 1 limit ${REASONS}`,
    ),
  ]);
  const { total, without, waiting } = listings.rows[0]!;
  const byStatus = { pending: 0, stored: 0, failed: 0 };
  for (const { status, n } of remote.rows) byStatus[status] = n;
  return {
    listings: { total, with_images: Math.max(0, total - without), without_images: without, waiting },
    stored: stored.rows[0]!,
    remote: byStatus,
    failures: failures.rows,
  };
}
