import { geocode, type Coordinates } from '../../../shared/places/geocode.ts';
import type { Listing } from '../../listings/present.ts';
import { html, raw, type Child, type Markup } from '../html.ts';
import type { Visit } from '../visit.ts';
import { drawMap } from './draw-map.ts';

const SIZE = { width: 820, height: 240 };
const ZOOM = 7;
/** Coordinates that name no town are told to about ten kilometres. */
const DECIMALS = 1;

/** Where a listing is, as its town: never where exactly. Undefined where nothing is known. Most towns are drawn again and again. */
export function townMap(visit: Visit, { location }: Listing, place: string): Child {
  const { country, city, region, postal_code, lat, lng } = location;
  const around = lat === undefined || lng === undefined ? undefined : { lat: coarse(lat), lng: coarse(lng) };
  const { towns } = visit.services.pageCaches;
  const key = JSON.stringify([visit.locale, visit.links.base, country, city, region, postal_code, around]);
  let drawn = towns.get(key);
  if (!drawn) {
    const center = geocode({ country, city, region, postal_code }) ?? around;
    towns.set(key, (drawn = center ? drawTown(visit, center, place) : NOTHING));
  }
  return drawn;
}

function drawTown(visit: Visit, center: Coordinates, place: string): Markup {
  const [x, y] = [SIZE.width / 2, SIZE.height / 2];
  const mark = html`<circle class="area" cx="${x}" cy="${y}" r="26"/><circle class="spot" cx="${x}" cy="${y}" r="6"/>`;
  return html`<section class="panel"><h2>${visit.words.listing.place}</h2>
${drawMap(visit, { center, zoom: ZOOM, ...SIZE }, place, mark)}
<p class="town">${place}</p></section>`;
}

const NOTHING = raw('');

const coarse = (degrees: number) => Number(degrees.toFixed(DECIMALS));
