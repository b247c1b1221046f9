import { describe, expect, test } from 'vitest';
import { checkAttributes, type AttributeValue } from '../../../shared/listings/attributes.ts';
import type { AssetTypeDefinition, AttributeDefinition } from '../../../shared/profiles/profile.ts';

const attribute = (key: string, type: AttributeDefinition['type'], more: Partial<AttributeDefinition> = {}) => ({
  key,
  label: key,
  type,
  required: false,
  filterable: true,
  ...more,
});
const boats: AssetTypeDefinition = {
  id: 'boats',
  label: 'Boats',
  description: 'Boats',
  categoryIds: [],
  attributes: [
    attribute('brand', 'string'),
    attribute('year', 'number'),
    attribute('trailer', 'boolean'),
    attribute('hull_type', 'enum', { options: ['monohull', 'catamaran'] }),
  ],
};
const check = (attributes: Record<string, AttributeValue>) => checkAttributes(attributes, boats);

describe('changes a type when nothing is lost', () => {
  test.each<[string, AttributeValue, AttributeValue]>([
    ['year', '2015', 2015],
    ['year', ' 12.50 ', 12.5],
    ['brand', 46, '46'],
    ['trailer', 'TRUE', true],
    ['hull_type', 'Catamaran', 'catamaran'],
  ])('%s %j -> %j', (key, value, stored) => {
    expect(check({ [key]: value })).toEqual({ attributes: { [key]: stored }, errors: [], warnings: [] });
  });
});

describe('refuses and leaves out', () => {
  test.each<[string, AttributeValue]>([
    ['year', 'about 2015'],
    ['year', '12,5'],
    ['year', '1e3'],
    ['year', '12345678901234567890'],
    ['year', true],
    ['year', ['2015']],
    ['trailer', 'yes'],
    ['trailer', 1],
    ['hull_type', 'proa'],
    ['hull_type', true],
    ['brand', ['Bavaria']],
  ])('%s %j', (key, value) => {
    const { attributes, errors } = check({ brand: 'Bavaria', [key]: value });
    expect(errors).toMatchObject([{ path: `/body/attributes/${key}`, message: expect.any(String) }]);
    expect(attributes).not.toHaveProperty(key);
  });
});

test('unknown keys are kept, with a warning', () => {
  const { attributes, errors, warnings } = check({ brand: 'Bavaria', anchor: ['Rocna', 'Delta'] });
  expect(attributes).toEqual({ brand: 'Bavaria', anchor: ['Rocna', 'Delta'] });
  expect(errors).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("'anchor'")]);
});

test('nothing and empty texts count as absent', () => {
  expect(check({ brand: null, year: '', trailer: ' ' })).toEqual({ attributes: {}, errors: [], warnings: [] });
});

test('a missing required key is an error at its place', () => {
  const strict = { ...boats, attributes: [attribute('a/b', 'string', { required: true })] };
  expect(checkAttributes({ 'a/b': null }, strict).errors).toEqual([
    { path: '/body/attributes/a~1b', message: 'This attribute is required.', reason: 'required' },
  ]);
  expect(checkAttributes({ 'a/b': 'x' }, strict).errors).toEqual([]);
});

test('without a template everything is kept as it is', () => {
  const attributes = { year: 'about 2015', anything: true };
  expect(checkAttributes(attributes, undefined)).toEqual({ attributes, errors: [], warnings: [] });
});

test('a key that JavaScript gives a meaning is a key like any other', () => {
  const { attributes } = checkAttributes(
    JSON.parse('{"__proto__": "x", "constructor": "y"}') as Record<string, string>,
    boats,
  );
  expect(JSON.stringify(attributes)).toBe('{"__proto__":"x","constructor":"y"}');
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});
