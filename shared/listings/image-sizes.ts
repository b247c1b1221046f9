import type { Pool } from 'pg';

/** A size in pixels. */
export type ImageSize = { width: number; height: number };

/** The sizes of stored images by their SHA-256, as of the larger file of each; those that are gone are left out. */
export async function findImageSizes(pool: Pool, sha256: readonly string[]): Promise<Map<string, ImageSize>> {
  const { rows } = await pool.query<ImageSize & { sha256: string }>({
    name: 'image-sizes',
    text: 'select sha256, width, height from images where sha256 = any($1::text[])',
    values: [sha256],
  });
  return new Map(rows.map(({ sha256: hash, width, height }) => [hash, { width, height }]));
}
