import { z } from 'zod';

/*
 * A backup is one gzip file of lines and blocks:
 *   a JSON line with the header;
 *   for every table, in the header's order: blocks of rows in PostgreSQL's COPY text format, each after a line with its
 *   length in bytes, the last one empty; then a JSON line with the count and the SHA-256 of those rows;
 *   a JSON line with the state of the sequences.
 */

export const backupVersion = 1;

export const headerSchema = z.object({
  format: z.literal('quayside-backup'),
  version: z.int().max(backupVersion, 'was made by a newer release'),
  created_at: z.string(),
  /** The names of the migrations applied, in order. */
  migrations: z.array(z.string()),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.int() })),
});
export const tableEndSchema = z.object({ table: z.string(), rows: z.int(), sha256: z.string() });
export const footerSchema = z.object({ sequences: z.array(z.object({ name: z.string(), last_value: z.number() })) });

export type Header = z.infer<typeof headerSchema>;

/** How far an export or import is, in this table and in all of them; sent about once per megabyte and after every table. */
export type Progress = { table: string; rows: number; totalRows: number; allRows: number; allTotalRows: number };

/** Adds up the rows of all tables for those who want to know how far it is. */
export function trackProgress(
  header: Header,
  tell: (progress: Progress) => void,
): (table: string, rows: number, totalRows: number) => void {
  const allTotalRows = sumRows(header);
  const done = new Map<string, number>();
  let allRows = 0;
  return (table, rows, totalRows) => {
    allRows += rows - (done.get(table) ?? 0);
    done.set(table, rows);
    tell({ table, rows, totalRows, allRows, allTotalRows });
  };
}

export function sumRows(header: Header): number {
  return header.tables.reduce((sum, { rows }) => sum + rows, 0);
}

/** A file that is no complete, intact backup, or a database that cannot take it; the message is one line. */
export class BackupError extends Error {}

export function encodeLine(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

export function encodeBlock(block: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${block.length}\n`), block]);
}

/** Every row in COPY's text format ends with a newline, and no value holds one unescaped. */
export function countRows(block: Buffer): number {
  let rows = 0;
  for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, at + 1)) rows += 1;
  return rows;
}

export type BackupReader = {
  /** The next line, parsed and checked. */
  line<T>(schema: z.ZodType<T>): Promise<T>;
  /** The rows of the current table, to its end. */
  blocks(): AsyncGenerator<Buffer>;
};

/** Reads the unpacked bytes of a backup piece by piece; throws a BackupError where they are not one. */
export function readBackup(source: AsyncIterable<Buffer>): BackupReader {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function readMore(): Promise<void> {
    const { value, done } = await chunks.next();
    if (done) throw new BackupError('The backup ends too early.');
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
  }

  async function readLine(): Promise<string> {
    let end = rest.indexOf(10);
    while (end < 0) {
      if (rest.length > 4_000_000) throw new BackupError('This file is not a backup of this service.');
      await readMore();
      end = rest.indexOf(10);
    }
    const line = rest.toString('utf8', 0, end);
    rest = rest.subarray(end + 1);
    return line;
  }

  return {
    async line(schema) {
      const parsed = schema.safeParse(parseJson(await readLine()));
      if (parsed.success) return parsed.data;
      throw new BackupError(
        `This file is not a backup that can be read: ${z.prettifyError(parsed.error).split('\n')[0]}`,
      );
    },
    async *blocks() {
      for (;;) {
        const length = Number(await readLine());
        if (!Number.isSafeInteger(length) || length < 0) throw new BackupError('The backup is damaged.');
        if (length === 0) return;
        while (rest.length < length) await readMore();
        yield rest.subarray(0, length);
        rest = rest.subarray(length);
      }
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BackupError('This file is not a backup of this service.');
  }
}
