import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { translateAttribute, translateValue } from '../../../shared/catalog/attribute-words.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';

const general = profileOf('general');
const nautical = profileOf('nautical');

type Schema = { properties?: Record<string, { enum?: string[] }> };

const contract = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8')) as {
  components: { schemas: Record<string, Schema> };
};
const groups = Object.keys(contract.components.schemas.BoatSpecs?.properties ?? {});
const fields = groups.flatMap((group) => {
  const name = `Boat${group.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  return Object.entries(contract.components.schemas[name]?.properties ?? {});
});
/** The category of a boat is called as the attribute that it repeats; letters of a class are the same everywhere. */
const isNamed = (key: string) => key !== 'category';
const isWord = (value: string) => !/^[A-Z]+$/.test(value);
const nameOf = (field: string) => field.replace(/_(?:m2?|kg|l|hp|kw|kn|ah|v|w)$/, '');
const others = nautical.locales.filter((locale) => locale !== 'en');

describe.each(others)('in %s', (locale) => {
  test.each([nautical, general])(
    'every attribute and every value of the templates of $name has a word',
    ({ assetTypes }) => {
      const attributes = assetTypes.flatMap(({ id, attributes: own }) =>
        own.map((each) => ({ ...each, assetType: id })),
      );
      expect(attributes.length).toBeGreaterThan(100);
      expect(attributes.filter(({ key, assetType }) => !translateAttribute(key, locale, assetType))).toEqual([]);
      const same = attributes
        .flatMap(({ key, options = [] }) => options.filter(isWord).map((option) => [key, option] as const))
        .filter(([key, option]) => !translateValue(key, option, locale));
      expect(same).toEqual([]);
    },
  );

  test('every field of the specification of a boat and every value that the contract names has a word', () => {
    expect(fields.length).toBeGreaterThan(70);
    const keys = fields.map(([field]) => nameOf(field)).filter(isNamed);
    expect(keys.filter((key) => !translateAttribute(key, locale, 'boats'))).toEqual([]);
    const known = fields.flatMap(([field, { enum: values = [] }]) => values.map((value) => [nameOf(field), value]));
    // What is called as in English is a loan word; what has an underscore is nobody's word.
    const strays = known.filter(([key, value]) => translateValue(key!, value!, locale).includes('_'));
    expect(strays).toEqual([]);
  });
});

test('a text of somebody’s own stays as it is, and a value of a template is readable in English', () => {
  expect(translateValue('material', 'mahogany_on_oak', 'de')).toBe('mahogany_on_oak');
  expect(translateValue('shaft_length', 'extra_long', 'en')).toBe('extra long');
  expect(translateValue('shaft_length', 'extra_long', 'de')).toBe('extralang');
});

test('what one template calls differently from the others has its own word there', () => {
  expect(translateAttribute('length', 'es', 'boats')).toBe('Eslora');
  expect(translateAttribute('length', 'es')).toBe('Longitud');
});
