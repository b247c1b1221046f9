import type { Request } from 'express';
import { negotiateLocale } from '../../shared/locale.ts';
import type { Profile } from '../../shared/profiles/profile.ts';

/** The locale of an answer: the query parameter lang, else Accept-Language, else the profile's default. */
export function requestLocale(request: Request, { lang }: Request['query'], profile: Profile): string {
  return negotiateLocale(
    { lang: typeof lang === 'string' ? lang : undefined, acceptLanguage: request.headers['accept-language'] },
    profile,
  );
}

/** True when the caller asks for text/markdown rather than JSON; a missing or open Accept header means JSON. */
export function prefersMarkdown(request: Request): boolean {
  if (!request.headers.accept?.includes('text/markdown')) return false;
  return request.accepts(['application/json', 'text/markdown']) === 'text/markdown';
}
