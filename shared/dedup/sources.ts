import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';

/** Where the facts of a listing that others were merged into were found: BoatSource of openapi.yaml. */
export type Sources = {
  portals: string[];
  original_urls: string[];
  original_descriptions: string[];
  dedup_id: string;
  first_seen?: string;
  last_scraped?: string;
  scrape_count?: number;
};

type Row = {
  id: string;
  group_id: string;
  description: string | null;
  known: Partial<Sources> | null;
  url: string | null;
  site: string | null;
  first_seen_at: Date | null;
  scraped_at: Date | null;
  scrape_count: number | null;
};

type Block = { [Name in Exclude<keyof Sources, 'dedup_id'>]: Sources[Name] | undefined };

const MAX_SOURCES = 100;

/**
 * The sources of a listing and of all that is merged into it at present, its own first; null when nothing is. What of the
 * others was never public is left out.
 */
export async function combineSources(tx: Tx, keptId: string): Promise<Sources | null> {
  const { rows } = await sql<Row>`
    select l.id, g.id as group_id, case when l.published_at is null and l.source <> 'scraped' then null else l.description end as description,
      coalesce(case when l.id <> ${keptId} then l.sources end, l.boat->'source') as known,
      s.url, s.site, s.first_seen_at, s.scraped_at, s.scrape_count
    from dedup_groups g join dedup_members m on m.group_id = g.id join listings l on l.id = m.listing_id
      left join listing_sources s on s.listing_id = l.id
    where g.canonical_id = ${keptId} and g.status = 'merged' and (l.id = ${keptId} or l.merged_into = ${keptId})
    order by l.id <> ${keptId}, g.resolved_at desc, g.id desc, l.id`.execute(tx);
  const [first] = rows;
  if (!first) return null;
  const all = [...new Map(rows.map((row) => [row.id, row])).values()].map(blockOf);
  const times = (name: 'first_seen' | 'last_scraped') => all.flatMap((block) => block[name] ?? []).toSorted();
  const [first_seen, last_scraped] = [times('first_seen').at(0), times('last_scraped').at(-1)];
  return {
    portals: union(all.map(({ portals }) => portals)),
    original_urls: union(all.map(({ original_urls }) => original_urls)),
    original_descriptions: union(all.map(({ original_descriptions }) => original_descriptions)),
    dedup_id: first.group_id,
    ...(first_seen !== undefined && { first_seen }),
    ...(last_scraped !== undefined && { last_scraped }),
    ...(last_scraped !== undefined && {
      scrape_count: all.reduce((sum, { scrape_count = 0 }) => sum + scrape_count, 0),
    }),
  };
}

/** What is known already, for a listing that others were merged into before, says more than its own page. */
function blockOf(row: Row): Block {
  const { known, url, site, description, first_seen_at, scraped_at } = row;
  return {
    portals: [...(known?.portals ?? []), ...(site === null ? [] : [site])],
    original_urls: [...(known?.original_urls ?? []), ...(url === null ? [] : [url])],
    original_descriptions: [...(description === null ? [] : [description]), ...(known?.original_descriptions ?? [])],
    first_seen: known?.first_seen ?? first_seen_at?.toISOString(),
    last_scraped: known?.last_scraped ?? scraped_at?.toISOString(),
    scrape_count: known?.scrape_count ?? row.scrape_count ?? 0,
  };
}

const union = (lists: readonly (readonly string[] | undefined)[]) =>
  [...new Set(lists.flatMap((list) => list ?? []))].slice(0, MAX_SOURCES);
