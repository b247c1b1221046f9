import { NUMBER_PATTERN, parseAmount, toWesternDigits } from './amount.ts';

/** Metres per unit. */
const UNITS: [RegExp, number][] = [
  [/^(?:mm|millimet\p{L}+|밀리미터|ミリ)(?!\p{L})/iu, 0.001],
  [/^(?:cm|centimet\p{L}+|zentimeter|centímetros?|centimetri|센티미터|センチ)(?!\p{L})/iu, 0.01],
  [/^(?:km|kilomet\p{L}+|chilometri)(?!\p{L})/iu, 1_000],
  [/^(?:m|mtrs?\.?|mts?\.?|met(?:er|re|ri|ro|ros)s?|mètres?|metros?|м|метр\p{L}*|미터|メートル)(?![\p{L}²³23])/iu, 1],
  [/^(?:feet|foot|ft\.?|fuß|fuss|pieds?|pies?|piedi|piede|voet|fot|피트|フィート|′|'(?!')|’(?!’))/iu, 0.3048],
  [/^(?:inch(?:es)?|in\.?|zoll|pouces?|pulgadas?|pollici|인치|インチ|″|"|”|''|’’)/iu, 0.0254],
];
const FOOT = 0.3048;
const INCH = 0.0254;
const FEET_AND_INCHES =
  /(?<!\d)(\d{1,5}(?:[.,]\d{1,5})?)\s{0,5}(?:′|'(?!')|’(?!’)|ft\.?|feet|foot|fuß|pieds?|pies|piedi)\s*(?:and\s{0,5}|-\s{0,5})?(\d{1,5}(?:[.,]\d{1,5})?)(?:\s{1,5}(\d)\/(\d{1,5}))?\s{0,5}(?:″|"|”|''|’’|′|'|’|in(?:ch(?:es)?)?\.?|zoll|$)/iu;
/** `36-4'` and `31 11'`: inches go up to eleven, and no range goes down. */
const BARE_FEET_AND_INCHES = /^(\d{2,3})\s?[- ]\s?(\d|1[01])\s?(?:'|’)$/u;
const METRES_AND_CENTIMETRES = /(?<![\d.,])(\d{1,3})\s?m\s?(\d{2})(?![\d.,])(?!\s?[x×])/iu;
const NUMBER = new RegExp(NUMBER_PATTERN, 'u');

/**
 * The first length a text names, in metres to the centimetre (`10.95 m x 3.50 m` -> 10.95, `35'6"` -> 10.82, `1095 cm`).
 * A number without a unit counts only in the unit given. Undefined when there is none, or it is not above zero.
 */
export function normalizeLength(text: string, unit?: 'm' | 'ft' | 'cm'): number | undefined {
  const clean = toWesternDigits(text.slice(0, 300).replace(/[′´`]/g, "'").replace(/[″“”]/g, '"')).trim();
  const match = NUMBER.exec(clean);
  if (!match) return undefined;
  const pair = BARE_FEET_AND_INCHES.exec(clean) ?? FEET_AND_INCHES.exec(clean);
  if (pair && pair.index <= match.index) return positive(feetOf(pair));
  const mixed = METRES_AND_CENTIMETRES.exec(clean);
  if (mixed?.index === match.index) return positive(Number(mixed[1]) + Number(mixed[2]) / 100);

  // In `1.00 - 1.40 m` the unit stands behind the second number.
  const rest = clean
    .slice(match.index + match[0].length)
    .replace(/^\s*(?:[-–/x×]|to|bis|à|a)\s*[\d.,]+/i, '')
    .trimStart();
  const amount = parseLength(match[0], rest);
  const factor = UNITS.find(([pattern]) => pattern.test(rest))?.[1] ?? factorOf(unit);
  return amount === undefined || factor === undefined ? undefined : positive(amount * factor);
}

function feetOf([, feet = '', inches = '', part, whole]: RegExpExecArray): number {
  const fraction = part === undefined ? 0 : Number(part) / Number(whole);
  const extra = Number(inches.replace(',', '.')) + fraction;
  return Number(feet.replace(',', '.')) * FOOT + (extra < 12 ? extra * INCH : 0);
}

/** Lengths have decimals, not thousands: `12.000 m` is twelve metres, but `12.000 mm` twelve thousand millimetres. */
function parseLength(printed: string, rest: string): number | undefined {
  return /^\d{1,2}[.,]\d{3}$/.test(printed) && !/^(?:mm|millim)/i.test(rest)
    ? Number(printed.replace(',', '.'))
    : parseAmount(printed);
}

function factorOf(unit: 'm' | 'ft' | 'cm' | undefined): number | undefined {
  return unit === undefined ? undefined : { m: 1, ft: FOOT, cm: 0.01 }[unit];
}

function positive(metres: number): number | undefined {
  const rounded = Math.round(metres * 100) / 100;
  return Number.isFinite(rounded) && rounded > 0 ? rounded : undefined;
}
