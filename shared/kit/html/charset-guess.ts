/** The encoding of old pages by language, as browsers fall back; those of several scripts are told apart by their bytes. */
const BY_LANGUAGE = new Map<string, string>(
  Object.entries({
    ar: 'windows-1256',
    be: 'windows-1251',
    bg: 'windows-1251',
    cs: 'windows-1250',
    el: 'windows-1253',
    et: 'windows-1257',
    fa: 'windows-1256',
    he: 'windows-1255',
    hr: 'windows-1250',
    hu: 'windows-1250',
    ja: 'shift_jis',
    ko: 'euc-kr',
    lt: 'windows-1257',
    lv: 'windows-1257',
    mk: 'windows-1251',
    pl: 'windows-1250',
    ro: 'windows-1250',
    ru: 'windows-1251',
    sk: 'windows-1250',
    sl: 'windows-1250',
    sr: 'windows-1251',
    th: 'windows-874',
    tr: 'windows-1254',
    uk: 'windows-1251',
    vi: 'windows-1258',
    zh: 'gb18030',
  }),
);
const CYRILLIC = new Set(['be', 'bg', 'mk', 'ru', 'sr', 'uk']);
const MAX_COUNTED = 200_000;

/** The encoding of a page that declares none and is no valid UTF-8: by the language it names, else by its bytes. */
export function guessEncoding(body: Buffer, head: string): string {
  const language =
    /\slang\s*=\s*["']?([a-z]{2})/i.exec(/<html\b[^<>]*/i.exec(head)?.[0] ?? '')?.[1]?.toLowerCase() ?? '';
  if (CYRILLIC.has(language) || (language === '' && isCyrillic(body))) return cyrillicEncoding(body);
  if (language === 'ja')
    return isValid(body, 'euc-jp') ? 'euc-jp' : isValid(body, 'iso-2022-jp') ? 'iso-2022-jp' : 'shift_jis';
  if (language === 'zh') return isValid(body, 'gb18030') || !isValid(body, 'big5') ? 'gb18030' : 'big5';
  return BY_LANGUAGE.get(language) ?? 'windows-1252';
}

/** True when a text declared as UTF-8 is in fact another encoding: what is broken in it outweighs what is sound. */
export function isMislabelled(body: Buffer): boolean {
  let sound = 0;
  let broken = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte < 0x80) continue;
    const length = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    let follows = 0;
    while (follows < length && ((body[at + follows + 1] ?? 0) & 0xc0) === 0x80) follows += 1;
    if (length > 0 && follows === length) sound += 1;
    else broken += 1;
    at += follows;
  }
  return broken > sound;
}

/** True when a text declared in an older encoding is UTF-8 nonetheless: other letters hardly ever make up its sequences. */
export function isUtf8(body: Buffer, declared: string): boolean {
  if (declared.startsWith('utf-16') || !isValid(body, 'utf-8')) return false;
  // A word or two of Chinese in its own encoding may pass for UTF-8 by chance.
  const fewest = /^(?:windows-|iso-8859-|koi8)/.test(declared) ? 1 : 24;
  let high = 0;
  for (const byte of body) if (byte >= 0x80) high += 1;
  return high >= fewest;
}

/** Words of Cyrillic letters are runs of high bytes; in Latin ones they stand alone. */
function isCyrillic(body: Buffer): boolean {
  let runs = 0;
  let high = 0;
  let wasHigh = false;
  for (const byte of body.subarray(0, MAX_COUNTED)) {
    const isHigh = byte >= 0xc0;
    if (isHigh) high += 1;
    if (isHigh && !wasHigh) runs += 1;
    wasHigh = isHigh;
  }
  return runs >= 5 && high / runs >= 3;
}

/** Small letters, the most of any text, lie at 0xe0-0xff in windows-1251 and at 0xc0-0xdf in KOI8. */
function cyrillicEncoding(body: Buffer): string {
  let upper = 0;
  let lower = 0;
  for (const byte of body.subarray(0, MAX_COUNTED)) {
    if (byte >= 0xe0) upper += 1;
    else if (byte >= 0xc0) lower += 1;
  }
  return lower > upper ? 'koi8-u' : 'windows-1251';
}

function isValid(body: Buffer, label: string): boolean {
  try {
    new TextDecoder(label, { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
}
