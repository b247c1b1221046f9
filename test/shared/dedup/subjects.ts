import { featuresOf, createWordWeights, type Features } from '../../../shared/dedup/features.ts';
import { makeFingerprint, type Subject } from '../../../shared/dedup/fingerprint.ts';

/** A used boat of one of many sellers, as far as the fields do not say otherwise. */
export function boat(id: string, fields: Partial<Subject> = {}): Subject {
  return {
    id,
    title: 'Bavaria 37 Cruiser 2004 Seestern',
    description: '',
    source: `seller ${id}`,
    condition: 'good',
    type: 'sale',
    brand: 'Bavaria',
    model: '37 Cruiser',
    year: 2004,
    length_m: 11.35,
    price: { amount: 79_000, currency: 'EUR' },
    place: { country: 'DE', city: 'Kiel', lat: 54.32, lng: 10.14 },
    ...fields,
  };
}

/** Ready to be compared, among many listings of which few share a word. */
export const look = (subject: Subject): Features =>
  featuresOf(
    makeFingerprint(subject),
    createWordWeights(10_000, () => 2),
  );
