import type { Search } from '../search.ts';
import type { FacetAnswer } from './answers.ts';
import { filterBy, type AttributeChoices } from './filters.ts';
import { UnsupportedQuery, type SearchParameters } from './parameters.ts';
import { attributeField, type IndexSchema } from './schema.ts';

/** Values of an attribute at most that are looked through, and how long one may be for a facet to tell all of it. */
const MAX_CHOICES = 2_000;
const MAX_LENGTH = 100;

/** The texts that attributes are to hold, by attribute. */
function textsOf({ filters }: Search): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const { key, text } of filters.attributeParts ?? [])
    if (text !== undefined) texts.set(key, [...(texts.get(key) ?? []), text]);
  return texts;
}

/**
 * Typesense finds no parts of words: the values that an attribute has among the listings that fit the other filters are read
 * first, and those that hold the text are filtered by. Undefined where no attribute is asked for so.
 */
export function choiceSearch(
  search: Search,
  collection: string,
  attributes: IndexSchema['attributes'],
): SearchParameters | undefined {
  const keys = [...textsOf(search).keys()];
  if (keys.length === 0) return undefined;
  const attributeParts = (search.filters.attributeParts ?? []).filter(({ text }) => text === undefined);
  const others = { ...search, after: undefined, filters: { ...search.filters, attributeParts } };
  return {
    collection,
    q: '*',
    query_by: 'title',
    filter_by: filterBy(others, { attributes, choices: new Map() }),
    facet_by: keys.map(attributeField).join(','),
    facet_strategy: 'exhaustive',
    max_facet_values: MAX_CHOICES,
    per_page: 0,
  };
}

/** The values that hold the texts looked for; UnsupportedQuery where there are too many or too long ones to be sure. */
export function readChoices(search: Search, facets: readonly FacetAnswer[]): AttributeChoices {
  const choices = new Map<string, string[]>();
  for (const [key, texts] of textsOf(search)) {
    const counts = facets.find(({ field_name: name }) => name === attributeField(key))?.counts ?? [];
    if (counts.length >= MAX_CHOICES || counts.some(({ value }) => value.length >= MAX_LENGTH))
      throw new UnsupportedQuery(`${key} has too many values`);
    const holds = (value: string) =>
      texts.every((text) => itemsOf(value).some((item) => item.toLowerCase().includes(text.toLowerCase())));
    choices.set(key, counts.map(({ value }) => value).filter(holds));
  }
  return choices;
}

/** A list of texts is one value, written as JSON. */
function itemsOf(value: string): readonly string[] {
  if (!value.startsWith('["')) return [value];
  try {
    return (JSON.parse(value) as unknown[]).filter((item) => typeof item === 'string');
  } catch {
    return [value];
  }
}
