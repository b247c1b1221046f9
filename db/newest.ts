import { sql, type SelectQueryBuilder } from 'kysely';

/** One page of the rows that a query finds, from page 1 on, newest first, and how many there are on all pages. */
export async function readNewest<DB, Tables extends keyof DB, Row>(
  found: SelectQueryBuilder<DB, Tables, Row>,
  { page, limit }: { page: number; limit: number },
) {
  const rows = await found
    .orderBy(sql.ref('created_at'), 'desc')
    .orderBy(sql.ref('id'), 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const counted = sql<number>`count(*)::int`.as('total');
  const { total } = await found.clearSelect().select(counted).$castTo<{ total: number }>().executeTakeFirstOrThrow();
  return { rows, total };
}
