import type { Facet } from '../postgres/facet.ts';
import { withoutOwnFilter } from '../postgres/facet.ts';
import type { Search } from '../search.ts';
import type { FacetAnswer } from './answers.ts';
import { filterBy, type AttributeChoices } from './filters.ts';
import { UnsupportedQuery, type SearchParameters } from './parameters.ts';
import { attributeField, type IndexSchema } from './schema.ts';

/** Values of an attribute at most that are looked through, and how long one may be for a facet to tell all of it. */
const MAX_CHOICES = 2_000;
const MAX_LENGTH = 100;

/** The texts of which an attribute is to hold one, by attribute. */
function textsOf({ filters }: Search): Map<string, readonly string[]> {
  const texts = new Map<string, readonly string[]>();
  for (const { key, anyOf } of filters.attributes ?? []) if (anyOf) texts.set(key, anyOf);
  return texts;
}

/**
 * Typesense finds no parts of words: the values that an attribute has among the listings that fit the other filters, but those
 * that a facet counts without, are read first, and those that hold one of the texts are filtered by. Undefined where no attribute is asked for so.
 */
export function choiceSearch(
  search: Search,
  facets: readonly Facet[],
  collection: string,
  attributes: IndexSchema['attributes'],
): SearchParameters | undefined {
  const keys = [...textsOf(search).keys()];
  if (keys.length === 0) return undefined;
  const wide = facets.reduce(withoutOwnFilter, search);
  const rest = (wide.filters.attributes ?? []).filter(({ anyOf }) => anyOf === undefined);
  const others = { ...wide, after: undefined, filters: { ...wide.filters, attributes: rest } };
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

/** The values that hold a text looked for; UnsupportedQuery where there are too many or too long ones to be sure. */
export function readChoices(search: Search, facets: readonly FacetAnswer[]): AttributeChoices {
  const choices = new Map<string, string[]>();
  for (const [key, texts] of textsOf(search)) {
    const counts = facets.find(({ field_name: name }) => name === attributeField(key))?.counts ?? [];
    if (counts.length >= MAX_CHOICES || counts.some(({ value }) => value.length >= MAX_LENGTH))
      throw new UnsupportedQuery(`${key} has too many values`);
    const holds = (value: string) =>
      itemsOf(value).some((item) => texts.some((text) => item.toLowerCase().includes(text.toLowerCase())));
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
