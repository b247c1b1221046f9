const URL_TEXT =
  /\b(?:https?:\/\/|www\.)[^\s<>"')\]]+|(?<![@\w.-])(?:[a-z0-9-]+\.)+(?:com|net|org|info|biz|shop|xyz|top|site|online|click|link|ru|cn|me|ly|io|co)\b(?:\/[^\s<>"')\]]*)?/gi;
// International (+34 600 …, 0034 …), national with its leading zero, North American, and ten or nine figures as written in
// India and Spain. Lists of sizes and part numbers have none of these forms.
const PHONE_TEXT =
  /(?<![\p{L}\d.,/-])(?:(?:\+|00)[1-9](?:[ ().\-/]{0,2}\d){7,13}|\(?0[1-9]\d{0,4}\)?(?:[ .\-/]{0,2}\d){6,9}|\(?[2-9]\d{2}\)?[ .-]{1,2}\d{3}[ .-]\d{4}|[6-9]\d{9}|[679]\d{2} \d{3} \d{3})(?![\p{L}\d]|[.,/-]\d)/gu;

// 07/01/2022 and 1.4.2016 are dates, though a number may be written so.
const DATE_TEXT = /(?<![\d./-])\d{1,2}([./-])\d{1,2}\1(?:19|20)\d{2}(?![\d/-]|\.\d)/g;

/** Counts the web addresses of a text: different ones, their sites, all, and their share of the text. */
export function measureLinks(text: string): { different: number; sites: number; total: number; share: number } {
  const found = text.match(URL_TEXT) ?? [];
  const different = new Set(
    found.map((link) =>
      link
        .toLowerCase()
        .replace(/^https?:\/\//, '')
        .replace(/^www\./, '')
        .replace(/\/$/, ''),
    ),
  );
  const sites = new Set([...different].map((link) => link.split(/[/?#]/, 1)[0]));
  return { different: different.size, sites: sites.size, total: found.length, share: shareOf(found, text) };
}

/** Counts the telephone numbers of a text: different ones, all, and their share of the text. */
export function measurePhones(text: string): { different: number; total: number; share: number } {
  const found = findPhones(text);
  const different = new Set(found.map((match) => match.replaceAll(/\D/g, '').slice(-8)));
  return { different: different.size, total: found.length, share: shareOf(found, text) };
}

/** The telephone numbers of a text as they are written; dates are none. */
export const findPhones = (text: string): string[] => text.replaceAll(DATE_TEXT, 'date').match(PHONE_TEXT) ?? [];

function shareOf(parts: readonly string[], text: string): number {
  const length = text.trim().length;
  return length === 0 ? 0 : parts.reduce((sum, part) => sum + part.length, 0) / length;
}
