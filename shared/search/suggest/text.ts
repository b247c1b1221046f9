import type { Pool } from 'pg';

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

/** Folds any text as the database does, by itself where it can. */
export async function foldTyped(pool: Pool, text: string): Promise<string> {
  const folded = foldAscii(text);
  if (folded !== undefined) return folded;
  const { rows } = await pool.query<{ text: string }>({
    name: 'suggest-text',
    text: 'select suggestion_text($1) as text',
    values: [text],
  });
  return rows[0]?.text ?? '';
}

/** Whether a folded text has this prefix from one of its words on. */
export const beginsAtWord = (plain: string, beginning: string) => ` ${plain} ${plain}`.includes(` ${beginning}`);
