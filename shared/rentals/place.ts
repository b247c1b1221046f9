import { countryNameIn } from '../kit/codes.ts';
import { EAST_ASIAN, plainText } from '../kit/phrases.ts';

const languages = ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'];

/** What a rental is found by: the words of its city, region and country, in small letters without accents, a space before each. */
export function placeText({
  city,
  region,
  country,
}: {
  city: string;
  region?: string | null;
  country: string;
}): string {
  const names = languages.flatMap((language) => countryNameIn(country, language) ?? []);
  const words = plainText([city, region ?? '', ...names].join(' ')).split(' ');
  return ` ${[...new Set(words)].join(' ')}`;
}

/** Patterns of LIKE, all of which the place of a rental must match to be meant by these words; none when there is no word in them. */
export function placePatterns(location: string): string[] {
  const words = new Set(plainText(location).split(' '));
  words.delete('');
  // Words of these scripts have no space between them.
  return [...words].map((word) => (EAST_ASIAN.test(word) ? `%${word}%` : `% ${word}%`));
}
