import { codeRules, isCountry, isCurrency } from '../kit/codes.ts';
import { invalid, type FieldError } from '../kit/errors.ts';

/** What an owner may say about a rental; the schema of openapi.yaml holds already. */
export type RentalFields = {
  title: string;
  description: string;
  boat_type: string;
  price_per_day: number;
  currency: string;
  location: { country: string; city: string; region?: string };
  availability: { available_from: string; available_to: string };
  images?: { url: string; alt?: string }[];
};

/** What a schema cannot say about the fields of a rental, as far as they are sent: real codes, a season that ends after it begins. */
export function requireRentalRules({ currency, location, availability }: Partial<RentalFields>): void {
  const errors: FieldError[] = [];
  if (currency !== undefined && !isCurrency(currency))
    errors.push({ path: '/body/currency', message: codeRules.currency, reason: 'not_a_choice' });
  if (location && !isCountry(location.country))
    errors.push({ path: '/body/location/country', message: codeRules.country, reason: 'not_a_choice' });
  if (availability && availability.available_to < availability.available_from)
    errors.push({ path: '/body/availability/available_to', message: 'must not be before available_from' });
  if (errors.length > 0) throw invalid('The rental has fields that are wrong.', errors);
}
