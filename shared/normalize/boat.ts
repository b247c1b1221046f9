import type { RawRecord } from './record-type.ts';
import { boatFieldOf } from './boat-labels.ts';
import type { BoatField, Kind } from './boat-labels.ts';
import { isPresent } from './equipment.ts';
import {
  BATTERY_TYPES,
  DESIGN_CATEGORIES,
  ENGINE_TYPES,
  FUEL_TYPES,
  HULL_TYPES,
  KEEL_TYPES,
  MATERIALS,
  RIG_TYPES,
  RUDDER_TYPES,
  termIn,
  WINDLASS,
} from './boat-terms.ts';
import { normalizeCondition } from './condition.ts';
import { normalizeLength } from './length.ts';
import {
  normalizeArea,
  normalizeCharge,
  normalizeCount,
  normalizeEngineCount,
  normalizeMass,
  normalizePower,
  normalizeSpeed,
  normalizeVolume,
} from './quantities.ts';
import { normalizeYear } from './year.ts';

type Fact = string | number | boolean;

/** The parts of the nautical extension that a page's labelled facts tell. */
export type Boat = {
  type: 'boat';
  brand?: string;
  model?: string;
  year?: number;
  condition?: string;
  hull_id?: string;
  specs?: Record<string, Record<string, Fact>>;
};

const BOAT_WORDS =
  /(?<!\p{L})(?:boats?|yachts?|sail ?boats?|motor ?boats?|catamarans?|trimarans?|dingh(?:y|ies)|jet ?skis?|ribs?|boote?|segelboote?|motorboote?|segelyachten|motoryachten|schlauchboote?|katamarane?|bateaux?|voiliers?|vedettes?|barcos?|veleros?|lanchas?|embarcaci(?:ón|ones)|barche|barca|gommon[ei]|zeilboten|motorboten|båtar|segelbåtar|ヨット|ボート|中古艇|보트|요트|선박)(?!\p{L})/iu;
const MATTER_OF_BOATS = new Set([
  'draft_m',
  'draft_shallow_m',
  'air_draft_m',
  'beam_m',
  'length_waterline_m',
  'keel_type',
  'berths',
]);
const ALSO_OF_BOATS = new Set([
  'length_overall_m',
  'engine_hours',
  'cabins',
  'heads',
  'hull_type',
  'rig_type',
  'ballast_kg',
]);
const POWER_LABEL =
  /^(?:(?:engine|motor|total|max(?:imum)?) ?power|engine ?perf\w*|power|total hp|motorleistung|leistung|puissance(?: moteur| totale)?|potencia(?: motor| total)?|potenza(?: motore| totale)?|vermogen|motorisation|馬力|출력|마력)$/iu;
const HULL_ID_LABEL = /^(?:hin|win|cin|hull id(?:entification)?(?: number)?|hull number|rumpfnummer|bootsnummer)$/i;
const YEAR_LABEL =
  /^(?:year(?: built| of (?:build|construction|manufacture))?|built|model year|baujahr|année(?: de construction)?|año(?: de (?:construcción|fabricación))?|anno(?: di (?:costruzione|immatricolazione))?|bouwjaar|årsmodell|年式|建造年|연식|제조년|건조년도|vehicleModelDate|modelDate|productionDate|releaseDate|yearBuilt)$/iu;
/** Labels of the maker in the service's languages. */
export const BRAND_LABEL = /^(?:brand|make|marke|marque|marca|merk|manufacturer|hersteller|メーカー|제조사)$/i;
/** Labels of the model. */
export const MODEL_LABEL = /^(?:model|modell|modèle|modelo|modello|モデル|모델)$/i;
const MAX_TEXT = 100;
const NO = /^(?:no|none|nein|non|nee|nej|なし|없음|false|0|-|n\/?a)$/i;
const LIMITS: Record<string, number> = {
  length_overall_m: 200,
  length_waterline_m: 200,
  beam_m: 60,
  draft_m: 20,
  draft_shallow_m: 20,
  air_draft_m: 120,
  cabins: 60,
  berths: 300,
  heads: 60,
  max_speed_kn: 200,
  cruise_speed_kn: 100,
  sail_area_main_m2: 5_000,
  sail_area_jib_m2: 5_000,
  life_raft_capacity: 1_000,
  engine_power_hp: 150_000,
  engine_power_kw: 110_000,
};
const MAX_NUMBER = 900_000;
const EQUIPMENT_GROUPS = new Set([
  'electrical',
  'electronics',
  'safety',
  'deck_equipment',
  'accommodation',
  'additional',
]);

/**
 * The nautical extension of a raw record, in metric units, when the page is clearly about a boat: its category, breadcrumbs
 * or title say so, or its labels are those of a boat. Facts that cannot be read for certain are left out.
 */
