import { describe, expect, test } from 'vitest';
import { findInventions, findLostFacts } from '../../../shared/rewriting/facts.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const original = 'Bavaria 46 from 2006, 12.5 m long, 55 hp Volvo Penta, 1,200 hours, asking € 89,500.';

describe('what survives', () => {
  test.each([
    ['German', 'Bavaria 46 von 2006, 12,5 m lang, 55 PS Volvo Penta, 1.200 Stunden, Preis 89.500 €.'],
    ['French', 'Bavaria 46 de 2006, 12,5 mètres, Volvo Penta de 55 ch, 1 200 heures, 89 500 €.'],
    ['Spanish', 'Bavaria 46 de 2006, 12,5 metros de eslora, Volvo Penta de 55 CV, 1.200 horas, 89.500 euros.'],
    ['Japanese', '2006年製Bavaria 46、全長12.5メートル、Volvo Penta 55馬力、1,200時間、価格€89,500。'],
    [
      'Japanese in wide digits',
      '２００６年製Bavaria ４６、１２．５ｍ、Volvo Penta ５５馬力、１２００時間、€８９，５００。',
    ],
    ['Korean', '2006년식 Bavaria 46, 길이 12.5미터, Volvo Penta 55마력, 1,200시간, €89,500.'],
  ])('%s has all of it', (_language, text) => {
    expect(findLostFacts(original, text, ['Bavaria', 'Volvo Penta'])).toEqual([]);
    expect(findInventions(original, text)).toEqual([]);
  });

  test('12.50 is 12.5, and a date keeps its parts', () => {
    expect(findLostFacts('12.50 m, seen on 2024-05-17', '12,5 m, gesehen am 17.05.2024')).toEqual([]);
  });
});

describe('what does not', () => {
  test.each([
    ['a lost number', 'It has 3 cabins and 2 heads.', 'Sie hat 3 Kabinen.', 'The number 2 of the original is missing.'],
    ['a changed number', '1,200 hours', '1.300 Stunden', 'The number 1,200 of the original is missing.'],
    ['an invented number', 'A sound boat.', 'Ein Boot von 1999.', 'The number 1999 is not in the original.'],
    ['a converted unit', 'She is 40 ft long.', 'Sie ist 40 m lang.', '"40 ft" has lost its unit.'],
    ['a lost unit', 'She has 55 hp.', 'Sie hat 55.', '"55 hp" has lost its unit.'],
    ['another currency', 'For $5000', 'Für 5000 €', '"$5000" has lost its unit.'],
    ['a lost name', 'A Hallberg-Rassy', 'Eine Yacht', 'The name "Hallberg-Rassy" of the original is missing.'],
    [
      'an address',
      'A boat',
      'Ein Boot, siehe www.evil.example',
      'The address "www.evil.example" is not in the original.',
    ],
  ])('%s', (_name, before, after, fault) => {
    expect([...findLostFacts(before, after, ['Hallberg-Rassy']), ...findInventions(before, after)]).toContain(fault);
  });
});

test('names that the original does not have are not asked for', () => {
  expect(findLostFacts('A boat', 'Ein Boot', ['Bavaria', ''])).toEqual([]);
});

test('long texts of digits take no long time', () => {
  const long = '1.234'.repeat(4_000) + ' m'.repeat(4_000);
  expect(cpuMsOf(() => findLostFacts(long, long))).toBeLessThan(1_000);
});
