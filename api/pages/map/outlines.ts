import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { MAX_OUTLINE_ZOOM, OUTLINE_SIDE } from './mercator.ts';

/** What a tile draws beyond its edges, so that no gap is seen between two. */
export const OUTLINE_OVERLAP = 8;

const packed = readFileSync(new URL('outlines.json.gz', import.meta.url));

/** Changes with the outlines. */
export const outlinesVersion = createHash('sha256').update(packed).digest('hex').slice(0, 12);

let paths: Map<string, string> | undefined;

/** One tile of the world in Web Mercator (`z/x/y`) as an SVG image of its land and borders; undefined where there is no such tile. */
export function drawOutlines(zoom: number, x: number, y: number): string | undefined {
  if (zoom > MAX_OUTLINE_ZOOM || x >= 2 ** zoom || y >= 2 ** zoom) return undefined;
  paths ??= new Map(Object.entries(JSON.parse(gunzipSync(packed).toString('utf8')) as Record<string, string>));
  const [from, side] = [-OUTLINE_OVERLAP, OUTLINE_SIDE + 2 * OUTLINE_OVERLAP];
  const land = paths.get(`${zoom}/${x}/${y}`) ?? '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="${from} ${from} ${side} ${side}"><path d="${land}" fill="#fff" fill-rule="evenodd" stroke="#8d99a6" stroke-width="6"/></svg>`;
}
