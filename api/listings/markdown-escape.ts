/** A text as one line of Markdown that reads as it was written: no character of it is markup. */
export function escapeLine(text: string): string {
  return escapeStart(escapeInline(text.replaceAll(/\s+/g, ' ').trim()));
}

/** A text of several lines and paragraphs as Markdown that reads as it was written. */
export function escapeBlock(text: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => escapeStart(escapeInline(line.trim())));
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const escapeInline = (text: string) => text.replaceAll(/[\\`*_[\]<>~|]|&(?=#?\w+;)/g, '\\$&');

/** Headings, quotes, lists, rules and underlines begin a line. */
const escapeStart = (line: string) =>
  line.replace(/^(?:[#+=-]|(\d{1,9})(?=[.)](?:\s|$)))/, (mark, digits?: string) =>
    digits ? `${digits}\\` : `\\${mark}`,
  );
