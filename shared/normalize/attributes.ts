import { memoizeText } from '../kit/memoize-text.ts';
import { slugify } from 'transliteration';
import type { RawRecord } from './record-type.ts';
import { NUMBER_PATTERN, parseAmount } from './amount.ts';
import { engineCountOf, isBoatLabel, yearOf } from './boat.ts';
import { equipmentKeyOf, isPresent, isThing } from './equipment.ts';
import { normalizeLength } from './length.ts';
import { normalizeArea, normalizeCount, normalizeMass, normalizePower } from './quantities.ts';

type Attributes = Record<string, string | number | boolean>;
type Reader = (text: string) => string | number | undefined;

const MAX_ATTRIBUTES = 80;
const MAX_TEXT = 500;
const KEY = /^(?!__proto__$|constructor$|prototype$)[a-z0-9_.-]{1,64}$/;

/** Facts many kinds of goods share, under the keys of the asset types, with their labels in small letters. */
const KNOWN: [key: string, read: Reader, labels: string][] = [
  [
    'mileage',
    kilometres,
    'mileagefromodometer|mileage|odometer|kilometerstand|laufleistung|kilométrage|kilometraje|kilómetros|chilometraggio|km|kilometers|走行距離|주행거리',
  ],
  ['color', text, 'color|colour|farbe|außenfarbe|couleur|colore|kleur|色|カラー|색상'],
  [
    'transmission',
    text,
    'vehicletransmission|transmission|gearbox|getriebe|boîte de vitesse|boîte|cambio|caja de cambios|ミッション|변속기',
  ],
  ['body_type', text, 'bodytype|body type|body|karosserie|carrosserie|carrocería|carrozzeria'],
  ['fuel_type', text, 'fueltype|fuel|fuel type|kraftstoff|kraftstoffart|carburant|combustible|carburante|燃料|연료'],
  ['engine_power', normalizePower, 'enginepower|power|leistung|puissance|potencia|potenza|馬力|출력'],
  ['doors', normalizeCount, 'numberofdoors|doors|türen|anzahl türen|portes|puertas|porte'],
  ['seats', normalizeCount, 'vehicleseatingcapacity|seatingcapacity|seats|sitze|sitzplätze|places|plazas|posti'],
  ['owners', normalizeCount, 'numberofpreviousowners|previous owners|vorbesitzer|fahrzeughalter|anzahl fahrzeughalter'],
  ['vin', text, 'vehicleidentificationnumber|vin'],
  ['rooms', normalizeCount, 'numberofrooms|rooms|zimmer|pièces|habitaciones|locali|vani'],
  ['bedrooms', normalizeCount, 'numberofbedrooms|bedrooms|schlafzimmer|chambres|dormitorios|camere da letto'],
  ['bathrooms', normalizeCount, 'numberofbathrooms|bathrooms|badezimmer|salles de bain|baños|bagni'],
  ['length', normalizeLength, 'length|länge|longueur|largo|longitud|lunghezza|長さ|길이'],
  ['width', centimetres, 'width|breite|largeur|ancho|anchura|larghezza|幅|너비|폭'],
  ['height', centimetres, 'height|höhe|hauteur|alto|altura|altezza|高さ|높이'],
  ['depth', centimetres, 'depth|tiefe|profondeur|profundidad|fondo|profondità|奥行|깊이'],
  ['weight', normalizeMass, 'weight|gewicht|poids|peso|重量|重さ|무게|중량'],
  ['living_area', normalizeArea, 'floorsize|living area|wohnfläche|surface habitable|surface|superficie'],
];

const BY_LABEL = new Map(
  KNOWN.flatMap(([key, read, labels]) => labels.split('|').map((label) => [label, { key, read }] as const)),
);

/**
 * The attributes a raw record implies: brand, model, year, numbers of the article, the common facts in their units, and every
 * other labelled fact as printed under its label in a-z, 0-9 and underscores. At most 80; undefined when there are none.
 * What a boat's own structure holds is left to it.
 */
export function normalizeAttributes(raw: RawRecord, now: Date, isBoat: boolean): Attributes | undefined {
  const attributes: Attributes = {};
  put(attributes, 'brand', raw.brand);
  put(attributes, 'model', raw.model);
  put(attributes, 'year', yearOf(raw, now));
  if (isBoat) put(attributes, 'engine_count', engineCountOf(raw));
  put(attributes, 'sku', raw.sku);
  put(attributes, 'gtin', raw.gtin);
  for (const [label, value] of Object.entries(raw.properties ?? {})) {
    if (isBoat && isBoatLabel(label, value)) continue;
    const equipment =
      isBoat && isPresent(value) ? (equipmentKeyOf(label) ?? (isThing(label) ? attributeKey(label) : '')) : '';
    if (equipment !== '') {
      put(attributes, equipment, true);
      continue;
    }
    const known = BY_LABEL.get(
      label
        .toLowerCase()
        .replace(/(?<!\s)\s*[([].*$/s, '')
        .trim(),
    );
    if (known) put(attributes, known.key, known.read(value));
    else put(attributes, attributeKey(label), value);
  }
  return Object.keys(attributes).length > 0 ? attributes : undefined;
}

function put(attributes: Attributes, key: string, value: string | number | boolean | undefined): void {
  const kept = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT) : value;
  if (kept === undefined || kept === '' || !KEY.test(key) || Object.hasOwn(attributes, key)) return;
  if (Object.keys(attributes).length < MAX_ATTRIBUTES) attributes[key] = kept;
}

const attributeKey = memoizeText((label) => {
  const spaced = label.slice(0, 100).replace(/([a-z])([A-Z])/g, '$1 $2');
  return slugify(spaced, { lowercase: true, separator: '_', allowedChars: 'a-zA-Z0-9', trim: true })
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 64);
});

function text(value: string): string {
  return value;
}

function centimetres(value: string): number | undefined {
  const metres = normalizeLength(value);
  return metres === undefined ? undefined : Math.round(metres * 100);
}

const NUMBER = new RegExp(NUMBER_PATTERN);

/** Mileage in kilometres; miles are converted, a bare number counts as kilometres. */
function kilometres(value: string): number | undefined {
  const match = NUMBER.exec(value);
  const amount = match ? parseAmount(match[0]) : undefined;
  if (!match || amount === undefined || amount > 1e8) return undefined;
  const rest = value.slice(match.index + match[0].length).trimStart();
  if (/^(?:k(?!m)|tsd)/i.test(rest)) return Math.round(amount * 1_000 * (/mi/i.test(rest) ? 1.609_344 : 1));
  return Math.round(/^(?:mi\b|miles?\b|smi\b)/i.test(rest) ? amount * 1.609_344 : amount);
}
