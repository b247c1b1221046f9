import { codeRules } from './codes.ts';
import type { Reason } from './errors.ts';

const url = 'must be an http or https URL, like "https://example.com/boats/1"';
const name = 'must be an id or a slug: letters, digits, "-" and "_"';

/** What a text has to be, by the pattern or the format that openapi.yaml holds it against. */
const forms: Readonly<Record<string, string>> = {
  uri: url,
  url,
  '^https?://': url,
  '^[Hh][Tt][Tt][Pp][Ss]?://': url,
  'idn-email': 'must be an email address in any script whose domain has a dot, like "ada@example.com"',
  date: 'must be a date of the calendar, like "2026-03-31"',
  'date-time': 'must be a date and time of RFC 3339, like "2026-03-31T08:00:00Z"',
  '\\S': 'must not be blank',
  '^[A-Z]{2}$': codeRules.country,
  '^[A-Za-z]{2}$': codeRules.country,
  '^[A-Za-z]{2}(?:,[A-Za-z]{2})*$': 'must be country codes of ISO 3166-1 with commas between, like "DE,AT"',
  '^(?:new|like_new|good|fair|poor|refurbished)(?:,(?:new|like_new|good|fair|poor|refurbished))*$':
    'must be new, like_new, good, fair, poor or refurbished, or several with commas between, like "new,like_new"',
  '^(?:sale|wanted)(?:,(?:sale|wanted))*$': 'must be sale, wanted or both, like "sale,wanted"',
  '^[A-Z]{3}$': codeRules.currency,
  '^[A-Za-z]{3}$': codeRules.currency,
  '^[a-z]{2}$': codeRules.language,
  '^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,3}$': 'must be a language tag of BCP 47, like "de" or "de-AT"',
  '^[a-z]{2}(-[A-Za-z0-9]{2,8})?$': 'must be a locale, like "de" or "de-AT"',
  '^[^,]+,[^,]+$': 'must be a latitude and a longitude, like "54.32,10.14"',
  '^[^,]+,[^,]+,[^,]+,[^,]+$': 'must be west, south, east and north, like "9.5,54.2,11.3,54.9"',
  '^[A-Za-z0-9_-]{1,120}$': name,
  '^[A-Za-z0-9_.-]{1,120}$': name,
  '^usr_[0-9A-HJKMNP-TV-Z]{26}$': 'must be the id of an account, like "usr_01K6Q8X0000000000000000000"',
  '^[A-Za-z0-9]{1,80}$': 'must be the name of an operation, like "approveListing"',
  '^[A-Za-z0-9.-]+$': 'must be a host name, like "boats.example.com"',
  '^\\S+( +\\S+){4}$': 'must be a cron expression of five fields, like "0 4 * * *"',
  '^[\\x21-\\x7E]{1,255}$': 'must be 1 to 255 visible ASCII characters, like "my-boat-1"',
  '^[\\x20-\\x7E]{0,200}$': 'must be at most 200 ASCII characters, like "respond-async"',
  '^[A-Za-z0-9_-]{1,64}$': 'must be 1 to 64 letters, digits, "-" and "_", like "seed-1"',
  '^[A-Za-z0-9_-]+$': 'must be the `next_cursor` of an earlier answer',
  '^[a-z_]+(,[a-z_]+)*$': 'must be names of fields with commas between, like "title,price"',
  '^[A-Za-z0-9_.]+(,[A-Za-z0-9_.]+)*$': 'must be names of facets with commas between, like "category,attr.brand"',
  '^[a-z_]{1,40}$': 'must be the name of a field, like "price"',
  '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$': 'must be an email address, like "office@example.com"',
  '^\\+?[0-9][0-9 ()./-]*$': 'must be a telephone number, like "+49 431 123456"',
  '^[a-z0-9]+(?:-[a-z0-9]+)*$': 'must be small letters, digits and single hyphens, like "city-cars"',
  '^[a-z][a-z0-9_]*$': 'must be small letters, digits and "_", like "hull_material"',
  '^[0-9A-F]{1,8}/[0-9A-F]{1,8}$': 'must be the `Quayside-Position` of an earlier answer, like "0/16B3748"',
  '^[a-z][a-z0-9_-]{0,40}$': 'must be small letters, digits, "-" and "_", like "admin"',
};

const reasons: Readonly<Record<string, Reason>> = {
  'idn-email': 'not_an_email',
  date: 'not_a_date',
  'date-time': 'not_a_date',
  '\\S': 'required',
  '^[A-Z]{2}$': 'not_a_choice',
  '^[A-Z]{3}$': 'not_a_choice',
};

/** Why a text that is not of that pattern or format is refused, where that has a name. */
export const reasonOfForm = (form: string): Reason | undefined =>
  Object.hasOwn(reasons, form) ? reasons[form] : undefined;

/** What a text of that pattern or format has to be, with an example; undefined for one that nobody has put into words. */
export function describeForm(form: string): string | undefined {
  return Object.hasOwn(forms, form) ? forms[form] : undefined;
}
