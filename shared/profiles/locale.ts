import Negotiator from 'negotiator';
import { LOCALES, type Locale, type Profile } from './profile.ts';

const MAX_HEADER_LENGTH = 500;

/**
 * The locale of an answer: that of `lang` (`de-AT` reads as `de`), without it the best match of the Accept-Language header;
 * the profile's default where that locale is not served.
 */
export function negotiateLocale(
  wish: { lang?: string; acceptLanguage?: string },
  profile: Pick<Profile, 'locales' | 'defaultLocale'>,
): Locale {
  const named = primaryTag(wish.lang);
  if (named) return profile.locales.find((locale) => locale === named) ?? profile.defaultLocale;
  if (!wish.acceptLanguage) return profile.defaultLocale;
  const header = wish.acceptLanguage.slice(0, MAX_HEADER_LENGTH);
  // Of those that are liked as well the first is taken: `*` means the default.
  const served = [...new Set([profile.defaultLocale, ...profile.locales])];
  const accepted = new Negotiator({ headers: { 'accept-language': header } }).language(served);
  return profile.locales.find((locale) => locale === accepted) ?? profile.defaultLocale;
}

/** The language in which the service writes to somebody: theirs where it can, else English. */
export function outgoingLocale(language: string): Locale {
  return LOCALES.find((locale) => locale === language) ?? 'en';
}

function primaryTag(lang: string | undefined): string | undefined {
  return lang?.trim().toLowerCase().split(/[-_]/, 1)[0];
}
