const ASCII = /^[^\u0080-\u{10FFFF}]*$/u;

/**
 * The form in which a text of ASCII letters is compared with titles and searches, as the database makes it of any text: small
 * letters, single spaces, a word of its own for each run of figures. Undefined for texts with other letters.
 */
export function foldAscii(text: string): string | undefined {
  if (!ASCII.test(text)) return undefined;
  return text
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/\d+/g, ' $& ')
    .replaceAll(/[^a-z\d]+/g, ' ')
    .trim();
}

/** Whether a plain text, read from one of its words on and around, begins so. */
export const beginsAtWord = (plain: string, beginning: string) => ` ${plain} ${plain}`.includes(` ${beginning}`);
