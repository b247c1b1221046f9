import { geocode, type Coordinates, type NamedPlace } from '../../../shared/places/geocode.ts';
import type { Listing } from '../../listings/present.ts';
import { html, type Child } from '../html.ts';
import type { Visit } from '../visit.ts';
import { drawMap } from './draw-map.ts';

const SIZE = { width: 820, height: 240 };
const ZOOM = 7;
/** Coordinates that name no town are told to about ten kilometres. */
const DECIMALS = 1;

/** Where a listing is, as its town: never where exactly. Undefined where nothing is known. */
export function townMap(visit: Visit, { location }: Listing, place: string): Child {
  const { country, city, region, postal_code, lat, lng } = location;
  const town = findTown(visit, { country, city, region, postal_code });
  const center = town ?? (lat === undefined || lng === undefined ? undefined : { lat: coarse(lat), lng: coarse(lng) });
  if (!center) return undefined;
  const [x, y] = [SIZE.width / 2, SIZE.height / 2];
  const mark = html`<circle class="area" cx="${x}" cy="${y}" r="26"/><circle class="spot" cx="${x}" cy="${y}" r="6"/>`;
  const { words } = visit;
  return html`<section class="panel"><h2>${words.listing.place}</h2>
${drawMap(visit, { center, zoom: ZOOM, ...SIZE }, place, mark)}
<p class="town">${place}</p></section>`;
}

/** The centre of a town, as geocode finds it; most are asked for again and again. */
function findTown({ services }: Visit, place: NamedPlace): Coordinates | undefined {
  const key = JSON.stringify(place);
  const { towns } = services.pageCaches;
  let known = towns.get(key);
  if (!known) towns.set(key, (known = { found: geocode(place) }));
  return known.found;
}

const coarse = (degrees: number) => Number(degrees.toFixed(DECIMALS));
