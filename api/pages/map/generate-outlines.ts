// Writes outlines.json.gz, the land and the borders of the built-in map: npm run generate:outlines. The data is Natural Earth's
// (public domain) as world-atlas has it; the licence stands in outlines.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import GeoJsonVt from 'geojson-vt';
import { feature } from 'topojson-client';
import { MAX_OUTLINE_ZOOM, OUTLINE_SIDE } from './mercator.ts';

type Topology = Parameters<typeof feature>[0];
type SliceOptions = ConstructorParameters<typeof GeoJsonVt>[1];
type Ring = [x: number, y: number][];

const path = createRequire(import.meta.url).resolve('world-atlas/countries-10m.json');
const topology = JSON.parse(readFileSync(path, 'utf8')) as Topology;
const countries = feature(topology, topology.objects.countries!);
for (const { geometry } of 'features' in countries ? countries.features : []) {
  if (geometry.type === 'Polygon') geometry.coordinates = geometry.coordinates.map(unwrap);
  if (geometry.type === 'MultiPolygon')
    geometry.coordinates = geometry.coordinates.map((polygon) => polygon.map(unwrap));
}

/** The largest tiles are drawn larger still on closer maps: they keep more of the coast. */
const coarse = { maxZoom: MAX_OUTLINE_ZOOM, indexMaxZoom: 5, extent: 512, buffer: 8, tolerance: 2 };
const fine = { maxZoom: MAX_OUTLINE_ZOOM + 1, indexMaxZoom: 5, extent: OUTLINE_SIDE, buffer: 32, tolerance: 2 };
const tiles: Record<string, string> = {};
for (let zoom = 0; zoom <= MAX_OUTLINE_ZOOM; zoom += 1) addZoom(zoom, zoom < MAX_OUTLINE_ZOOM ? coarse : fine);
const packed = gzipSync(JSON.stringify(tiles), { level: 9 });
writeFileSync(new URL('outlines.json.gz', import.meta.url), packed);
console.log(`${Object.keys(tiles).length} tiles, ${packed.length} bytes`);

function addZoom(zoom: number, options: SliceOptions & { extent: number }): void {
  const slices = sliced(options);
  for (let x = 0; x < 2 ** zoom; x += 1)
    for (let y = 0; y < 2 ** zoom; y += 1) {
      const rings = (slices.getTile(zoom, x, y)?.features ?? []).flatMap(({ geometry }) => geometry as Ring[]);
      const drawn = rings.map((ring) => draw(ring, OUTLINE_SIDE / options.extent)).join('');
      if (drawn !== '') tiles[`${zoom}/${x}/${y}`] = drawn;
    }
}

/**
 * A ring without jumps across the antimeridian, which world-atlas' are sewn together at: it goes on beyond 180 degrees. One that
 * goes around the world, Antarctica's, is led along the pole.
 */
function unwrap(ring: number[][]): number[][] {
  let turns = 0;
  const unwrapped = ring.map(([lng = 0, lat = 0], index) => {
    const step = index === 0 ? 0 : lng - (ring[index - 1]?.[0] ?? lng);
    if (Math.abs(step) > 180) turns -= Math.sign(step);
    return [lng + 360 * turns, lat];
  });
  const [first, last] = [unwrapped[0], unwrapped.at(-1)];
  if (turns === 0 || !first || !last) return unwrapped;
  return [...unwrapped, [last[0]!, -90], [first[0]!, -90], first];
}

function sliced(options: SliceOptions): GeoJsonVt {
  return new GeoJsonVt(countries, options);
}

/** A ring as a subpath of SVG in steps from point to point, which is the shortest way to write it. */
function draw(ring: Ring, scale: number): string {
  const steps: string[] = [];
  let [atX, atY] = [0, 0];
  for (const [index, [x, y]] of ring.slice(0, -1).entries()) {
    const [toX, toY] = [x * scale, y * scale];
    if (index > 0 && toX === atX && toY === atY) continue;
    const step = `${toX - atX}${toY - atY < 0 ? '' : ' '}${toY - atY}`;
    if (index === 0) steps.push(`M${step}l`);
    else steps.push(steps.length > 1 && !step.startsWith('-') ? ` ${step}` : step);
    [atX, atY] = [toX, toY];
  }
  return steps.length < 4 ? '' : `${steps.join('')}z`;
}
