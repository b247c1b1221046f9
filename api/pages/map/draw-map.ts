import { html, type Child, type Markup } from '../html.ts';
import type { Visit } from '../visit.ts';
import { MAX_OUTLINE_ZOOM, OUTLINE_SIDE, project, TILE_SIDE, type LatLng, type Pixel } from './mercator.ts';
import { OUTLINE_OVERLAP, outlinesVersion } from './outlines.ts';

/** A part of the world: its middle, how close it is seen, and its size in pixels. */
export type MapView = { center: LatLng; zoom: number; width: number; height: number };

const MAX_TILE_ZOOM = 19;

/** The north-west corner of a view. */
export function cornerOf({ center, zoom, width, height }: MapView): Pixel {
  const { x, y } = project(center, zoom);
  return { x: x - width / 2, y: y - height / 2 };
}

/**
 * A map as SVG: the tiles of the view, and on them what `overlay` draws in pixels of the view. It fills its box at its own scale, so
 * that what does not fit in is cut off around the middle.
 */
export function drawMap(
  visit: Pick<Visit, 'services' | 'links'>,
  view: MapView,
  label: string,
  overlay: Child,
): Markup {
  const { width, height } = view;
  const { tilesUrl, attribution } = visit.services.config.map;
  return html`<div class="map${tilesUrl === undefined && ' outlines'}"><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="xMidYMid slice" role="group" aria-label="${label}">
<g class="tiles">${tilesOf(visit, view)}</g>
${overlay}
</svg><p class="credit">${attribution}</p></div>`;
}

function tilesOf({ services, links }: Pick<Visit, 'services' | 'links'>, view: MapView): Markup[] {
  const { tilesUrl } = services.config.map;
  const zoom = Math.min(view.zoom, tilesUrl === undefined ? MAX_OUTLINE_ZOOM : MAX_TILE_ZOOM);
  const side = TILE_SIDE * 2 ** (view.zoom - zoom);
  const overlap = tilesUrl === undefined ? (side * OUTLINE_OVERLAP) / OUTLINE_SIDE : 0;
  const corner = cornerOf(view);
  const count = 2 ** zoom;
  const across = range(corner.x / side, (corner.x + view.width) / side);
  const down = range(corner.y / side, (corner.y + view.height) / side).filter((y) => y >= 0 && y < count);
  const addressOf = (x: number, y: number) =>
    (tilesUrl ?? `${links.base}/assets/outlines.${outlinesVersion}/{z}/{x}/{y}.svg`)
      .replace('{z}', String(zoom))
      .replace('{x}', String(((x % count) + count) % count))
      .replace('{y}', String(y));
  return down.flatMap((y) =>
    across.map(
      (x) =>
        html`<image href="${addressOf(x, y)}" x="${roundToTenths(x * side - corner.x - overlap)}" y="${roundToTenths(y * side - corner.y - overlap)}" width="${roundToTenths(side + 2 * overlap)}" height="${roundToTenths(side + 2 * overlap)}"/>`,
    ),
  );
}

const range = (from: number, to: number) =>
  Array.from({ length: Math.floor(to) - Math.floor(from) + 1 }, (_, index) => Math.floor(from) + index);

export const roundToTenths = (value: number) => Math.round(value * 10) / 10;
