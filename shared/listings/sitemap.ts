import type { Pool } from 'pg';

/** The protocol's limit of addresses in one file. */
export const MAX_SITEMAP_URLS = 50_000;

/** `changed` as W3C Datetime has it, in UTC. */
export type SitemapEntry = { slug: string; changed: string };

const columns = `slug, to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed`;

/** How many files the addresses of all public listings take. */
export async function countSitemapPages(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from listings where status = 'active'`,
  );
  return Math.ceil((rows[0]?.count ?? 0) / MAX_SITEMAP_URLS);
}

/** Public listings in order of their ids, which grow with time: pages before the last one hardly change. */
export async function readSitemapPage(pool: Pool, page: number): Promise<SitemapEntry[]> {
  const { rows } = await pool.query<SitemapEntry>(
    `select ${columns} from listings where status = 'active' and id >= (
       select id from listings where status = 'active' order by id offset $1 limit 1)
     order by id limit ${MAX_SITEMAP_URLS}`,
    [(page - 1) * MAX_SITEMAP_URLS],
  );
  return rows;
}

/** The newest public rentals, as many as one file holds beside the fixed pages. */
export async function readSitemapRentals(pool: Pool): Promise<SitemapEntry[]> {
  const { rows } = await pool.query<SitemapEntry>(
    `select ${columns} from rentals where status = 'active' order by id desc limit ${MAX_SITEMAP_URLS / 2}`,
  );
  return rows;
}
