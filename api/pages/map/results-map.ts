import type { Performed } from '../../http/perform.ts';
import { fillCount, formatNumber } from '../format.ts';
import { html, type Child, type Markup } from '../html.ts';
import { firstOf, toAddressQuery, toOperationQuery, type SearchQuery } from '../search-query.ts';
import type { Visit } from '../visit.ts';
import { cornerOf, drawMap, roundToTenths, type MapView } from './draw-map.ts';
import { project, unproject, type LatLng } from './mercator.ts';

const SIZE = { width: 1200, height: 380 };
/** The part of the map that the narrowest screen shows: everything that is found fits in there at first. */
const FIT = { width: 340, height: 320 };
const MAX_FIT_ZOOM = 9;
const MAX_ZOOM = 14;
/** From here on, a cluster leads to the list of its listings and not to a closer map. */
const LIST_ZOOM = 11;
/** Clusters of the whole world at this zoom tell where the results are. */
const BOUNDS_ZOOM = 4;
const WORLD = '-180,-85,180,85';
const NOWHERE: MapView = { center: { lat: 30, lng: 10 }, zoom: 1, ...SIZE };

type Feature = {
  properties: { id?: string; point_count?: number };
  geometry: { coordinates: [lng: number, lat: number] };
};
type Found = Performed<'searchListings'>['body'];

/** The map of a search, moved by links; `view` is where somebody has moved it, all results otherwise. Undefined without a result on it. */
export async function showResultsMap(
  visit: Visit,
  query: SearchQuery,
  results: Found['results'],
  moved: string | undefined,
): Promise<Child> {
  const parameters = filtersOf(query);
  const view = readView(moved) ?? (await fitView(visit, parameters, firstOf(query, 'bbox')));
  if (!view) return undefined;
  const features = await findClusters(visit, parameters, boxOf(view), view.zoom);
  const titles = new Map(results.map(({ id, title }) => [id, title]));
  const hrefOf = (changes: Record<string, string | undefined>) =>
    visit.href('search', toAddressQuery(query, { page: undefined, ...changes }));
  const spots = features.map((feature) => spot(visit, view, feature, titles, hrefOf));
  return html`${drawMap(visit, view, visit.words.search.map, spots)}${controls(visit, view, hrefOf)}`;
}

/** What the operation of clusters takes of a search. */
function filtersOf(query: SearchQuery): Record<string, unknown> {
  const { page: _, sort: _sort, bbox: _box, tags: _tags, ...filters } = toOperationQuery(query);
  return filters;
}

/** `zoom/lat/lng`, as the links of the map have it; undefined for anything else. */
function readView(text: string | undefined): MapView | undefined {
  const [zoom = Number.NaN, lat = Number.NaN, lng = Number.NaN] = (text ?? '').split('/').map(Number);
  const isPlace = Math.abs(lat) <= 85 && Math.abs(lng) <= 180;
  if (!isPlace || !Number.isInteger(zoom) || zoom < 1 || zoom > MAX_ZOOM) return undefined;
  return { center: { lat, lng }, zoom, ...SIZE };
}

const writeView = (zoom: number, { lat, lng }: LatLng) =>
  [zoom, Math.max(-85, Math.min(85, lat)).toFixed(4), (((lng + 540) % 360) - 180).toFixed(4)].join('/');

/** The closest view of everything that is found, or of the box that is searched in. */
async function fitView(visit: Visit, filters: Record<string, unknown>, bbox: string): Promise<MapView | undefined> {
  const corners = bbox === '' ? await findCorners(visit, filters) : cornersOf(bbox);
  if (corners.length === 0) return undefined;
  for (let zoom = MAX_FIT_ZOOM; zoom >= NOWHERE.zoom; zoom -= 1) {
    const pixels = corners.map((corner) => project(corner, zoom));
    const [west, east] = [Math.min(...pixels.map(({ x }) => x)), Math.max(...pixels.map(({ x }) => x))];
    const [north, south] = [Math.min(...pixels.map(({ y }) => y)), Math.max(...pixels.map(({ y }) => y))];
    if (east - west <= FIT.width && south - north <= FIT.height)
      return { center: unproject({ x: (west + east) / 2, y: (north + south) / 2 }, zoom), zoom, ...SIZE };
  }
  return NOWHERE;
}

async function findCorners(visit: Visit, filters: Record<string, unknown>): Promise<LatLng[]> {
  const features = await findClusters(visit, filters, WORLD, BOUNDS_ZOOM);
  return features.map(({ geometry: { coordinates } }) => ({ lng: coordinates[0], lat: coordinates[1] }));
}

