import { describe, expect, test } from 'vitest';
import { normalizeBoat, yearOf } from '../../../shared/normalize/boat.ts';

const now = new Date('2026-03-01T00:00:00Z');
const boatOf = (properties: Record<string, string>, rest: object = {}) =>
  normalizeBoat({ url: 'https://a.example/1', breadcrumbs: ['Boats', 'Sailing', 'x'], properties, ...rest }, now);

test('labels of a portal become the nautical structure in metric units', () => {
  const boat = boatOf(
    {
      'Year Built': '1988',
      Length: '10.95 m x 3.50 m',
      Draft: '1.00 - 1.40 m',
      Displacement: "9'000 kg",
      Material: 'GRP',
      Keel: 'Long Keel',
      Cabins: '2 Cabins',
      Beds: '7 beds',
      Propulsion: 'Saildrive',
      'Engine Power': '1 x 35 HP / 26 kW',
      Fuel: 'Diesel',
      'Fuel Capacity': '150 l',
      'Engine Hours': "2'000 h",
      Mainsail: '25 m²',
      'CE category': 'A - Ocean',
      HIN: 'DE-ABC12345L888',
      Radar: '',
      Davits: 'no',
    },
    { brand: 'Najad', model: 'Aphrodite 36', condition: 'good condition' },
  );
  expect(boat).toEqual({
    type: 'boat',
    brand: 'Najad',
    model: 'Aphrodite 36',
    year: 1988,
    condition: 'good',
    hull_id: 'DE-ABC12345L888',
    specs: {
      dimensions: { length_overall_m: 10.95, beam_m: 3.5, draft_shallow_m: 1, draft_m: 1.4, displacement_kg: 9_000 },
      construction: { material: 'fiberglass', keel_type: 'full' },
      accommodation: { cabins: 2, berths: 7 },
      engine: {
        engine_type: 'saildrive',
        engine_power_hp: 35,
        engine_power_kw: 26,
        fuel_type: 'diesel',
        engine_hours: 2_000,
      },
      tanks: { fuel_capacity_l: 150 },
      rigging: { sail_area_main_m2: 25 },
      safety: { category: 'A' },
      electronics: { radar: true },
      deck_equipment: { davits: false },
    },
  });
});

describe('labels are known', () => {
  test.each([
    ['Länge über Alles', '9,42 m', 'dimensions', 'length_overall_m', 9.42],
    ['Tirant d’eau', '1,5 m', 'dimensions', 'draft_m', 1.5],
    ["Tirant d'eau", '1,5 m', 'dimensions', 'draft_m', 1.5],
    ['Eslora (m)', '12', 'dimensions', 'length_overall_m', 12],
    ['length_ft', '35', 'dimensions', 'length_overall_m', 10.67],
    ['Beam:', '11\' 6"', 'dimensions', 'beam_m', 3.51],
    ['Pescaggio', '180 cm', 'dimensions', 'draft_m', 1.8],
    ['全長', '10.5 m', 'dimensions', 'length_overall_m', 10.5],
    ['길이', '10.5m', 'dimensions', 'length_overall_m', 10.5],
    ['Kraftstoff', 'Benzin', 'engine', 'fuel_type', 'petrol'],
    ['Heures moteur', '850 h', 'engine', 'engine_hours', 850],
    ['Hull', 'monohull', 'construction', 'hull_type', 'monohull'],
    ['Motorleistung', '30 PS', 'engine', 'engine_power_hp', 30],
    ['Max Speed', '55 km/h', 'engine', 'max_speed_kn', 29.7],
  ])('%s: %s', (label, text, group, field, value) => {
    expect(boatOf({ Berths: '4', [label]: text })?.specs?.[group]?.[field]).toBe(value);
  });
});

test.each([
  ['Length', '35', 'a length that may be feet or metres'],
  ['Length', '1140.0 m', 'a boat longer than any'],
  ['Cabins', '99999', 'cabins beyond reason'],
  ['Material', 'unobtainium', 'a material without a name'],
])('%s %s is left out: %s', (label, text) => {
  const specs = boatOf({ Berths: '4', [label]: text })?.specs ?? {};
  expect(specs).toEqual({ accommodation: { berths: 4 } });
});

test('a page that is not clearly about a boat has no boat', () => {
  const couch = { url: 'https://a.example/1', title: 'Couch', breadcrumbs: ['Furniture'] };
  expect(
    normalizeBoat({ ...couch, properties: { Length: '2 m', Material: 'wood', Weight: '40 kg' } }, now),
  ).toBeUndefined();
  expect(normalizeBoat({ ...couch, title: 'Boat cover', properties: { Material: 'PVC' } }, now)).toBeUndefined();
});

test('labels that only boats have are enough without a category', () => {
  const raw = {
    url: 'https://a.example/1',
    title: 'Contessa 32',
    properties: { LOA: '9.75 m', Beam: '2.9 m', Draft: '1.65 m' },
  };
  expect(normalizeBoat(raw, now)?.specs?.dimensions).toEqual({ length_overall_m: 9.75, beam_m: 2.9, draft_m: 1.65 });
});

test('the year stands behind a label or in front of the title', () => {
  expect(yearOf({ url: 'x', title: '1998 Dufour 43' }, now)).toBe(1998);
  expect(yearOf({ url: 'x', title: 'Dufour 1998', properties: { Baujahr: '05/2001' } }, now)).toBe(2001);
  expect(yearOf({ url: 'x', title: 'Dufour 2040' }, now)).toBeUndefined();
});
