import type { Attributes } from './attributes.ts';

/** The parts of the nautical extension that attributes are derived from; everything may be missing or of another type. */
export type BoatFields = Record<string, unknown>;

/**
 * The attributes that a boat structure implies, keys without a usable value left out: brand, model, year, length and beam in
 * metres, boat_type (the subcategory, else the category), material, fuel_type. What the caller already has wins over these.
 */
export function deriveAttributes(boat: BoatFields): Attributes {
  const specs = fieldsOf(boat['specs']);
  const dimensions = fieldsOf(specs['dimensions']);
  const construction = fieldsOf(specs['construction']);
  const engine = fieldsOf(specs['engine']);
  const derived: Record<string, string | number | undefined> = {
    brand: textOf(boat['brand']) ?? textOf(construction['builder']),
    model: textOf(boat['model']),
    year: numberOf(boat['year']),
    length: numberOf(dimensions['length_overall_m']),
    beam: numberOf(dimensions['beam_m']),
    boat_type: textOf(boat['subcategory']) ?? textOf(boat['category']),
    material: textOf(construction['material']),
    fuel_type: textOf(engine['fuel_type']),
  };
  const attributes: Attributes = {};
  for (const [key, value] of Object.entries(derived)) {
    if (value !== undefined) attributes[key] = value;
  }
  return attributes;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}
