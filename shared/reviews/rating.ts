import type { Database } from '../../db/client.ts';

/** How many reviews a seller has with each number of stars. */
export type Distribution = Record<1 | 2 | 3 | 4 | 5, number>;
export type Rating = { avg_rating: number; total_reviews: number };

/** The reviews that a user has received as a seller, counted by their stars; zeros for whoever has none. */
export async function distributionOf(db: Database, sellerId: string): Promise<Distribution> {
  const rows = await db
    .selectFrom('reviews')
    .select(['rating', (build) => build.fn.countAll<number>().as('total')])
    .where('seller_id', '=', sellerId)
    .where('removed_at', 'is', null)
    .groupBy('rating')
    .execute();
  const totals = new Map(rows.map(({ rating, total }) => [rating, total]));
  const of = (stars: number) => totals.get(stars) ?? 0;
  return { 1: of(1), 2: of(2), 3: of(3), 4: of(4), 5: of(5) };
}

/** The mean of those stars, to two decimals, and the number of reviews; 0 and 0 without any. */
export function summarize(distribution: Distribution): Rating {
  const counts = Object.entries(distribution);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const stars = counts.reduce((sum, [value, count]) => sum + Number(value) * count, 0);
  return { avg_rating: total === 0 ? 0 : Math.round((stars / total) * 100) / 100, total_reviews: total };
}

/** The mean rating of a user as a seller, 0 to 5 with two decimals, and the number of reviews behind it. */
export async function ratingOf(db: Database, userId: string): Promise<Rating> {
  return summarize(await distributionOf(db, userId));
}
