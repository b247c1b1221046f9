import { describe, expect, test } from 'vitest';
import { normalizeLength } from '../../../shared/normalize/length.ts';
import { repairMojibake } from '../../../shared/normalize/mojibake.ts';
import {
  normalizeArea,
  normalizeCount,
  normalizeEngineCount,
  normalizeMass,
  normalizePower,
  normalizeSpeed,
  normalizeVolume,
} from '../../../shared/normalize/quantities.ts';
import { normalizeYear } from '../../../shared/normalize/year.ts';

const now = new Date('2026-03-01T00:00:00Z');

describe('normalizeLength gives metres', () => {
  test.each([
    ['10.95 m x 3.50 m', 10.95],
    ['12,5 Meter', 12.5],
    ['12.345 m', 12.35],
    ['1095 cm', 10.95],
    ['12.000 mm', 12],
    ['10m95', 10.95],
    ['1.00 - 1.40 m', 1],
    ['35\'6"', 10.82],
    ["35' 6''", 10.82],
    ['35′ 6″', 10.82],
    ['35 ft 6 in', 10.82],
    ['47 ft 3 1/2 in', 14.41],
    ["11'11'", 3.63],
    ["6'10", 2.08],
    ["5.10'", 1.55],
    ["44'", 13.41],
    ['36 pieds', 10.97],
    ['30 Fuß', 9.14],
    ['１２メートル', 12],
    ['33 feet', 10.06],
  ])('%s', (text, metres) => {
    expect(normalizeLength(text)).toBe(metres);
  });

  test('a bare number counts only in a given unit', () => {
    expect(normalizeLength('4.0')).toBeUndefined();
    expect(normalizeLength('4.0', 'm')).toBe(4);
    expect(normalizeLength('35', 'ft')).toBe(10.67);
  });

  test.each(["'", '12 m²', '0 m', 'long', ''])('%s is none', (text) => {
    expect(normalizeLength(text)).toBeUndefined();
  });
});

describe('normalizeYear', () => {
  test.each([
    ['1998', 1998],
    ['08/2022', 2022],
    ['01.05.2010', 2010],
    ['2022-08-01', 2022],
    ['Bj. 1998 (refit 2015)', 1998],
    ['2015년식', 2015],
    ['平成10年', 1998],
    ['令和元年', 2019],
    ['2028', 2028],
    ['2029', undefined],
    ['1849', undefined],
    ['98', undefined],
    ['0', undefined],
    ['12,1998', undefined],
  ])('%s is %s', (text, year) => {
    expect(normalizeYear(text, now)).toBe(year);
  });
});

describe('other quantities', () => {
  test.each([
    [normalizeMass, "9'000 kg", 9_000],
    [normalizeMass, '5.5 t', 5_500],
    [normalizeMass, '15422 lbs', 6_995],
    [normalizeMass, '7500', 7_500],
    [normalizeMass, 'heavy', undefined],
    [normalizeVolume, '2 x 150 l', 300],
    [normalizeVolume, '2 Plastic (400 Liters)', 400],
    [normalizeVolume, '50 gal', 189],
    [normalizeVolume, '1 (70)', undefined],
    [normalizeArea, '80 m² (Battened Mainsail)', 80],
    [normalizeArea, '213.00 sq ft', 19.8],
    [normalizeSpeed, '6 knots', 6],
    [normalizeSpeed, '30 km/h', 16.2],
    [normalizePower, '2 x 160 HP / 118 kW', 160],
    [normalizePower, '118 kW', 158],
    [normalizePower, '35 PS', 35],
    [normalizePower, '35', undefined],
    [normalizeEngineCount, '2 x 160 HP', 2],
    [normalizeEngineCount, '160 HP', undefined],
    [normalizeCount, "2'000 h", 2_000],
    [normalizeCount, '7 Persons', 7],
    [normalizeCount, 'none', undefined],
  ])('%o of %s is %s', (read, text, expected) => {
    expect(read(text)).toBe(expected);
  });
});

test.each([
  ['VÃ©senaz Â» RÃ¼gen', 'Vésenaz » Rügen'],
  ['â‚¬ 5', '€ 5'],
  ['Ã¢â€šÂ¬ 5', '€ 5'],
  ['Vésenaz — ça va', 'Vésenaz — ça va'],
  ['Â', 'Â'],
])('repairMojibake makes %s to %s', (text, expected) => {
  expect(repairMojibake(text)).toBe(expected);
});
