import type { ErrorCode } from '../../shared/kit/errors.ts';
import { fill, formatNumber } from './format.ts';
import { html, type Child, type Markup } from './html.ts';
import type { Visit } from './visit.ts';
import type { Words } from './words/types.ts';

type Reader = Pick<Visit, 'words' | 'locale'>;

/** How the API's texts begin that pages have a sentence for; what is in brackets is its `{value}`. */
const faults: readonly (readonly [RegExp, keyof Words['faults']])[] = [
  [/^(?:must have required property|is required|must not be blank|This attribute is required)/, 'missing'],
  [/^must NOT have fewer than 1 characters/, 'missing'],
  [/^must NOT have fewer than (\d+) characters/, 'tooShort'],
  [/^must NOT have more than (\d+) characters/, 'tooLong'],
  [/^(?:At most|must NOT have more than) (\d+) (?:files|items)/, 'tooMany'],
  [/^(?:This attribute )?must be (?:a |a finite )?(?:number|integer)/, 'number'],
  [/^must be >=? (-?[\d.]+)/, 'atLeast'],
  [/^must be <=? (-?[\d.]+)/, 'atMost'],
  [/^(?:This attribute )?must be (?:equal to )?one of/, 'choice'],
  [/^(?:must be the ISO|is not a category|This attribute must be true or false)/, 'choice'],
  [/^must be an email address/, 'email'],
  [/^must be a date of the calendar/, 'date'],
  [/^is over$/, 'past'],
  [/^must be after date_from/, 'order'],
  [/^is (?:one of the most common passwords|your own email address)/, 'guessable'],
  [/^The email or the password is wrong/, 'wrongPassword'],
  [/^An account with this email exists/, 'accountExists'],
  [/^is the name of another key/, 'keyExists'],
  [/^You have reviewed this listing/, 'reviewed'],
  [/^The boat is not free/, 'notFree'],
  [/^is empty$/, 'emptyFile'],
  [/^(?:must have at most \S+ MB|An image may have at most 10 MB)/, 'largeFile'],
  [/^(?:Only jpg, png|An image may have|The image )/, 'image'],
  [/^No listing has all of these words/, 'someWords'],
  [/^No listing has '/, 'unknownWords'],
  [/^There is no word to look for/, 'noWord'],
  [/^There is no exchange rate for ([A-Z]{3})/, 'noRate'],
  [/^There is no (?:country|category) '/, 'unknownFilter'],
  [/^(?:The query parameter|The attribute filter|radius_km says)/, 'ignored'],
];

/** Codes whose sentence says all there is to say. */
const plainCodes: ReadonlySet<ErrorCode> = new Set([
  'unauthorized',
  'duplicate_listing',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_mismatch',
  'rate_limited',
] as const);

/** A text of the API in the language of the visit, where there is a sentence for it; else as it is, marked as English. */
export const tellFault = (reader: Reader, text: string): string | Markup =>
  sentenceFor(reader, text) ?? html`<span lang="en">${text}</span>`;

/** Why something was refused: the sentence for it, or that for its code with the API's own text behind. */
export function tellRefusal(reader: Reader, { code, message }: { code: ErrorCode; message: string }): Child {
  const { refused } = reader.words;
  const known = sentenceFor(reader, message);
  if (known !== undefined) return known;
  const general = code in refused ? refused[code as keyof typeof refused] : refused.bad_request;
  return plainCodes.has(code) ? general : html`${general} <span lang="en">${message}</span>`;
}

function sentenceFor({ words, locale }: Reader, text: string): string | undefined {
  for (const [form, name] of faults) {
    const match = form.exec(text);
    if (match) return fill(words.faults[name], { value: written(locale, match[1] ?? '') });
  }
  return undefined;
}

const written = (locale: Visit['locale'], value: string): string =>
  value === '' || Number.isNaN(Number(value)) ? value : formatNumber(locale, Number(value));
