import { expect, test } from 'vitest';
import { deriveAttributes } from '../../../shared/listings/derive-boat.ts';

test('a boat structure implies the eight attributes', () => {
  const boat = {
    type: 'boat',
    category: 'sailboats',
    subcategory: 'cruising',
    brand: ' Bavaria ',
    model: 'Cruiser 46',
    year: 2015,
    specs: {
      dimensions: { length_overall_m: 14.27, beam_m: 4.35 },
      construction: { material: 'fiberglass', builder: 'Bavaria Yachtbau' },
      engine: { fuel_type: 'diesel' },
    },
  };
  expect(deriveAttributes(boat)).toEqual({
    brand: 'Bavaria',
    model: 'Cruiser 46',
    year: 2015,
    length: 14.27,
    beam: 4.35,
    boat_type: 'cruising',
    material: 'fiberglass',
    fuel_type: 'diesel',
  });
});

test('the builder stands in for the brand, the category for the subcategory', () => {
  expect(deriveAttributes({ category: 'sailboats', specs: { construction: { builder: 'Najad' } } })).toEqual({
    brand: 'Najad',
    boat_type: 'sailboats',
  });
});

test('values of the wrong type and empty ones imply nothing', () => {
  expect(deriveAttributes({ brand: '', model: 7, year: '2015', specs: [], category: null })).toEqual({});
  expect(deriveAttributes({ year: 0, specs: { dimensions: { length_overall_m: -1, beam_m: Number.NaN } } })).toEqual(
    {},
  );
});
