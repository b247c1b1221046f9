import { invalid } from '../kit/errors.ts';
import type { Box, Circle } from '../places/area.ts';

export type AreaQuery = { near?: string; radius_km?: number; bbox?: string };

export type AreaFilters = { near?: Circle; bbox?: Box };

const DEFAULT_RADIUS_KM = 50;

/**
 * Reads `near=lat,lng` with `radius_km` (50 when absent) and `bbox=west,south,east,north`. Numbers that are no place on
 * Earth, or a south above its north, throw a validation_error.
 */
export function readAreaFilters({ near, radius_km: radiusKm = DEFAULT_RADIUS_KM, bbox }: AreaQuery): AreaFilters {
  return {
    near: near === undefined ? undefined : { ...readPoint(near), radiusKm },
    bbox: bbox === undefined ? undefined : readBox(bbox),
  };
}

function readPoint(text: string): { lat: number; lng: number } {
  const [lat, lng, ...rest] = readNumbers(text);
  if (lat === undefined || lng === undefined || rest.length > 0 || !isLat(lat) || !isLng(lng))
    throw refuse('near', 'must be a latitude (-90 to 90) and a longitude (-180 to 180), as in 54.32,10.14');
  return { lat, lng };
}

function readBox(text: string): Box {
  const [west, south, east, north, ...rest] = readNumbers(text);
  const isBox =
    west !== undefined && south !== undefined && east !== undefined && north !== undefined && rest.length === 0;
  if (!isBox || ![west, east].every(isLng) || ![south, north].every(isLat) || south > north)
    throw refuse('bbox', 'must be west,south,east,north in degrees, as in 9.5,54.2,11.3,54.9');
  return { west, south, east, north };
}

const readNumbers = (text: string) =>
  text.split(',').map((part) => (/^\s*[+-]?\d{1,3}(?:\.\d{0,15})?\s*$/.test(part) ? Number(part) : Number.NaN));

const isLat = (value: number) => value >= -90 && value <= 90;
const isLng = (value: number) => value >= -180 && value <= 180;

const refuse = (name: string, message: string) =>
  invalid('A filter by place is not valid.', [{ path: `/query/${name}`, message }]);
