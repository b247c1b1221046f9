import { countryNameIn } from '../kit/codes.ts';
import type { IngestRecord, RawRecord } from './record-type.ts';
import { countryOf } from './country.ts';
import { repairMojibake } from './mojibake.ts';
import { isPlaceIn } from '../places/geocode.ts';
import { stateOf } from './states.ts';

type RawLocation = NonNullable<RawRecord['location']>;
type NormalLocation = NonNullable<IngestRecord['location']>;

const MARINA =
  /(?<!\p{L})(?:marina|yacht ?harbou?r|boat ?yard|port de plaisance|puerto deportivo|porto turistico|yachthafen|マリーナ|마리나)(?!\p{L})/iu;
const US_ZIP = /(?<![\d-])(\d{5})(?:-\d{4})?$/;
const UK_POSTCODE = /(?<!\w)([A-Z]{1,2}\d[A-Z\d]?)\s?(\d[A-Z]{2})$/;
const CODE_FIRST = /^(?:([A-Z]{1,3})[ -])?(\d{4}\s?[A-Z]{2}(?=\s)|\d{3,6}(?:[ -]?\d{2,3})?)\s+(\p{L}.*)$/u;
const CODE_LAST = /^(\p{L}(?:.*\S)?)\s+(\d{4,6})$/u;
/** `Panama, Outside United States`: the country it is in, and the one it is not in. */
const OUTSIDE = /^(?:outside|außerhalb|hors|fuera)(?: of| von| de| des| du)?(?: the| der| los)? \p{L}/iu;
/** What fills a field that has to be filled, in the service's languages and Dutch. */
const PLACEHOLDER =
  /^(?:[^\p{L}\d]*|n[./]?[ad]\.?|none|null|undefined|tb[ac]|unknown|not (?:specified|available|stated)|unspecified|various|other|(?:see|siehe|voir|ver|vedi|zie) (?:the )?\p{L}{3,20}|(?:on|at|upon|by) request|please (?:ask|call|contact)(?: us)?|unbekannt|k\.? ?a\.?|keine angabe|auf anfrage|inconnue?|non (?:précisée?|renseignée?|specificat[ao])|sur demande|desconocid[ao]|sin especificar|a consultar|sconosciut[ao]|su richiesta|da definire|onbekend|op aanvraag|不明|미정)$/iu;
const ADMIN = /^(?:lake|region|province|provincia|département|county|state|kreis|landkreis|bezirk)\b/i;

/** Letters before a postal code as on European plates and envelopes. */
const ENVELOPE: Record<string, string> = {
  A: 'AT',
  B: 'BE',
  CH: 'CH',
  D: 'DE',
  DK: 'DK',
  E: 'ES',
  F: 'FR',
  I: 'IT',
  L: 'LU',
  NL: 'NL',
  PL: 'PL',
  S: 'SE',
  SF: 'FI',
  N: 'NO',
};

/**
 * A canonical location: country as ISO code with its English name, city, region, postal code, marina, coordinates in
 * range. `text` (`88131 Lindau`, `Miami, FL 33101`, `Split, Croatia`, `Switzerland » Lake Geneva » Vésenaz`) fills what the
 * parts leave open. The context's country is taken when the page names none. Undefined when nothing is known.
 */
