const ASCII = /^[^\u0080-\u{10FFFF}]*$/u;

/**
 * Folds ASCII text as the database does: lower case, single spaces, digits as words of their own. Undefined for other
 * letters.
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

/** Whether a folded text has this prefix from one of its words on. */
export const beginsAtWord = (plain: string, beginning: string) => ` ${plain} ${plain}`.includes(` ${beginning}`);
