import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Client, escapeIdentifier } from 'pg';
import { copyOut } from './backup-copy.ts';
import {
  backupVersion,
  countRows,
  encodeBlock,
  encodeLine,
  sumRows,
  trackProgress,
  type Header,
  type Progress,
} from './backup-format.ts';

export type ExportSummary = { tables: number; rows: number; bytes: number };
export type ExportOptions = { onProgress?: (progress: Progress) => void; signal?: AbortSignal };

/**
 * Columns whose stored value means nothing in another database. Transaction ids start anew there, so every restored event
 * counts as long committed, and a reader of the journal goes on before the first event that it has not read.
 */
const replacements: Record<string, string> = {
  'events.xid': `'0'::xid8`,
  'journal_cursors.xid': `'0'::xid8`,
  'journal_cursors.seq': `coalesce(
    (select min(e.seq) - 1 from events e where (e.xid, e.seq) > (journal_cursors.xid, journal_cursors.seq)),
    (select max(e.seq) from events e),
    journal_cursors.seq)`,
};

/**
 * Writes every logged table of schema public, as it is at one moment, to `write` as one gzip file; writers go on meanwhile.
 * Left out: jobs (schema pgboss), what a start makes anew (migrations, preparations), unlogged tables (which a crash may
 * empty anyway) and generated columns. Memory stays small whatever the size: nothing is read ahead of `write`. An aborted
 * `signal` ends it with the signal's reason.
 */
export async function exportDatabase(
  databaseUrl: string,
  write: (chunk: Buffer) => Promise<void>,
  { onProgress = () => {}, signal }: ExportOptions = {},
): Promise<ExportSummary> {
  signal?.throwIfAborted();
  const client = new Client({ connectionString: databaseUrl, application_name: 'quayside backup', keepAlive: true });
  client.on('error', () => {
    // The stream that reads from it fails with the same error.
  });
  await client.connect();
  const abort = () => client.connection.stream.destroy();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await client.query('begin isolation level repeatable read, read only');
    await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
                        set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC'`);
    const header = await readHeader(client);
    let bytes = 0;
    await pipeline(
      Readable.from(dump(client, header, trackProgress(header, onProgress))),
      createGzip({ chunkSize: 256 * 1024 }),
      async (compressed: AsyncIterable<Buffer>) => {
        for await (const chunk of compressed) {
          bytes += chunk.length;
          await write(chunk);
        }
      },
    );
    return { tables: header.tables.length, rows: sumRows(header), bytes };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    await client.end();
  }
}

async function* dump(
  client: Client,
  header: Header,
  tell: (table: string, rows: number, totalRows: number) => void,
): AsyncGenerator<Buffer> {
  yield encodeLine(header);
  for (const { name, columns, rows: totalRows } of header.tables) {
    const hash = createHash('sha256');
    let rows = 0;
    const expressions = columns.map((column) => {
      const replacement = replacements[`${name}.${column}`];
      return replacement ? `${replacement} as ${escapeIdentifier(column)}` : escapeIdentifier(column);
    });
    const sql = `copy (select ${expressions.join(', ')} from public.${escapeIdentifier(name)}) to stdout`;
    for await (const block of copyOut(client, sql) as AsyncIterable<Buffer>) {
      hash.update(block);
      rows += countRows(block);
      yield encodeBlock(block);
      tell(name, rows, totalRows);
    }
    yield encodeBlock(Buffer.alloc(0));
    yield encodeLine({ table: name, rows, sha256: hash.digest('hex') });
    tell(name, rows, totalRows);
  }
  const { rows: sequences } = await client.query<{ name: string; last_value: string }>(
    `select sequencename as name, last_value from pg_sequences where schemaname = 'public' and last_value is not null`,
  );
  yield encodeLine({
    sequences: sequences.map(({ name, last_value }) => ({ name, last_value: Number(last_value) })),
  });
}

/** Locks the tables against changes of their shape, then describes them. */
async function readHeader(client: Client): Promise<Header> {
  const { rows: tables } = await client.query<{ name: string; columns: string[] }>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and c.relname not in ('migrations', 'preparations') and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`);
  const names = tables.map(({ name }) => `public.${escapeIdentifier(name)}`);
  if (names.length > 0) await client.query(`lock table ${names.join(', ')} in access share mode`);
  const { rows: migrations } = await client.query<{ name: string }>('select name from public.migrations order by id');
  const header: Header = {
    format: 'quayside-backup',
    version: backupVersion,
    created_at: new Date().toISOString(),
    migrations: migrations.map(({ name }) => name),
    tables: [],
  };
  for (const { name, columns } of tables) {
    const { rows } = await client.query<{ count: string }>(`select count(*) from public.${escapeIdentifier(name)}`);
    header.tables.push({ name, columns, rows: Number(rows[0]!.count) });
  }
  return header;
}
