import type { TestApp } from './app.ts';

export type StoredGroup = { id: string; status: string; members: string[] };

/** Leaves no listing, no group, and no search for duplicates behind. */
export async function forgetDuplicates({ database: { pool } }: Pick<TestApp, 'database'>): Promise<void> {
  await pool.query(`delete from runs where kind = 'dedup'`);
  await pool.query('truncate dedup_words, dedup_rejections, dedup_members, dedup_groups');
  await pool.query('delete from listings');
  await pool.query(`delete from pgboss.job where name like 'dedup-%'`);
}

/** All groups, decided or not, by their members. */
export async function readGroups({ database }: Pick<TestApp, 'database'>): Promise<StoredGroup[]> {
  const { rows } = await database.pool.query<StoredGroup>(
    `select g.id, g.status, array_agg(m.listing_id order by m.listing_id) as members
     from dedup_groups g join dedup_members m on m.group_id = g.id group by g.id order by 3`,
  );
  return rows;
}
