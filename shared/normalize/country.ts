import countries from 'i18n-iso-countries/index.js';
import de from 'i18n-iso-countries/langs/de.json' with { type: 'json' };
import en from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import es from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import fr from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };
import it from 'i18n-iso-countries/langs/it.json' with { type: 'json' };
import ja from 'i18n-iso-countries/langs/ja.json' with { type: 'json' };
import ko from 'i18n-iso-countries/langs/ko.json' with { type: 'json' };
import { memoizeText } from '../kit/memoize-text.ts';
import { isCountry } from '../kit/codes.ts';

/** Names in use that no list of countries holds. */
const OTHER_NAMES: Record<string, string> = {
  AE: 'uae|emirates|dubai|abu dhabi',
  BA: 'bosnia|bosnien|bosnie',
  CH: 'swiss',
  CZ: 'czech republic|česko',
  DE: 'brd',
  ES: 'balearic islands|balearen|balearics|islas baleares|canary islands|kanaren|mallorca|ibiza',
  GB: 'uk|great britain|großbritannien|grossbritannien|england|scotland|wales|northern ireland|britain|gran bretaña|grande-bretagne|gran bretagna|inghilterra|angleterre|storbritannien',
  IE: 'republic of ireland|eire',
  KR: 'korea|republic of korea|한국|韓国',
  NL: 'holland|the netherlands',
  PT: 'madeira|azores',
  SK: 'slovak republic',
  RU: 'russia|russland|russie|rusia',
  TR: 'turkey|türkei|turquie|turquía|turchia',
  TW: 'taiwan',
  US: 'usa|us|united states of america|america|ee uu|eeuu|stati uniti d’america|米国|アメリカ',
  VG: 'bvi|british virgin islands|virgin islands british',
  VI: 'us virgin islands|virgin islands us',
  VN: 'vietnam',
};

/** The service's languages and others that sites are written in, whose names for countries come with the runtime. */
const LANGUAGES = 'en es fr de it ko ja nl sv da nb fi pl cs sk pt hr sl el tr ru uk hu ro bg et lv lt ca zh ar'.split(
  ' ',
);

/** The 7 locales of the service. */
const LOCALES = [en, es, fr, de, it, ko, ja];

const MAX_NAME = 100;
let names: Map<string, string> | undefined;

/**
 * The ISO 3166-1 alpha-2 code of a country named by code (two or three letters, in capitals) or by name in one of thirty
 * languages, in any letter case; undefined for anything else.
 */
export function countryOf(text: string | undefined): string | undefined {
  return text === undefined || text.length > MAX_NAME ? undefined : findCountry(text);
}

const findCountry = memoizeText((text): string | undefined => {
  const clean = text.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (clean === '') return undefined;
  if (clean === 'UK') return 'GB';
  if (/^[A-Z]{2}$/.test(clean)) return isCountry(clean) ? clean : undefined;
  if (/^[A-Z]{3}$/.test(clean)) {
    const code = countries.alpha3ToAlpha2(clean);
    if (code !== undefined && isCountry(code)) return code;
  }
  names ??= readNames();
  return names.get(keyOf(clean)) ?? names.get(keyOf(clean.replace(/(?<!\s)\s*\(.*$/s, '')));
});

function readNames(): Map<string, string> {
  const found = new Map<string, string>();
  for (const { countries: list } of LOCALES) {
    for (const [code, spellings] of Object.entries(list as Record<string, string | string[]>)) {
      if (!isCountry(code)) continue;
      for (const name of [spellings].flat()) if (!found.has(keyOf(name))) found.set(keyOf(name), code);
    }
  }
  for (const language of LANGUAGES) {
    const namer = new Intl.DisplayNames(language, { type: 'region' });
    for (const code of Object.keys(en.countries)) {
      const key = keyOf(namer.of(code) ?? code);
      if (isCountry(code) && !found.has(key)) found.set(key, code);
    }
  }
  for (const [code, others] of Object.entries(OTHER_NAMES)) {
    for (const name of others.split('|')) found.set(keyOf(name), code);
  }
  return found;
}

/** One spelling for names that differ in case, accents, `&`, `St.`, articles and punctuation. */
function keyOf(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[.'’‘]/g, '')
    .replaceAll('&', ' and ')
    .replaceAll(/\bst\b/g, 'saint')
    .replaceAll(/(?:\bthe\b|[^\p{L}])+/gu, ' ')
    .trim();
}