export function normalizeLocation(raw: RawLocation | undefined, country?: string): NormalLocation | undefined {
  const isAbroad = (raw?.text ?? '').split(',').some((part) => OUTSIDE.test(part.trim()));
  const home = isAbroad ? undefined : countryOf(country);
  const read = raw?.text === undefined ? {} : readText(clean(raw.text) ?? '', countryOf(clean(raw.country)) ?? home);
  const region = clean(raw?.region) ?? read.region;
  const state = region === undefined ? undefined : stateOf(region);
  const code = countryOf(clean(raw?.country)) ?? read.country ?? (state && !home ? state.country : undefined) ?? home;
  const hasPoint = isWithin(raw?.lat, 90) && isWithin(raw?.lng, 180) && !(raw?.lat === 0 && raw.lng === 0);
  const location: NormalLocation = {
    country: code,
    country_name: code === undefined ? undefined : countryNameIn(code, 'en'),
    region: state && (code === state.country || code === undefined) ? state.name : region,
    city: clean(raw?.city) ?? read.city,
    postal_code: clean(raw?.postalCode)?.slice(0, 20) ?? read.postal_code,
    marina: read.marina,
    lat: hasPoint ? raw?.lat : undefined,
    lng: hasPoint ? raw?.lng : undefined,
  };
  const filled = Object.entries(location).filter(([, value]) => value !== undefined);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

/** Places are written from the small to the large with commas, or from the large to the small with arrows. */
function readText(text: string, home: string | undefined): NormalLocation {
  const isDescending = /[»>›→]|\s\/\s/.test(text);
  const parts = text
    .replaceAll(/\(([^()]{1,60})\)/g, (whole, inside: string) =>
      (countryOf(inside) ?? stateOf(inside)) ? `${isDescending ? '»' : ','}${inside}` : whole,
    )
    .split(isDescending ? /[»>›→]|\s\/\s/ : /[,;|•·、]|\s[-–]\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !PLACEHOLDER.test(part));
  if (isDescending) parts.reverse();
  const location: NormalLocation = {};
  const abroad = parts.findIndex((part) => OUTSIDE.test(part));
  if (abroad >= 0) parts.splice(abroad, 1);
  takeCountry(parts, location, home);
  for (let index = parts.length - 1; index >= 0; index -= 1) takePostalCode(parts, index, location);
  const marina = parts.findIndex((part) => MARINA.test(part));
  if (marina >= 0 && parts.length > 1) [location.marina] = parts.splice(marina, 1);
  takeRegion(parts, location);
  // In front of the town may stand a street or a quarter; arrows end with the town.
  const inside = parts.filter((part) => !ADMIN.test(part));
  const city = (isDescending ? inside[0] : inside.at(-1)) ?? parts[0];
  if (city !== undefined && city.length <= 200 && /\p{L}/u.test(city)) location.city = city;
  return location;
}

function takeCountry(parts: string[], location: NormalLocation, home: string | undefined): void {
  const last = parts.at(-1);
  if (last === undefined || isState(parts, last, home)) return;
  const code = countryOf(last);
  if (code === undefined) {
    const first = countryOf(parts[0]);
    if (first !== undefined && parts.length > 1) {
      location.country = first;
      parts.shift();
    }
    return;
  }
  location.country = code;
  parts.pop();
  // `Croatia (Hrvatska)` is one country, `Monaco, Monaco` a town and its country.
  if (countryOf(parts.at(-1)) === code && !isPlaceIn({ country: code, city: parts.at(-1) ?? '' })) parts.pop();
}

/**
 * Whether the last part is a state of North America and not the country that is called the same (`DE`, `IN`, `Georgia`): the
 * state at home, and when the town before it lies there; the country, when the town lies in that alone, or there is none; else
 * the state.
 */
function isState(parts: string[], last: string, home: string | undefined): boolean {
  const bare = last.replace(US_ZIP, '').trim();
  const state = stateOf(bare);
  if (!state || state.country === home) return state !== undefined;
  const country = countryOf(bare);
  const city = parts.at(-2)?.replace(CODE_FIRST, '$3');
  if (country === undefined || bare !== last) return parts.length > 1 || bare !== last;
  if (city === undefined || (home === country && isPlaceIn({ country, city }))) return false;
  return isPlaceIn({ country: state.country, region: state.name, city }) || !isPlaceIn({ country, city });
}

function takePostalCode(parts: string[], index: number, location: NormalLocation): void {
  const part = parts[index] ?? '';
  const front = CODE_FIRST.exec(part);
  const zip = US_ZIP.exec(part);
  const british = UK_POSTCODE.exec(part);
  if (location.postal_code !== undefined) return;
  if (british) {
    location.postal_code = `${british[1]} ${british[2]}`;
    location.country ??= 'GB';
    keep(parts, index, part.slice(0, british.index).trim());
  } else if (front) {
    const [, letters, code, place] = front;
    const named = letters === undefined ? undefined : (ENVELOPE[letters] ?? countryOf(letters));
    location.postal_code = code;
    if (named !== undefined) location.country ??= named;
    keep(parts, index, place ?? '');
  } else if (zip && (/^\d{5}/.test(part) || stateOf(part.slice(0, zip.index).trim()))) {
    location.postal_code = zip[0];
    keep(parts, index, part.slice(0, zip.index).trim());
  } else {
    const back = CODE_LAST.exec(part);
    if (!back) return;
    location.postal_code = back[2];
    keep(parts, index, back[1] ?? '');
  }
}

function keep(parts: string[], index: number, rest: string): void {
  if (rest === '') parts.splice(index, 1);
  else parts[index] = rest;
}

function takeRegion(parts: string[], location: NormalLocation): void {
  splitState(parts, location);
  const last = parts.at(-1);
  if (last === undefined) return;
  const state = stateOf(last);
  if (state && (location.country === undefined || location.country === state.country)) {
    // A lone state name is a region, but New York and Washington are cities in front of their state.
    location.region = state.name;
    location.country = state.country;
    parts.pop();
  } else if (parts.length > 1) {
    location.region = parts.pop();
  }
}

/** `Seattle WA`: a state code needs no comma before it. */
function splitState(parts: string[], location: NormalLocation): void {
  const match = /^(\p{L}[\p{L} .'-]+?)\s([A-Z]{2})$/u.exec(parts.at(-1) ?? '');
  const state = match?.[2] === undefined ? undefined : stateOf(match[2]);
  if (!match || !state || (location.country !== undefined && location.country !== state.country)) return;
  parts.splice(-1, 1, match[1] ?? '', match[2] ?? '');
}

function clean(text: string | undefined): string | undefined {
  const tidy =
    text === undefined
      ? ''
      : repairMojibake(text.slice(0, 500))
          .replace(/[\s\u200b]+/g, ' ')
          .trim();
  return tidy === '' || PLACEHOLDER.test(tidy) ? undefined : tidy.slice(0, 200);
}

function isWithin(value: number | undefined, limit: number): value is number {
  return value !== undefined && Number.isFinite(value) && Math.abs(value) <= limit;
}
