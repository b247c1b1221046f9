import { expect, test } from 'vitest';
import { normalizeRecord } from '../../../shared/normalize/record.ts';

function recordOf(properties: Record<string, string>) {
  const raw = { url: 'https://ads.example/1', title: 'A sloop', breadcrumbs: ['Boats', 'x'] };
  const result = normalizeRecord(
    { ...raw, properties: { LOA: '13 m', Draft: '2.1 m', ...properties } },
    { site: 'ads.example', now: new Date() },
  );
  if ('reason' in result) throw new Error(result.reason);
  return result.record;
}

test('equipment printed without a value, or with a tick, is there', () => {
  const { boat } = recordOf({
    Autopilot: '',
    'Bimini Top': '',
    Radar: '✓',
    'Electric windlass': '',
    Liferaft: 'yes',
    Heizung: 'ja',
    Cabins: '1',
    Berths: '',
  });
  expect(boat?.specs).toMatchObject({
    electronics: { autopilot: 'Autopilot', radar: true },
    deck_equipment: { bimini: true, windlass: 'electric' },
    safety: { life_raft: true },
    accommodation: { heating: 'Heizung' },
  });
  expect(boat?.specs).toHaveProperty('accommodation.cabins', 1);
  expect(boat?.specs).not.toHaveProperty('accommodation.berths');
});

test.each([
  'Bow thruster',
  'Bugstrahlruder',
  "Propulseur d'étrave",
  'Propulseur d’étrave',
  'Hélice de proa',
  'バウスラスター',
])('%s is a bow thruster in any language', (label) => {
  expect(recordOf({ [label]: '' }).attributes).toMatchObject({ bow_thruster: true });
});

test('equipment nobody foresaw keeps its name, a sentence is none, and what is absent stays so', () => {
  const { attributes } = recordOf({
    'Radar Detector': '',
    'The company offers the details of this vessel in good faith but cannot guarantee them.': '',
    'Bow thruster': 'no',
  });
  expect(attributes).toMatchObject({ radar_detector: true });
  expect(attributes?.['bow_thruster']).not.toBe(true);
  expect(Object.keys(attributes ?? {}).filter((key) => key.startsWith('the_company'))).toEqual([]);
});
