import type { Pool } from 'pg';
import { countActiveByCategory } from '../catalog/counts.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import { countListings } from './stats.ts';

type Users = Result<'getAdminMetrics', 200>['users'];

/** Listings by status, accounts by type, and how many categories hold something. */
export const getAdminMetrics: Handler<'getAdminMetrics'> = async ({ pool, catalog }) => {
  const [listings, users, count] = await Promise.all([
    countListings(pool),
    countUsers(pool),
    countActiveByCategory(pool, catalog),
  ]);
  const categories = catalog.flat();
  const with_listings = categories.filter(({ id }) => count(id) > 0).length;
  return {
    status: 200,
    body: {
      listings: { by_status: listings.by_status },
      users,
      categories: { total: categories.length, with_listings },
    },
  };
};

async function countUsers(pool: Pool): Promise<Users> {
  const { rows } = await pool.query<{ total: number; human: number; agent: number; verified: number }>({
    name: 'users-by-type',
    text: `select count(*)::int as total, count(*) filter (where type = 'human')::int as human,
             count(*) filter (where type = 'agent')::int as agent, count(*) filter (where verified)::int as verified from users`,
  });
  const { total, human, agent, verified } = rows[0]!;
  return { total, by_type: { human, agent }, verified };
}
