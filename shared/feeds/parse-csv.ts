import { finished } from 'node:stream';
import { CsvError, Parser, type Options } from 'csv-parse';
import { FeedBroken, MAX_ITEM_CHARS, type FeedItem } from './feed-item.ts';
import { feedName, type FeedNode } from './paths.ts';

const DELIMITERS = [',', ';', '\t', '|'];
const MAX_COLUMNS = 1_000;

/**
 * Streams CSV with a header (csv-parse): each row by the names of its columns. The delimiter is the one of comma, semicolon, tab
 * and bar that divides the header most. A row with another number of columns is a problem of its own; one that is cut off at the
 * end of the file throws FeedBroken, as everything does that is no CSV.
 */
export async function* parseCsv(texts: AsyncIterable<string>, head: string): AsyncGenerator<FeedItem> {
  const delimiter = delimiterOf(head);
  const isPlain = delimiter === '\t';
  const rows: string[][] = [];
  const parser = new Parser({
    delimiter,
    relax_column_count: true,
    quote: isPlain ? null : '"',
    skip_empty_lines: true,
    max_record_size: MAX_ITEM_CHARS,
    // Rows are taken here and not from its stream, which drops those before an error.
    on_record(row: string[]) {
      rows.push(row);
      return null;
    },
  } satisfies Options);
  parser.on('error', () => undefined).resume();
  const write = (text: string) => new Promise<Failure>((resolve) => void parser.write(text, resolve));
  const end = () => new Promise<Failure>((resolve) => void finished(parser.end(), { readable: false }, resolve));
  let names: string[] | undefined;
  let isShort = false;
  let endsLine = true;
  function* take(failure: Failure): Generator<FeedItem> {
    for (const row of rows.splice(0)) {
      isShort = names !== undefined && row.length < names.length;
      if (names) yield toItem(names, row);
      else names = readHeader(row);
    }
    if (failure) throw new FeedBroken(`The CSV cannot be read: ${describe(failure)}`, { cause: failure });
  }
  for await (const text of texts) {
    endsLine = /[\r\n]$/.test(text);
    yield* take(await write(text));
  }
  yield* take(await end());
  if (isShort && !endsLine) throw new FeedBroken('The CSV ends in the middle of a row.');
}

type Failure = Error | null | undefined;

const toItem = (names: readonly string[], row: readonly string[]): FeedItem =>
  row.length === names.length
    ? { node: toNode(names, row) }
    : { problem: `The row has ${row.length} columns, its header ${names.length}.` };

function readHeader(row: readonly string[]): string[] {
  if (row.length < 2) throw new FeedBroken('The CSV has no header of at least two columns.');
  if (row.length > MAX_COLUMNS) throw new FeedBroken(`The CSV has more than ${MAX_COLUMNS} columns.`);
  return row.map(feedName);
}

function delimiterOf(head: string): string {
  const [line = ''] = head.replace(/"[^"]*"/g, '').split(/\r?\n/, 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function toNode(names: readonly string[], row: readonly string[]): FeedNode {
  const node: FeedNode = Object.create(null) as FeedNode;
  for (const [index, name] of names.entries()) {
    const text = row[index]?.trim();
    if (name !== '' && text) node[name] ??= text;
  }
  return node;
}

function describe(error: Error): string {
  const code = error instanceof CsvError ? error.code : undefined;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'it ends in the middle of a quoted text.';
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `a row has more than ${MAX_ITEM_CHARS} characters, or a quote is not closed.`;
  return error.message.slice(0, 200);
}