function cornersOf(bbox: string): LatLng[] {
  const [west = 0, south = 0, east = 0, north = 0] = bbox.split(',').map(Number);
  return [
    { lat: south, lng: west },
    { lat: north, lng: east < west ? east + 360 : east },
  ];
}

function boxOf(view: MapView): string {
  const corner = cornerOf(view);
  const { lat: north, lng: west } = unproject(corner, view.zoom);
  const { lat: south, lng: east } = unproject({ x: corner.x + view.width, y: corner.y + view.height }, view.zoom);
  const isWorld = east - west >= 360;
  return (isWorld ? [-180, south, 180, north] : [wrap(west), south, wrap(east), north])
    .map((each) => each.toFixed(5))
    .join(',');
}

const wrap = (lng: number) => ((((lng + 180) % 360) + 360) % 360) - 180;

async function findClusters(
  visit: Visit,
  filters: Record<string, unknown>,
  bbox: string,
  zoom: number,
): Promise<Feature[]> {
  const { body } = await visit.perform('getListingClusters', { query: { ...filters, bbox, zoom: String(zoom) } });
  const { text } = body as unknown as { text: string };
  return (JSON.parse(text) as { features: Feature[] }).features;
}

/** A cluster or a listing: a circle that is a link. */
function spot(
  { words, locale, href }: Visit,
  view: MapView,
  { properties, geometry }: Feature,
  titles: ReadonlyMap<string, string>,
  hrefOf: (changes: Record<string, string | undefined>) => string,
): Markup {
  const [lng, lat] = geometry.coordinates;
  const corner = cornerOf(view);
  const place = project({ lat, lng }, view.zoom);
  const side = 256 * 2 ** view.zoom;
  const x = roundToTenths((((place.x - corner.x) % side) + side) % side);
  const y = roundToTenths(place.y - corner.y);
  const { id, point_count: count } = properties;
  if (id !== undefined || count === undefined) {
    const label = titles.get(id ?? '') ?? words.search.oneHere;
    return html`<a href="${href('listing', { slug: id ?? '' })}" aria-label="${label}"><title>${label}</title><circle class="target" cx="${x}" cy="${y}" r="30"/><circle class="spot" cx="${x}" cy="${y}" r="8"/></a>`;
  }
  const closer = { map: writeView(Math.min(view.zoom + 2, MAX_ZOOM), { lat, lng }) };
  const margin = 25 / 2 ** view.zoom;
  const listed = {
    map: undefined,
    bbox: [lng - margin, lat - margin, lng + margin, lat + margin].map((each) => each.toFixed(4)).join(','),
  };
  const label = fillCount(locale, words.search.manyHere, count);
  const radius = roundToTenths(Math.min(34, 15 + 3 * Math.log2(count)));
  return html`<a href="${hrefOf(view.zoom >= LIST_ZOOM ? listed : closer)}" aria-label="${label}"><circle class="target" cx="${x}" cy="${y}" r="${Math.max(30, radius)}"/><circle class="cluster" cx="${x}" cy="${y}" r="${radius}"/><text x="${x}" y="${y}" dy="0.35em">${formatNumber(locale, count)}</text></a>`;
}

/** Links that move the map, and one that searches what it shows. */
function controls(
  { words, locale }: Visit,
  view: MapView,
  hrefOf: (changes: Record<string, string | undefined>) => string,
): Markup {
  const { zoom, center } = view;
  const middle = project(center, zoom);
  const moved = (right: number, down: number) =>
    writeView(zoom, unproject({ x: middle.x + right * FIT.width * 0.6, y: middle.y + down * FIT.height * 0.6 }, zoom));
  const link = (map: string, sign: string, label: string) =>
    html`<a class="button plain" href="${hrefOf({ map })}" aria-label="${label}" title="${label}">${sign}</a>`;
  return html`<div class="map-controls" lang="${locale}">
${zoom < MAX_ZOOM && link(writeView(zoom + 1, center), '+', words.search.zoomIn)}
${zoom > 1 && link(writeView(zoom - 1, center), '−', words.search.zoomOut)}
${link(moved(-1, 0), '←', words.search.west)}
${link(moved(0, -1), '↑', words.search.north)}
${link(moved(0, 1), '↓', words.search.south)}
${link(moved(1, 0), '→', words.search.east)}
<a class="button plain" href="${hrefOf({ map: undefined, bbox: boxOf({ ...view, width: 640 }) })}">${words.search.searchHere}</a>
</div>`;
}
