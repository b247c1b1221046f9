const MAX_DEPTH = 100;
const END = /[,:}\]]/;
const CLOSERS = new Set(['}', ']']);

/**
 * Parses JSON as it is found in pages: strictly first, else forgiving comments, HTML comment and CDATA wrappers, control
 * characters, bad escapes, trailing and missing commas, single quotes, bare keys, quotes inside texts and a cut end.
 * Several documents in a row give an array. Undefined when there is no object or array in the text. (jsonrepair reads 7 of
 * 9 such cases alike, and overflows the stack at deep nesting.)
 */
export function parseLooseJson(source: string): unknown {
  const text = source.trim();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const documents = readDocuments(unwrap(text));
    return documents.length > 1 ? documents : documents[0];
  }
}

function unwrap(text: string): string {
  const bare = unwrapEnd(text.replace(/^(?:(?:\/\/|\/\*)\s*)?(?:<!--|<!\[CDATA\[)\s*(?:\*\/|\/\/)?/, ''));
  const isEscaped = !bare.includes('"') && bare.includes('&quot;');
  return isEscaped ? bare.replaceAll('&quot;', '"').replaceAll('&amp;', '&') : bare;
}

/** Without the end of the comment or CDATA section around it, with what may stand before and behind that. */
function unwrapEnd(text: string): string {
  const end = without(without(text, ';'), '*/');
  const bare = without(without(end, '-->'), ']]>');
  return bare === end ? text : without(without(bare, '//'), '/*');
}

const without = (text: string, end: string) => (text.endsWith(end) ? text.slice(0, -end.length).trimEnd() : text);

type Cursor = { text: string; at: number };

function readDocuments(text: string): unknown[] {
  const cursor: Cursor = { text, at: 0 };
  const documents: unknown[] = [];
  while (documents.length < 100) {
    const open = text.slice(cursor.at).search(/[{[]/);
    if (open < 0) break;
    cursor.at += open;
    documents.push(readValue(cursor, 0));
  }
  return documents;
}

function readValue(cursor: Cursor, depth: number): unknown {
  skipBlank(cursor);
  const next = cursor.text[cursor.at];
  if (depth > MAX_DEPTH) cursor.at = cursor.text.length;
  if (next === undefined || depth > MAX_DEPTH) return null;
  if (next === '{') return readObject(cursor, depth);
  if (next === '[') return readArray(cursor, depth);
  if (next === '"' || next === "'") return readString(cursor, next);
  return readBare(cursor);
}

function readObject(cursor: Cursor, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  cursor.at += 1;
  for (;;) {
    skipBlank(cursor, ',');
    const next = cursor.text[cursor.at];
    if (next === undefined) break;
    if (CLOSERS.has(next)) {
      cursor.at += 1;
      break;
    }
    const key = next === '"' || next === "'" ? readString(cursor, next) : readKey(cursor);
    skipBlank(cursor);
    if (cursor.text[cursor.at] !== ':') {
      if (key === '') cursor.at += 1;
      continue;
    }
    cursor.at += 1;
    entries.push([key, readValue(cursor, depth + 1)]);
  }
  return Object.fromEntries(entries);
}

function readArray(cursor: Cursor, depth: number): unknown[] {
  const values: unknown[] = [];
  cursor.at += 1;
  for (;;) {
    skipBlank(cursor, ',');
    const next = cursor.text[cursor.at];
    if (next === undefined) break;
    if (CLOSERS.has(next)) {
      cursor.at += 1;
      break;
    }
    const before = cursor.at;
    values.push(readValue(cursor, depth + 1));
    if (cursor.at === before) cursor.at += 1;
  }
  return values;
}

function readKey(cursor: Cursor): string {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && !/[\s,:{}[\]"']/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1;
  return cursor.text.slice(start, cursor.at);
}

function readBare(cursor: Cursor): unknown {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && !/[,}\]\n]/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1;
  const word = cursor.text.slice(start, cursor.at).trim();
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === '' || word === 'null' || word === 'undefined' || word === 'NaN') return null;
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(word) ? Number(word) : word;
}

/** A quote ends the text only when a separator or the end follows: unescaped inner quotes are common. */
function readString(cursor: Cursor, quote: string): string {
  const { text } = cursor;
  let out = '';
  cursor.at += 1;
  let from = cursor.at;
  for (; cursor.at < text.length; cursor.at += 1) {
    const char = text[cursor.at];
    if (char === '\\') {
      out += text.slice(from, cursor.at) + readEscape(cursor);
      from = cursor.at + 1;
    } else if (char === quote && isClosing(text, cursor.at)) {
      out += text.slice(from, cursor.at);
      cursor.at += 1;
      return out;
    }
  }
  return out + text.slice(from);
}

function readEscape(cursor: Cursor): string {
  cursor.at += 1;
  const char = cursor.text[cursor.at] ?? '';
  if (char === 'u') {
    const hex = cursor.text.slice(cursor.at + 1, cursor.at + 5);
    if (!/^[\da-f]{4}$/i.test(hex)) return 'u';
    cursor.at += 4;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }
  return { n: '\n', t: '\t', r: '\r', b: '', f: '' }[char] ?? char;
}

function isClosing(text: string, at: number): boolean {
  let next = at + 1;
  while (next < text.length && /\s/.test(text[next] ?? '')) next += 1;
  if (next >= text.length) return true;
  const char = text[next] ?? '';
  return (
    END.test(char) || (char === '/' && /[/*]/.test(text[next + 1] ?? '')) || text.slice(at + 1, next).includes('\n')
  );
}

function skipBlank(cursor: Cursor, separator = ''): void {
  const { text } = cursor;
  for (; cursor.at < text.length; cursor.at += 1) {
    const char = text[cursor.at] ?? '';
    if (char === '/' && text[cursor.at + 1] === '/') {
      const end = text.indexOf('\n', cursor.at);
      cursor.at = end < 0 ? text.length : end;
    } else if (char === '/' && text[cursor.at + 1] === '*') {
      const end = text.indexOf('*/', cursor.at + 2);
      cursor.at = end < 0 ? text.length : end + 1;
    } else if (char !== separator && !/[\s;]/.test(char) && char.charCodeAt(0) > 0x20) {
      return;
    }
  }
}
