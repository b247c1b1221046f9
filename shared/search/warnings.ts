/** What a search warns of, by its kind. */
export const searchWarnings = {
  someWords: () => 'No listing has all of these words; those found have some of them.',
  unknownWords: (said: string) => `No listing has ${said}.`,
  noWord: (q: string) => `There is no word to look for in '${q}'.`,
  noRate: (currency: string) =>
    `There is no exchange rate for ${currency}: prices in other currencies are not compared.`,
  unknownCountry: (code: string) => `There is no country '${code}'.`,
  unknownCategory: (name: string) => `There is no category '${name}'.`,
  unknownParameter: (name: string) => `The query parameter '${name}' is unknown and was ignored.`,
  unknownAttribute: (name: string, where: string) =>
    `The attribute filter '${name}' is unknown${where} and was ignored.`,
  idleRadius: () => 'radius_km says nothing without near and was ignored.',
};

export type SearchWarning = keyof typeof searchWarnings;

// A text can be told by what stands before its first value and after its last.
const MARK = '\u0000';
const kinds = Object.entries(searchWarnings).map(([kind, write]) => {
  const parts = write(MARK, MARK).split(MARK);
  return { kind: kind as SearchWarning, before: parts[0] ?? '', between: parts[1] ?? '', after: parts.at(-1) ?? '' };
});

/** The kind of a warning, and its first value; undefined for a text that is none. */
export function readSearchWarning(text: string): { kind: SearchWarning; value: string } | undefined {
  const found = kinds.find(({ before, after }) => text.startsWith(before) && text.endsWith(after));
  if (!found) return undefined;
  return { kind: found.kind, value: text.slice(found.before.length, text.lastIndexOf(found.between)) };
}
