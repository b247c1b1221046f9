import type { Request } from 'express';
import Negotiator from 'negotiator';
import { negotiateLocale } from '../../shared/profiles/locale.ts';
import type { Locale, Profile } from '../../shared/profiles/profile.ts';

/** The locale of an answer: the query parameter lang, else Accept-Language, else the profile's default. */
export function requestLocale(request: Request, { lang }: Request['query'], profile: Profile): Locale {
  return negotiateLocale(
    { lang: typeof lang === 'string' ? lang : undefined, acceptLanguage: request.headers['accept-language'] },
    profile,
  );
}

/** Parameters of a media type but its weight: no charset or variant of Markdown makes it another type. */
const parameters = /;(?!\s*q\s*=)[^;,]*/gi;

/** True when the caller asks for text/markdown rather than JSON; a missing or open Accept header means JSON. */
export function prefersMarkdown({ headers }: Pick<Request, 'headers'>): boolean {
  const accept = headers.accept?.toLowerCase();
  if (!accept?.includes('text/markdown')) return false;
  const negotiator = new Negotiator({ headers: { accept: accept.replaceAll(parameters, '') } });
  return negotiator.mediaType(['application/json', 'text/markdown']) === 'text/markdown';
}

/** True when the caller asks for text/csv rather than JSON. */
export function prefersCsv({ headers }: Pick<Request, 'headers'>): boolean {
  const { accept } = headers;
  if (!accept?.toLowerCase().includes('text/csv')) return false;
  return new Negotiator({ headers: { accept } }).mediaType(['application/json', 'text/csv']) === 'text/csv';
}

/** True when the caller asks for text/html rather than JSON, as browsers do. */
export function prefersPage({ headers }: Pick<Request, 'headers'>): boolean {
  const { accept } = headers;
  if (!accept?.toLowerCase().includes('text/html')) return false;
  return new Negotiator({ headers: { accept } }).mediaType(['application/json', 'text/html']) === 'text/html';
}
