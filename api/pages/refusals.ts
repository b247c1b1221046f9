import type { ErrorCode, FieldError, Reason, ServiceError } from '../../shared/kit/errors.ts';
import { readSearchWarning, type SearchWarning } from '../../shared/search/warnings.ts';
import { fill, formatNumber } from './format.ts';
import { html, type Child, type Markup } from './html.ts';
import type { Visit } from './visit.ts';
import type { Words } from './words/types.ts';

type Reader = Pick<Visit, 'words' | 'locale'>;
/** What is wrong with a field. */
export type Fault = Omit<FieldError, 'path'>;

/** The sentence of each reason. */
const sentences: Readonly<Record<Reason, keyof Words['faults']>> = {
  required: 'missing',
  too_short: 'tooShort',
  too_long: 'tooLong',
  too_many: 'tooMany',
  too_small: 'atLeast',
  too_large: 'atMost',
  not_a_number: 'number',
  not_a_choice: 'choice',
  not_an_email: 'email',
  not_a_date: 'date',
  in_the_past: 'past',
  wrong_order: 'order',
  guessable: 'guessable',
  empty_file: 'emptyFile',
  file_too_large: 'largeFile',
  bad_image: 'image',
  wrong_password: 'wrongPassword',
  not_own_password: 'wrongOwnPassword',
  wrong_code: 'wrongCode',
  wrong_passkey: 'passkey',
  too_many_passkeys: 'tooManyPasskeys',
  account_exists: 'accountExists',
  key_exists: 'keyExists',
  already_reviewed: 'reviewed',
  already_reported: 'reported',
  own_thing: 'ownThing',
  appeal_over: 'appealOver',
  already_appealed: 'appealed',
  not_available: 'notFree',
};

/** The sentence of each warning. */
const warnings: Readonly<Record<SearchWarning, keyof Words['faults']>> = {
  someWords: 'someWords',
  unknownWords: 'unknownWords',
  noWord: 'noWord',
  noRate: 'noRate',
  unknownCountry: 'unknownFilter',
  unknownCategory: 'unknownFilter',
  unknownParameter: 'ignored',
  unknownAttribute: 'ignored',
  idleRadius: 'ignored',
};

/** Codes whose sentence says all there is to say. */
const plainCodes: ReadonlySet<ErrorCode> = new Set([
  'unauthorized',
  'duplicate_listing',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_mismatch',
  'rate_limited',
] as const);

const asEnglish = (text: string): Markup => html`<span lang="en">${text}</span>`;

/** What is wrong with a field in the language of the visit; the API's own text, marked as English, where it gives no reason. */
export const tellFault = (reader: Reader, fault: Fault): string | Markup =>
  sentenceFor(reader, fault) ?? asEnglish(fault.message);

/** What a search warns of. */
export function tellWarning({ words }: Reader, text: string): string | Markup {
  const warning = readSearchWarning(text);
  return warning ? fill(words.faults[warnings[warning.kind]], { value: warning.value }) : asEnglish(text);
}

/** Why something was refused: the sentence for its reason, or that for its code with the API's own text behind. */
export function tellRefusal(
  reader: Reader,
  { code, message, details }: Pick<ServiceError, 'code' | 'message' | 'details'>,
): Child {
  const { refused } = reader.words;
  const known = sentenceFor(reader, { ...details, message });
  if (known !== undefined) return known;
  const general = code in refused ? refused[code as keyof typeof refused] : refused.bad_request;
  return plainCodes.has(code) ? general : html`${general} ${asEnglish(message)}`;
}

function sentenceFor({ words, locale }: Reader, { reason, limit }: Fault): string | undefined {
  if (reason === undefined) return undefined;
  return fill(words.faults[sentences[reason]], { value: limit === undefined ? '' : formatNumber(locale, limit) });
}
