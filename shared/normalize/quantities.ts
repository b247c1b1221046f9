import { NUMBER_PATTERN, parseAmount, toWesternDigits } from './amount.ts';

type Unit = [pattern: RegExp, factor: number];

const MASS: Unit[] = [
  [/^(?:kg|kgs|kilo\p{L}*|킬로그램|キログラム)(?!\p{L})/iu, 1],
  [/^(?:t|to|ton(?:ne|s|nes|nen|nellate|eladas)?|톤|トン)(?!\p{L})/iu, 1_000],
  [/^(?:lbs?\.?|pounds?|livres?|libras?|libbre)(?!\p{L})/iu, 0.453_592_37],
];
const VOLUME: Unit[] = [
  [/^(?:l|lt|ltr|lit(?:er|re|ri|ro|ros)s?|litres?|리터|リットル)(?!\p{L})/iu, 1],
  [/^(?:imp(?:erial)?\.? gal\p{L}*|gal(?:lons?)? ?\(?(?:imp|uk)\)?)/iu, 4.546_09],
  [/^(?:gal|gals|gallons?|galones|galloni)\.?(?!\p{L})/iu, 3.785_411_784],
  [/^(?:m³|m3|cbm)/iu, 1_000],
];
const AREA: Unit[] = [
  [/^(?:m²|m2|m\^2|qm|sqm|sq\.? ?m\b|mq|平方メートル|㎡|제곱미터)/iu, 1],
  [/^(?:ft²|ft2|sq\.? ?(?:ft|feet)|square feet|pieds? carrés?)/iu, 0.092_903_04],
];
const SPEED: Unit[] = [
  [/^(?:kn|kt|kts|kns|knots?|knoten|n(?:œ|oe)uds?|nudos|nodi|knopen|ノット|노트)(?!\p{L})/iu, 1],
  [/^(?:km\/h|kmh|kph|km\/std)/iu, 0.539_957],
  [/^(?:mph|mi\/h)/iu, 0.868_976],
];
const POWER: Unit[] = [
  [/^(?:kw|kilowatt|킬로와트)(?!\p{L})/iu, 1 / 0.745_699_9],
  [/^(?:ps|ch|cv|pk|hk|dk|le|馬力|마력)(?!\p{L})/iu, 0.986_320_1],
  [/^(?:b?hp|horse ?power|h\.p\.)(?!\p{L})/iu, 1],
];
const ELECTRIC: Unit[] = [[/^(?:ah|amp\p{L}*)/iu, 1]];
const NUMBER = new RegExp(NUMBER_PATTERN, 'gu');

/** The first mass a text names, in kg; a bare number counts as kg. */
export function normalizeMass(text: string): number | undefined {
  return measure(text, MASS, 1, 0);
}

/** The volume a text names, in litres, several tanks added up (`2 x 150 l` -> 300); a bare number counts only with `unit`. */
export function normalizeVolume(text: string): number | undefined {
  const times = /(?<![\d.,])(\d)\s?[x×]\s?(?=\d)/i.exec(text);
  const litres = measure(times ? text.slice(times.index + times[0].length) : text, VOLUME, undefined, 0);
  return litres === undefined ? undefined : litres * (times ? Number(times[1]) : 1);
}

/** The first area a text names, in square metres to one decimal; a bare number counts as square metres. */
export function normalizeArea(text: string): number | undefined {
  return measure(text, AREA, 1, 1);
}

/** The first speed a text names, in knots to one decimal; a bare number counts as knots. */
export function normalizeSpeed(text: string): number | undefined {
  return measure(text, SPEED, 1, 1);
}

/** The capacity of a battery, in ampere hours. */
export function normalizeCharge(text: string): number | undefined {
  return measure(text, ELECTRIC, 1, 0);
}

/** Engine power in hp, of one engine (`2 x 160 HP / 118 kW` -> 160); metric horse powers count as printed. */
export function normalizePower(text: string): number | undefined {
  const clean = toWesternDigits(text.slice(0, 200));
  const printed = /(?<![\d.,])(\d+(?:[.,]\d+)?)\s?(?:b?hp|ps|ch|cv|pk|h\.p\.)(?!\p{L})/iu.exec(clean);
  if (printed?.[1]) return positive(Number(printed[1].replace(',', '.')), 0);
  return measure(clean.replace(/(?<![\d.,])\d\s?[x×]\s?(?=\d)/i, ''), POWER, undefined, 0);
}

/** How many engines a text names: the factor before a power, else undefined. */
export function normalizeEngineCount(text: string): number | undefined {
  const factor = /(?<![\d.,])([1-9])\s?[x×]\s?\d/i.exec(text)?.[1];
  return factor === undefined ? undefined : Number(factor);
}

/** The first whole number of a text (`7 Persons`, `2'000 h`), below a million; undefined when there is none. */
export function normalizeCount(text: string): number | undefined {
  const [match] = toWesternDigits(text.slice(0, 200)).match(NUMBER) ?? [];
  const amount = match === undefined ? undefined : parseAmount(match);
  return amount === undefined || amount < 0 || amount >= 1e6 ? undefined : Math.round(amount);
}

/** The first number with one of the units; without any unit in the text, the first number times `bare`. */
function measure(text: string, units: Unit[], bare: number | undefined, decimals: number): number | undefined {
  const clean = toWesternDigits(text.slice(0, 300));
  let first: number | undefined;
  for (const match of clean.matchAll(NUMBER)) {
    const amount = parseAmount(match[0]);
    if (amount === undefined) continue;
    first ??= amount;
    const rest = clean.slice(match.index + match[0].length).trimStart();
    const unit = units.find(([pattern]) => pattern.test(rest));
    if (unit) return positive(amount * unit[1], decimals);
  }
  const isBare = /^[\s\d.,'’+~<>≈-]*$/u.test(clean.replace(/^(?:ca|circa|approx|about|env|ungefähr)\.?\s*/i, ''));
  return first === undefined || bare === undefined || !isBare ? undefined : positive(first * bare, decimals);
}

function positive(value: number, decimals: number): number | undefined {
  const rounded = Math.round(value * 10 ** decimals) / 10 ** decimals;
  return rounded > 0 && rounded < 1e9 ? rounded : undefined;
}
