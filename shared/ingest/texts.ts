/** What a record tells beside its texts, for titles and descriptions that are too short to stand alone. */
export type TextFacts = {
  brand?: string;
  model?: string;
  year?: number;
  lengthM?: number;
  category: string;
  place: string;
};

export type Texts = { title: string; description: string; longDescription: string | null };

const TITLE = { min: 5, max: 120 };
const DESCRIPTION = { min: 20, max: 5_000 };
const ELLIPSIS = '…';

/**
 * Fits a record's texts to the limits: long ones are truncated and kept in long_description, missing or short ones are
 * composed from facts. The title is undefined where even the facts give none.
 */
export function fitTexts(
  record: { title?: string; description?: string; long_description?: string },
  facts: TextFacts,
): Texts | undefined {
  const fullTitle = collapse(record.title ?? '');
  const title = truncateAtWord(
    lengthOf(fullTitle) < TITLE.min ? titleFromFacts(fullTitle, facts) : fullTitle,
    TITLE.max,
  );
  if (lengthOf(title) < TITLE.min) return undefined;
  const full = (record.description ?? '').trim();
  const long = record.long_description?.trim() || undefined;
  const source = full === '' ? (long ?? '') : full;
  const description =
    lengthOf(source) < DESCRIPTION.min ? describe(source, title, facts) : truncateAtWord(source, DESCRIPTION.max);
  const wasCut = title.endsWith(ELLIPSIS) && title !== fullTitle ? fullTitle : undefined;
  const body = long ?? (description === source || lengthOf(source) < DESCRIPTION.min ? undefined : full);
  const longDescription = wasCut === undefined ? (body ?? null) : [wasCut, body ?? source].filter(Boolean).join('\n\n');
  return { title, description, longDescription };
}

/** Truncates a text at a word to at most `max` code points, with an ellipsis. */
export function truncateAtWord(text: string, max: number): string {
  // A string is never shorter in code points than half its length.
  if (text.length <= max) return text;
  const characters = [...text];
  if (characters.length <= max) return text;
  const head = characters.slice(0, max - 1).join('');
  const followedByWord = /^\S/u.test(characters.slice(max - 1).join(''));
  const lastSpace = head.search(/\s\S*$/u);
  // A "word" of half the text (no spaces, or a script without them) is cut in its middle rather than dropped.
  const whole = followedByWord && lastSpace > head.length / 2 ? head.slice(0, lastSpace) : head;
  return whole.replace(/(?<![\s,;:–—-])[\s,;:–—-]+$/u, '') + ELLIPSIS;
}

function titleFromFacts(title: string, { brand, model, year }: TextFacts): string {
  const missing = [brand, model, year === undefined ? undefined : String(year)].filter(
    (fact): fact is string => fact !== undefined && !title.toLowerCase().includes(fact.toLowerCase()),
  );
  // A year alone names nothing.
  return brand === undefined && model === undefined ? title : [title, ...missing].filter(Boolean).join(' ');
}

function describe(text: string, title: string, { brand, model, year, lengthM, category, place }: TextFacts): string {
  const facts = [
    [brand, model].filter(Boolean).join(' '),
    year === undefined ? '' : `Year ${year}`,
    lengthM === undefined ? '' : `Length ${lengthM} m`,
    `Category: ${category}`,
    `Location: ${place}`,
  ].filter(Boolean);
  return truncateAtWord(
    [...(text === '' ? [] : [text]), title, ...facts].map((part) => part.replace(/\.$/, '')).join('. ') + '.',
    DESCRIPTION.max,
  );
}

const collapse = (text: string) => text.replaceAll(/\s+/gu, ' ').trim();

function lengthOf(text: string): number {
  return [...text].length;
}
