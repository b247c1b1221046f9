import { decodeFeed, type DecodeOptions } from './decode.ts';
import { FeedBroken, MAX_CHARS_WITHOUT_ITEM, type FeedItem, type FeedParser } from './feed-item.ts';
import type { FeedMapping } from './mapping.ts';
import { parseCsv } from './parse-csv.ts';
import { createJsonParser } from './parse-json.ts';
import { createXmlParser } from './parse-xml.ts';

/** As much of the beginning as tells formats apart. */
const HEAD_CHARS = 65_536;

/** The largest feed, unpacked. */
export const MAX_FEED_BYTES = 1_073_741_824;

/**
 * Streams the items of a feed in constant memory, whatever its size; its format is seen from its beginning when the mapping
 * leaves that open. Throws FeedBroken for a feed that is empty, malformed, too large or ends before it is complete: items
 * before that have been handed on by then.
 */
export async function* readFeedItems(
  bytes: AsyncIterable<Buffer>,
  { format, items }: Pick<FeedMapping, 'format' | 'items'>,
  options: Partial<DecodeOptions> = {},
): AsyncGenerator<FeedItem> {
  const texts = decodeFeed(bytes, { maxBytes: MAX_FEED_BYTES, ...options });
  const { head, all } = await peek(texts);
  if (/^\s*<(?:!doctype html|html)\b/i.test(head)) throw new FeedBroken('This is an HTML page, no feed.');
  const seen = format === 'auto' ? detectFormat(head) : format;
  if (seen === 'csv') return yield* parseCsv(all, head);
  const found: FeedItem[] = [];
  const add = (item: FeedItem) => void found.push(item);
  const parser = seen === 'xml' ? createXmlParser(items, add) : createJsonParser(items, head, add);
  yield* pull(all, parser, found);
}

/** Feeds a push parser, and hands on what it has found after each piece. */
async function* pull(texts: AsyncIterable<string>, parser: FeedParser, found: FeedItem[]): AsyncGenerator<FeedItem> {
  let chars = 0;
  for await (const text of texts) {
    chars += text.length;
    // What stands before a mistake is handed on first.
    const failure = attempt(() => parser.write(text));
    if (found.length > 0) chars = 0;
    yield* found.splice(0);
    if (failure) throw failure;
    if (chars > MAX_CHARS_WITHOUT_ITEM)
      throw new FeedBroken(`There is no end of an item within ${MAX_CHARS_WITHOUT_ITEM} characters.`);
  }
  const failure = attempt(() => parser.end());
  yield* found.splice(0);
  if (failure) throw failure;
}

function attempt(work: () => void): Error | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof FeedBroken) return error;
    throw error;
  }
}

/** The beginning of the texts, and all of them. */
async function peek(texts: AsyncGenerator<string>): Promise<{ head: string; all: AsyncIterable<string> }> {
  const first: string[] = [];
  let head = '';
  while (head.length < HEAD_CHARS) {
    const next = await texts.next();
    if (next.done) break;
    first.push(next.value);
    head += next.value;
  }
  if (head.trim() === '') throw new FeedBroken('The feed is empty.');
  async function* all() {
    yield* first;
    yield* texts;
  }
  return { head, all: all() };
}

function detectFormat(head: string): 'xml' | 'csv' | 'json' {
  const start = head.trimStart();
  if (start.startsWith('<')) return 'xml';
  return /^[[{]/.test(start) ? 'json' : 'csv';
}
