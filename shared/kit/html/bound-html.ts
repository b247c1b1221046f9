const MAX_CHARS = 10 * 1024 * 1024;
const MAX_TAGS = 400_000;
const MAX_DEPTH = 400;

const VOID = new Set(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr'.split(
    ' ',
  ),
);
const RAW = new Set(['script', 'style', 'textarea', 'title']);

/** What an opening tag closes first when it stands on top of the stack; everything else stays open. */
const CLOSES = new Map<string, string[]>(
  Object.entries({
    p: ['p'],
    div: ['p'],
    ul: ['p'],
    ol: ['p'],
    table: ['p'],
    section: ['p'],
    li: ['li'],
    option: ['option'],
    dt: ['dt', 'dd'],
    dd: ['dt', 'dd'],
    tr: ['tr', 'th', 'td'],
    td: ['th', 'td'],
  }),
);

type Tag = { name: string; close: boolean; start: number; end: number };

/**
 * The same markup, safe to build a tree from: at most 10 MB and 400,000 tags (cut there), and elements nested deeper
 * than 400 levels lose their tags but keep their text. Deep nesting costs a tree builder quadratic time.
 */
export function boundHtml(html: string): string {
  const text = html.length > MAX_CHARS ? html.slice(0, MAX_CHARS) : html;
  const stack: string[] = [];
  const dropped = new Map<string, number>();
  const kept: string[] = [];
  let from = 0;
  let tags = 0;
  const cut = (tag: Tag) => {
    kept.push(text.slice(from, tag.start), ' ');
    from = tag.end;
  };

  for (let tag = nextTag(text, 0); tag; tag = nextTag(text, tag.end)) {
    tags += 1;
    if (tags > MAX_TAGS) return kept.join('') + text.slice(from, tag.start);
    const { name } = tag;
    if (name === '' || VOID.has(name)) continue;
    if (tag.close) {
      const missing = dropped.get(name) ?? 0;
      if (missing > 0) {
        dropped.set(name, missing - 1);
        cut(tag);
        continue;
      }
      const open = stack.lastIndexOf(name);
      if (open >= 0) stack.length = open;
      continue;
    }
    const closes = CLOSES.get(name);
    while (closes?.includes(stack.at(-1) ?? '')) stack.pop();
    if (stack.length >= MAX_DEPTH) {
      dropped.set(name, (dropped.get(name) ?? 0) + 1);
      cut(tag);
      continue;
    }
    if (!RAW.has(name)) stack.push(name);
    else tag.end = endOfRaw(text, tag);
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(from);
}

function nextTag(text: string, from: number): Tag | undefined {
  for (let at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (next === 0x21 || next === 0x3f) {
      const end = text.startsWith('<!--', at) ? text.indexOf('-->', at + 2) : text.indexOf('>', at);
      return end < 0 ? undefined : { name: '', close: false, start: at, end: end + 1 };
    }
    const close = next === 0x2f;
    const nameStart = at + (close ? 2 : 1);
    if (!isLetter(text.charCodeAt(nameStart))) continue;
    let nameEnd = nameStart + 1;
    while (nameEnd < text.length && !isNameEnd(text.charCodeAt(nameEnd))) nameEnd += 1;
    const end = close ? closingEnd(text, nameEnd) : openingEnd(text, nameEnd);
    return { name: text.slice(nameStart, Math.min(nameEnd, nameStart + 40)).toLowerCase(), close, start: at, end };
  }
  return undefined;
}

function closingEnd(text: string, from: number): number {
  const end = text.indexOf('>', from);
  return end < 0 ? text.length : end + 1;
}

/** Quotes count only after an equals sign: a stray quote between attributes hides nothing from a parser. */
function openingEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x3e) return at + 1;
    at += 1;
    if (code !== 0x3d) continue;
    while (isSpace(text.charCodeAt(at))) at += 1;
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      const end = text.indexOf(quote, at + 1);
      if (end < 0) return text.length;
      at = end + 1;
    } else {
      while (at < text.length && !isSpace(text.charCodeAt(at)) && text.charCodeAt(at) !== 0x3e) at += 1;
    }
  }
  return text.length;
}

function endOfRaw(text: string, tag: Tag): number {
  for (let end = text.indexOf('</', tag.end); end >= 0; end = text.indexOf('</', end + 2)) {
    const after = end + 2 + tag.name.length;
    if (isNameEnd(text.charCodeAt(after)) && text.slice(end + 2, after).toLowerCase() === tag.name) return end;
  }
  return text.length;
}

const isLetter = (code: number) => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);
const isNameEnd = (code: number) => isSpace(code) || code === 0x2f || code === 0x3e;
