import Negotiator from 'negotiator';
import type { Locale, Profile } from './profiles/profile.ts';

const LONGEST_HEADER = 500;

/**
 * The locale of an answer: `lang` when the profile speaks it (`de-AT` reads as `de`), else the best match of the
 * Accept-Language header, else the profile's default.
 */
export function negotiateLocale(
  wish: { lang?: string; acceptLanguage?: string },
  profile: Pick<Profile, 'locales' | 'defaultLocale'>,
): Locale {
  const named = profile.locales.find((locale) => locale === primaryTag(wish.lang));
  if (named) return named;
  if (!wish.acceptLanguage) return profile.defaultLocale;
  const header = wish.acceptLanguage.slice(0, LONGEST_HEADER);
  const accepted = new Negotiator({ headers: { 'accept-language': header } }).language(profile.locales);
  return profile.locales.find((locale) => locale === accepted) ?? profile.defaultLocale;
}

function primaryTag(lang: string | undefined): string | undefined {
  return lang?.trim().toLowerCase().split(/[-_]/, 1)[0];
}