export function normalizeBoat(raw: RawRecord, now: Date): Boat | undefined {
  const properties = Object.entries(raw.properties ?? {}).slice(0, 500);
  const fields = new Set(properties.map(([label]) => boatFieldOf(label)?.field ?? ''));
  if (!isBoat(raw, fields)) return undefined;
  const specs: Record<string, Record<string, Fact>> = {};
  for (const [label, text] of properties) addLabel(specs, label, text, now);
  const boat: Boat = {
    type: 'boat',
    brand: (raw.brand ?? named(properties, BRAND_LABEL))?.slice(0, MAX_TEXT),
    model: (raw.model ?? named(properties, MODEL_LABEL))?.slice(0, MAX_TEXT),
    year: yearOf(raw, now),
    condition: normalizeCondition(raw.condition),
    hull_id: named(properties, HULL_ID_LABEL)?.slice(0, 40),
    specs: Object.keys(specs).length > 0 ? specs : undefined,
  };
  return Object.fromEntries(Object.entries(boat).filter(([, value]) => value !== undefined)) as Boat;
}

/** True for labels whose facts the nautical extension holds. */
export function isBoatLabel(printed: string, value = ''): boolean {
  const { label } = withUnit(printed.trim(), '');
  if (isPresent(value) && presenceFieldOf(label)) return true;
  return (
    boatFieldOf(label) !== undefined || POWER_LABEL.test(label) || YEAR_LABEL.test(label) || HULL_ID_LABEL.test(label)
  );
}

/** How many engines a raw record's labelled facts name (`2 x 160 HP`), or undefined. */
export function engineCountOf(raw: RawRecord): number | undefined {
  const power = Object.entries(raw.properties ?? {}).find(([label]) => POWER_LABEL.test(label.trim()));
  return power && normalizeEngineCount(power[1]);
}

/** The year that the start of a raw record's title names, or its labelled facts. */
export function yearOf(raw: RawRecord, now: Date): number | undefined {
  const labelled = Object.entries(raw.properties ?? {}).find(([label]) => YEAR_LABEL.test(label));
  const opening = /^\s*(?:19|20)\d{2}(?=\s)/.exec(raw.title ?? '')?.[0];
  // A title opens with the year of the thing; a label far below may be that of an engine.
  return (opening ? normalizeYear(opening, now) : undefined) ?? (labelled && normalizeYear(labelled[1], now));
}

/** True when a page is about boats or their parts: its category or title says so, or its labels are those of a boat. */
export function isAboutBoat(raw: RawRecord): boolean {
  if (BOAT_WORDS.test([raw.category, ...(raw.breadcrumbs ?? []), raw.title].join(' | '))) return true;
  const fields = new Set(Object.keys(raw.properties ?? {}).map((label) => boatFieldOf(label)?.field ?? ''));
  return isBoat(raw, fields);
}

function isBoat(raw: RawRecord, fields: Set<string>): boolean {
  const certain = [...fields].filter((field) => MATTER_OF_BOATS.has(field)).length;
  const likely = [...fields].filter((field) => ALSO_OF_BOATS.has(field)).length;
  const place = [raw.category, ...(raw.breadcrumbs ?? []).slice(0, -1)].join(' | ');
  if (BOAT_WORDS.test(place)) return certain + likely > 0;
  return certain >= 2 || (certain + likely >= 2 && BOAT_WORDS.test(raw.title ?? ''));
}

function addLabel(specs: Record<string, Record<string, Fact>>, printed: string, value: string, now: Date): void {
  const { label, text } = withUnit(printed.trim(), value.trim());
  if (isPresent(text)) {
    addPresence(specs, label);
    return;
  }
  if (POWER_LABEL.test(label)) {
    const kilowatts = /(?<![\d.,])(\d+(?:[.,]\d+)?)\s?kw/i.exec(text)?.[1];
    put(specs, 'engine', 'engine_power_hp', normalizePower(text));
    put(specs, 'engine', 'engine_power_kw', kilowatts ? Number(kilowatts.replace(',', '.')) : undefined);
    return;
  }
  const found = boatFieldOf(label);
  if (!found) return;
  if (found.field === 'draft_m') addDraftRange(specs, text);
  const isWhole = found.field === 'length_overall_m';
  put(specs, found.group, found.field, readFact(found.kind, isWhole ? inFeet(text) : text, now));
  if (found.field === 'material') put(specs, 'construction', 'hull_type', termIn(text, HULL_TYPES));
  if (isWhole) addBeam(specs, text);
}

/** Equipment that is printed without a value, or with a tick: `Autopilot`, `Electric windlass`. */
function addPresence(specs: Record<string, Record<string, Fact>>, label: string): void {
  const found = presenceFieldOf(label);
  if (found?.kind === 'flag') put(specs, found.group, found.field, true);
  if (found?.kind === 'text') put(specs, found.group, found.field, label.slice(0, MAX_TEXT));
  if (found?.kind === 'windlass') put(specs, found.group, found.field, termIn(label, WINDLASS));
}

