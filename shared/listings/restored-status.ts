import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';

/**
 * What gives a listing a status back that it had before: of a seller who is suspended, or has left, it stays hidden, and has that
 * status again when the suspension ends. What scrapers have brought in is the marketplace's, whoever set them up.
 */
export async function restoredStatus(
  tx: Tx,
  { id, seller_id }: { id: string; seller_id: string },
  status: string,
): Promise<{ status: string; suspended_status: string | null }> {
  const { rows } = await sql<{ is_hidden: boolean }>`
    select disabled_at is not null and not exists (
      select from listing_sources where listing_id = ${id} and scraper_id is not null) as is_hidden
    from users where id = ${seller_id} for key share`.execute(tx);
  const isHidden = rows[0]?.is_hidden === true && ['active', 'paused'].includes(status);
  return isHidden ? { status: 'suspended', suspended_status: status } : { status, suspended_status: null };
}
