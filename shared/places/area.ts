/** A circle around a point: at most so many kilometres away from it. */
export type Circle = { lat: number; lng: number; radiusKm: number };

/** A box in degrees; one whose west is greater than its east goes over the 180th meridian. */
export type Box = { west: number; south: number; east: number; north: number };

/** Ranges of cells, first and last inclusive: `lows[i]` to `highs[i]`. */
export type CellRanges = { lows: number[]; highs: number[] };

export const EARTH_RADIUS_KM = 6_371.0088;

// The grid of the function place_cell: cells of a tenth of a degree, numbered row by row from the south-west.
const ROWS = 1_800;
const COLUMNS = 3_600;
/** Degrees by which bounds are widened, so that no rounding loses a place on the border; the exact filter follows. */
const MARGIN = 1e-6;

/** Kilometres between two points along the great circle. */
export function distanceKm(from: { lat: number; lng: number }, to: { lat: number; lng: number }): number {
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const chord =
    half(to.lat - from.lat) + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * half(to.lng - from.lng);
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, chord)));
}

/** The cells that a circle touches, as few ranges: at most two per row, one for rows that are in it as a whole. */
export function cellsOfCircle({ lat, lng, radiusKm }: Circle): CellRanges {
  const reach = Math.min(180, degrees(radiusKm / EARTH_RADIUS_KM) + MARGIN);
  const rows = rowsBetween(lat - reach, lat + reach);
  return joinRows(rows, (south, north) => {
    const width = halfWidth(lat, reach, south, north);
    return width >= 180 ? undefined : { west: lng - width - MARGIN, east: lng + width + MARGIN };
  });
}

/** The cells that a box touches. */
export function cellsOfBox({ west, south, east, north }: Box): CellRanges {
  const rows = rowsBetween(south - MARGIN, north + MARGIN);
  const end = west <= east ? east : east + 360;
  return joinRows(rows, () => (end - west >= 360 ? undefined : { west: west - MARGIN, east: end + MARGIN }));
}

/** How many degrees of longitude a circle reaches to either side, at its widest between two latitudes. */
function halfWidth(lat: number, reach: number, south: number, north: number): number {
  const widest = degrees(Math.asin(Math.max(-1, Math.min(1, sin(lat) / cos(reach)))));
  const within = reach < 90 && widest > south && widest < north ? [widest] : [];
  return Math.max(...[south, north, ...within].map((at) => widthAt(lat, reach, at)));
}

function widthAt(lat: number, reach: number, at: number): number {
  const around = cos(lat) * cos(at);
  const along = cos(reach) - sin(lat) * sin(at);
  if (Math.abs(around) < 1e-12) return along <= 0 ? 180 : 0;
  return degrees(Math.acos(Math.max(-1, Math.min(1, along / around))));
}

function rowsBetween(south: number, north: number): [first: number, last: number] {
  const row = (lat: number) => Math.max(0, Math.min(ROWS - 1, Math.floor((lat + 90) * 10)));
  return [row(south), row(north)];
}

function joinRows(
  [first, last]: [number, number],
  boundsOf: (south: number, north: number) => { west: number; east: number } | undefined,
): CellRanges {
  const ranges: CellRanges = { lows: [], highs: [] };
  for (let row = first; row <= last; row += 1) {
    const bounds = boundsOf(row / 10 - 90, (row + 1) / 10 - 90);
    for (const [west, east] of bounds ? columnsOf(bounds) : [[0, COLUMNS - 1] as const]) {
      addRange(ranges, row * COLUMNS + west, row * COLUMNS + east);
    }
  }
  return ranges;
}

/** A range of columns that goes over the 180th meridian is two; the cells at 180 degrees east are the last column. */
function columnsOf({ west, east }: { west: number; east: number }): (readonly [number, number])[] {
  if (east - west >= 359.9) return [[0, COLUMNS - 1]];
  const first = Math.floor((west + 180) * 10);
  const last = Math.floor((east + 180) * 10);
  if (first < 0) {
    return [
      [0, Math.min(last, COLUMNS - 1)],
      [first + COLUMNS, COLUMNS - 1],
    ];
  }
  if (last >= COLUMNS) {
    return [
      [0, last - COLUMNS],
      [first % COLUMNS, COLUMNS - 1],
    ];
  }
  // -180 degrees is the same meridian as 180, which belongs to the last column.
  return first === 0
    ? [
        [0, last],
        [COLUMNS - 1, COLUMNS - 1],
      ]
    : [[first, last]];
}

function addRange({ lows, highs }: CellRanges, low: number, high: number): void {
  if (lows.length > 0 && highs.at(-1) === low - 1) highs[highs.length - 1] = high;
  else {
    lows.push(low);
    highs.push(high);
  }
}

const radians = (value: number) => (value * Math.PI) / 180;
const degrees = (value: number) => (value * 180) / Math.PI;
const sin = (value: number) => Math.sin(radians(value));
const cos = (value: number) => Math.cos(radians(value));