/** The field of a piece of equipment, whatever stands before its name; facts that need a value have none. */
function presenceFieldOf(label: string): BoatField | undefined {
  const found = boatFieldOf(label) ?? boatFieldOf(label.split(/\s+/).slice(-1).join(' '));
  return found && EQUIPMENT_GROUPS.has(found.group) ? found : undefined;
}

/** No boat is 36 inches long: who writes `36''` under its length means feet. */
function inFeet(text: string): string {
  const inches = /^(\d{1,2}(?:[.,]\d+)?)\s?(?:''|’’|"|”|″|"'|'")$/u.exec(text)?.[1];
  return inches === undefined ? text : `${inches} ft`;
}

/** A unit may stand in the label: `Length (ft)` and `length_ft` with `35` read like `Length` with `35 ft`. */
function withUnit(label: string, value: string): { label: string; text: string } {
  const unit =
    /[([]([^()[\]]{1,20})[)\]]$/.exec(label)?.[1]?.trim() ?? /[\s_](ft|m|cm|kg|lbs?|l|hp|kw|h|kn)$/i.exec(label)?.[1];
  if (unit === undefined) return { label, text: value };
  const bare = label.replace(/(?<![\s_([])[\s_([]+[^\s_([]+$/, '').replaceAll('_', ' ');
  return { label: bare, text: /^[\d\s.,'’]+$/.test(value) ? `${value} ${unit}` : value };
}

/** `10.95 m x 3.50 m` under a length label holds the beam too. */
function addBeam(specs: Record<string, Record<string, Fact>>, text: string): void {
  const second = text.split(/\s[x×*]\s/i)[1];
  const beam = second === undefined ? undefined : normalizeLength(second);
  put(specs, 'dimensions', 'beam_m', beam);
}

/** `1.00 - 1.40 m` is the draft with the keel up and down. */
function addDraftRange(specs: Record<string, Record<string, Fact>>, text: string): void {
  const [, low, high] = /^([\d.,]+)\s*(?:[-–/]|to|bis)\s*([\d.,]+(?:\s+\S+|(?![\d.,])\S+)?)$/i.exec(text) ?? [];
  const up = low === undefined ? undefined : normalizeLength(text);
  const down = high === undefined ? undefined : normalizeLength(high);
  if (up === undefined || down === undefined || up >= down) return;
  put(specs, 'dimensions', 'draft_shallow_m', up);
  put(specs, 'dimensions', 'draft_m', down);
}

/** The first value of a field stays; impossible ones are left out. */
function put(specs: Record<string, Record<string, Fact>>, group: string, field: string, value: Fact | undefined): void {
  if (value === undefined || value === '') return;
  if (typeof value === 'number' && !(value <= (LIMITS[field] ?? MAX_NUMBER))) return;
  const facts = (specs[group] ??= {});
  facts[field] ??= value;
}

const READERS: Record<Exclude<Kind, 'length' | 'year' | 'flag' | 'text'>, (text: string) => Fact | undefined> = {
  mass: normalizeMass,
  volume: normalizeVolume,
  area: normalizeArea,
  speed: normalizeSpeed,
  charge: normalizeCharge,
  count: normalizeCount,
  material: (text) => termIn(text, MATERIALS),
  hull: (text) => termIn(text, HULL_TYPES),
  keel: (text) => termIn(text, KEEL_TYPES),
  rudder: (text) => termIn(text, RUDDER_TYPES),
  rig: (text) => termIn(text, RIG_TYPES),
  engine: (text) => termIn(text, ENGINE_TYPES),
  fuel: (text) => termIn(text, FUEL_TYPES),
  battery: (text) => termIn(text, BATTERY_TYPES),
  windlass: (text) => termIn(text, WINDLASS),
  design: (text) => termIn(text, DESIGN_CATEGORIES),
};

/** A length without unit counts as metres only when it has decimals: `35` may be feet. */
function readFact(kind: Kind, text: string, now: Date): Fact | undefined {
  if (kind === 'length') return normalizeLength(text, /^\d{1,2}[.,]\d{1,2}$/.test(text) ? 'm' : undefined);
  if (kind === 'year') return normalizeYear(text, now);
  if (kind === 'flag') return !NO.test(text);
  if (kind === 'text') return text === '' || NO.test(text) ? undefined : text.slice(0, MAX_TEXT);
  return READERS[kind](text);
}

function named(properties: [string, string][], label: RegExp): string | undefined {
  return properties.find(([name, value]) => label.test(name.trim()) && value.trim() !== '')?.[1].trim();
}
