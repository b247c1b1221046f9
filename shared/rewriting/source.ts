import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../db/client.ts';

/** What a listing's texts are rewritten from. */
export type Source = {
  id: string;
  sellerId: string;
  title: string;
  description: string;
  longDescription: string | null;
  language: string;
  isScraped: boolean;
  brand: string | null;
  model: string | null;
  /** Names these texts: another text has another one. */
  hash: Buffer;
};

/** The hash of a Source, of a table of listings by that alias. */
export const sourceHash = (alias: string): RawBuilder<Buffer> => {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`sha256(convert_to(jsonb_build_array(${column('title')}, ${column('description')}, ${column('long_description')})::text, 'UTF8'))`;
};

/** The source_hash that keeps the text of a row shown while another is made; a completed one that names no source gets one that fits none. */
export const shownHash = (alias: string): RawBuilder<Buffer> =>
  sql`coalesce(${sql.ref(`${alias}.source_hash`)}, case when ${sql.ref(`${alias}.status`)} = 'completed' then ''::bytea end)`;

/** The texts of a listing as they stand; undefined when it is gone. */
export async function readSource(db: Database, listingId: string): Promise<Source | undefined> {
  const { rows } = await sql<Source>`
    select l.id, l.seller_id as "sellerId", l.title, l.description, l.long_description as "longDescription", l.language,
      l.source = 'scraped' as "isScraped", coalesce(l.boat->>'brand', l.attributes->>'brand') as brand,
      coalesce(l.boat->>'model', l.attributes->>'model') as model, ${sourceHash('l')} as hash
    from listings l where l.id = ${listingId} and l.status <> 'deleted'`.execute(db);
  return rows[0];
}

/** In the language that a seller wrote in, their own words stand; a scraped listing has no such author here. */
export function keepsOwnWords(source: Pick<Source, 'language' | 'isScraped'>, locale: string): boolean {
  return source.language === locale && !source.isScraped;
}
