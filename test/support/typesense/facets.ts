import { fieldOf, type Collection, type Document } from './collection.ts';
import { Refusal } from './filter.ts';

type Count = { value: string; count: number };

/** Counts documents by the fields of `facet_by`; numbers may come with named ranges. */
export function countFacets(
  collection: Collection,
  documents: readonly Document[],
  parameters: Record<string, string | number | boolean>,
): object[] {
  const text = String(parameters['facet_by'] ?? '');
  const most = Number(parameters['max_facet_values'] ?? 10);
  const isExhaustive = parameters['facet_strategy'] === 'exhaustive';
  return (text.match(/(?:[^,(]|\([^)]*\))+/g) ?? []).map((part) => {
    const { name = '', ranges } = /^\s*(?<name>[\w.]+)(?:\((?<ranges>.*)\))?\s*$/.exec(part)?.groups ?? {};
    if (!fieldOf(collection, name)?.facet) {
      throw new Refusal(404, `Could not find a facet field named \`${name}\` in the schema.`);
    }
    const values = documents.flatMap((document) => {
      const value = document[name];
      return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
    });
    const counts = (ranges === undefined ? tally(values.map(String)) : tally(inRanges(values.map(Number), ranges)))
      .toSorted((a, b) => b.count - a.count)
      .slice(0, most);
    const isNumber = values.every((value) => typeof value === 'number' || typeof value === 'bigint');
    return {
      counts: counts.map(({ value, count }) => ({ count, highlighted: ranges === undefined ? value : '', value })),
      field_name: name,
      sampled: false,
      // Without the exhaustive strategy a real server sums over the first values alone.
      stats: {
        ...(isNumber &&
          values.length > 0 &&
          numbersOf(isExhaustive ? values.map(Number) : values.slice(0, most).map(Number))),
        total_values: ranges === undefined ? new Set(values.map(String)).size : counts.length,
      },
    };
  });
}

function tally(values: readonly string[]): Count[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count }));
}

/** `low:[0, 10], high:[10, ]`: from the first number on, below the second. */
function inRanges(values: readonly number[], ranges: string): string[] {
  const named = [...ranges.matchAll(/(\w+):\[\s*([\d.-]*)\s*,\s*([\d.-]*)\s*\]/g)].map(([, name = '', low, high]) => ({
    name,
    low: low ? Number(low) : -Infinity,
    high: high ? Number(high) : Infinity,
  }));
  return values.flatMap((value) =>
    named.filter(({ low, high }) => value >= low && value < high).map(({ name }) => name),
  );
}

function numbersOf(values: readonly number[]): object {
  const sum = values.reduce((total, value) => total + value, 0);
  return { avg: sum / values.length, max: Math.max(...values), min: Math.min(...values), sum };
}
