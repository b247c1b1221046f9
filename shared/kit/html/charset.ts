import { guessEncoding, isMislabelled, isUtf8 } from './charset-guess.ts';

const SNIFFED_BYTES = 4_096;

/** A page as text, and what is wrong with what it says of its encoding. */
export type Decoded = { html: string; problem: string | undefined };

/** As readHtml, without what is wrong. */
export const decodeHtml = (body: Buffer, contentType: string | undefined): string => readHtml(body, contentType).html;

/**
 * The text of an HTML page, decoded as browsers do: by its byte order mark, else the charset of the Content-Type header,
 * else its `<meta>`. Without any of these, or when it is plainly no UTF-8 although it says so, as UTF-8 when it is valid,
 * else as its language is usually written. Never throws. (encoding-sniffer believes each label: it reads 100 of 428 saved
 * pages otherwise, most of them UTF-8 as windows-1252.)
 */
export function readHtml(body: Buffer, contentType: string | undefined): Decoded {
  const label = markedEncoding(body) ?? charsetOf(contentType) ?? declaredEncoding(body);
  const decoder = label === undefined ? undefined : createDecoder(label);
  const decodeAs = (by: InstanceType<typeof TextDecoder>): Decoded => ({
    html: by.decode(body),
    problem: label === undefined || decoder?.encoding === by.encoding ? undefined : tellApart(label, by.encoding),
  });
  if (decoder && decoder.encoding !== 'utf-8' && !isUtf8(body, decoder.encoding)) return decodeAs(decoder);
  try {
    return decodeAs(new TextDecoder('utf-8', { fatal: true }));
  } catch {
    const isMeant = decoder !== undefined && !isMislabelled(body);
    return decodeAs(
      isMeant ? decoder : new TextDecoder(guessEncoding(body, body.toString('latin1', 0, SNIFFED_BYTES))),
    );
  }
}

const tellApart = (label: string, used: string) =>
  `The page calls its encoding '${label.slice(0, 40)}', but it was read as ${used}.`;

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
  const metas = head.match(/<meta\b[^<>]*/gi) ?? [];
  const [inMeta] = metas.flatMap((meta) => /\bcharset\s*=\s*(?:["']\s*)?([\w:.-]+)/i.exec(meta)?.[1] ?? []);
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
