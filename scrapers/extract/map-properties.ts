import { collapseWhitespace } from '../../shared/kit/html/text.ts';
import { itemsOf, textFrom, valueText } from './items.ts';
import type { Item } from './items.ts';

const MAX_PROPERTIES = 200;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** schema.org properties that are facts of the thing itself, under the label they are kept by. */
const FACTS = Object.entries({
  accommodationcategory: 'accommodationCategory',
  bodytype: 'bodyType',
  bookformat: 'bookFormat',
  cargovolume: 'cargoVolume',
  color: 'color',
  datevehiclefirstregistered: 'dateVehicleFirstRegistered',
  depth: 'depth',
  drivewheelconfiguration: 'driveWheelConfiguration',
  enginetype: 'engineType',
  floorsize: 'floorSize',
  fuelcapacity: 'fuelCapacity',
  fueltype: 'fuelType',
  height: 'height',
  knownvehicledamages: 'knownVehicleDamages',
  length: 'length',
  manufacturer: 'manufacturer',
  material: 'material',
  mileagefromodometer: 'mileageFromOdometer',
  modeldate: 'modelDate',
  mpn: 'mpn',
  numberofbathroomstotal: 'numberOfBathrooms',
  numberofbedrooms: 'numberOfBedrooms',
  numberofdoors: 'numberOfDoors',
  numberofpreviousowners: 'numberOfPreviousOwners',
  numberofrooms: 'numberOfRooms',
  pattern: 'pattern',
  productiondate: 'productionDate',
  purchasedate: 'purchaseDate',
  releasedate: 'releaseDate',
  seatingcapacity: 'seatingCapacity',
  size: 'size',
  speed: 'speed',
  vehicleconfiguration: 'vehicleConfiguration',
  vehicleidentificationnumber: 'vehicleIdentificationNumber',
  vehicleinteriorcolor: 'vehicleInteriorColor',
  vehicleinteriortype: 'vehicleInteriorType',
  vehiclemodeldate: 'vehicleModelDate',
  vehicleseatingcapacity: 'vehicleSeatingCapacity',
  vehiclespecialusage: 'vehicleSpecialUsage',
  vehicletransmission: 'vehicleTransmission',
  weight: 'weight',
  width: 'width',
  yearbuilt: 'yearBuilt',
});

const ENGINE = Object.entries({
  name: 'engineName',
  enginedisplacement: 'engineDisplacement',
  enginepower: 'enginePower',
  enginetype: 'engineType',
  fueltype: 'fuelType',
  torque: 'torque',
});

/** UN/CEFACT codes that stand for a unit a reader would know. */
const UNIT_CODES = new Map<string, string>(
  Object.entries({
    BHP: 'hp',
    CMK: 'cm²',
    CMQ: 'cm³',
    CMT: 'cm',
    FOT: 'ft',
    FTK: 'ft²',
    GLL: 'gal',
    GRM: 'g',
    HUR: 'h',
    INH: 'in',
    KGM: 'kg',
    KMH: 'km/h',
    KMT: 'km',
    KNT: 'kn',
    KWT: 'kW',
    LBR: 'lb',
    LTR: 'l',
    MMT: 'mm',
    MTK: 'm²',
    MTR: 'm',
    N12: 'PS',
    SMI: 'mi',
    TNE: 't',
  }),
);

/** The labelled facts of an item: `additionalProperty` under its printed names, known facts under schema.org's. */
export function mapProperties(item: Item): Record<string, string> | undefined {
  const properties: Record<string, string> = {};
  for (const pair of itemsOf(item, 'additionalproperty', 'additionalproperties', 'additional')) {
    addFact(properties, textFrom(pair, 'name', 'propertyid'), quantityText(pair));
  }
  addFacts(properties, item, FACTS);
  for (const engine of itemsOf(item, 'vehicleengine')) addFacts(properties, engine, ENGINE);
  return Object.keys(properties).length > 0 ? properties : undefined;
}

/** Keeps a labelled fact unless the label is taken, empty or too long; at most 200 per record. */
export function addFact(properties: Record<string, string>, label: string | undefined, text: string | undefined): void {
  const key = label === undefined ? undefined : collapseWhitespace(label).trim();
  const value = text === undefined ? undefined : collapseWhitespace(text).trim();
  if (!key || !value || key.length > 100 || value.length > 1_000 || FORBIDDEN.has(key)) return;
  if (Object.hasOwn(properties, key) || Object.keys(properties).length >= MAX_PROPERTIES) return;
  properties[key] = value;
}

function addFacts(properties: Record<string, string>, item: Item, names: [string, string][]): void {
  for (const [name, label] of names) {
    const values = item.props.get(name);
    if (!values) continue;
    const texts = values.slice(0, 4).map((value) => (typeof value === 'string' ? value.trim() : quantityText(value)));
    addFact(properties, label, [...new Set(texts.filter((text) => text !== undefined))].join(' / '));
  }
}

/** A quantity with its unit (`790 km`), or the plain text of anything else. */
function quantityText(item: Item): string | undefined {
  const low = textFrom(item, 'value', 'minvalue');
  const high = textFrom(item, 'maxvalue');
  const amount = low !== undefined && high !== undefined && low !== high ? `${low} - ${high}` : (low ?? high);
  if (amount === undefined) return item.props.has('propertyid') ? undefined : valueText(item);
  const named = textFrom(item, 'unittext', 'unitcode');
  const isCode = !item.props.has('unittext');
  const unit = named === undefined ? undefined : (UNIT_CODES.get(named.toUpperCase()) ?? (isCode ? undefined : named));
  return unit ? `${amount} ${unit}` : amount;
}
