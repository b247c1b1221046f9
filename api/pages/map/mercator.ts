/** Side of a map tile in pixels. */
export const TILE_SIDE = 256;
/** Side of a tile of outlines in its own units. */
export const OUTLINE_SIDE = 2048;
/** Closer maps draw the outlines of this zoom larger. */
export const MAX_OUTLINE_ZOOM = 6;

/** A place on the map in pixels of a zoom, from the north-west corner of the world. */
export type Pixel = { x: number; y: number };
export type LatLng = { lat: number; lng: number };

/** The latitude at which the square world of Web Mercator ends. */
const MAX_LATITUDE = 85.0511;

const worldSide = (zoom: number) => TILE_SIDE * 2 ** zoom;

/** Web Mercator: where a place is at a zoom. */
export function project({ lat, lng }: LatLng, zoom: number): Pixel {
  const sine = Math.sin((Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * Math.PI) / 180);
  const side = worldSide(zoom);
  return { x: (lng / 360 + 0.5) * side, y: (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * side };
}

/** The inverse of project. */
export function unproject({ x, y }: Pixel, zoom: number): LatLng {
  const side = worldSide(zoom);
  const lat = (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / side))) * 180) / Math.PI;
  return { lat, lng: (x / side - 0.5) * 360 };
}
