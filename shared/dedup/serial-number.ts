const MIN_SIGNS = 6;
const MAX_SIGNS = 40;
const MIN_DIGITS = 2;
const MIN_DIFFERENT_SIGNS = 4;
/** What people type where a form demands a number: every sign follows the one before it. */
const ascending = '01234567890123456789abcdefghijklmnopqrstuvwxyz';
const descending = [...ascending].toReversed().join('');

/** The attributes in which goods of any kind carry the number of the single piece; numbers of a model are not among them. */
const attributeKeys = [
  'hull_id',
  'hin',
  'vin',
  'chassis_number',
  'frame_number',
  'serial_number',
  'imei',
  'registration_number',
];

/**
 * The serial number of one object (hull, chassis, frame, device) in small letters and digits; undefined where there is none or
 * something else stands in its place: `N/A`, `TBD`, `see description`, `000000`, `123456`, or too few signs to be unique.
 */
export function readSerialNumber(
  hullId: string | null | undefined,
  attributes: Readonly<Record<string, unknown>>,
): string | undefined {
  const printed = [hullId, ...attributeKeys.map((key) => attributes[key])];
  return printed.map((each) => (typeof each === 'string' ? squeezeSerial(each) : undefined)).find(Boolean);
}

const gtinKeys = ['gtin', 'gtin14', 'gtin13', 'gtin12', 'gtin8', 'ean', 'upc', 'isbn'];
const partKeys = ['mpn', 'part_number', 'model_number'];

/** The numbers of a kind of goods among the attributes: a GTIN whose GS1 check digit is right, as 14 digits, and a part number. */
export function readProductCodes(attributes: Readonly<Record<string, unknown>>): { gtin?: string; mpn?: string } {
  const textsOf = (keys: readonly string[]) =>
    keys
      .map((key) => attributes[key])
      .map((value) => (typeof value === 'number' ? String(value) : value))
      .filter(isText);
  return {
    gtin: textsOf(gtinKeys).map(readGtin).find(Boolean),
    mpn: textsOf(partKeys).find((text) => squeezeSerial(text) !== undefined),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function readGtin(printed: string): string | undefined {
  const digits = printed.replaceAll(/[\s-]/g, '');
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return undefined;
  const padded = digits.padStart(14, '0');
  const sum = [...padded].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return sum % 10 === 0 ? padded : undefined;
}

/** A printed serial number without spaces and dashes, in small letters; undefined for a placeholder. */
export function squeezeSerial(printed: string): string | undefined {
  const number = printed.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const digits = number.replaceAll(/[^0-9]/g, '').length;
  if (number.length < MIN_SIGNS || number.length > MAX_SIGNS || digits < MIN_DIGITS) return undefined;
  if (new Set(number).size < MIN_DIFFERENT_SIGNS) return undefined;
  return ascending.includes(number) || descending.includes(number) ? undefined : number;
}
