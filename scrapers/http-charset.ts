const SNIFFED_BYTES = 4_096;

/**
 * The text of an HTML page, decoded as browsers do: by its byte order mark, else the charset of the Content-Type header,
 * else its `<meta>`; without any of these as UTF-8 when it is valid, else as windows-1252. Never throws.
 */
export function decodeHtml(body: Buffer, contentType: string | undefined): string {
  const label = markedEncoding(body) ?? charsetOf(contentType) ?? declaredEncoding(body);
  const decoder = label === undefined ? undefined : createDecoder(label);
  if (decoder) return decoder.decode(body);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return new TextDecoder('windows-1252').decode(body);
  }
}

function markedEncoding(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return undefined;
}

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType ?? '')?.[1];
}

/** A page that can say so in ASCII is not written in UTF-16, whatever it says. */
function declaredEncoding(body: Buffer): string | undefined {
  const head = body.toString('latin1', 0, SNIFFED_BYTES);
  const inMeta = /<meta\b[^>]{0,300}?\bcharset\s*=\s*["']?\s*([\w:.-]+)/i.exec(head)?.[1];
  const inXml = /^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w:.-]+)["']/i.exec(head)?.[1];
  const label = inMeta ?? inXml;
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function createDecoder(label: string) {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
