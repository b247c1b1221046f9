import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Client, escapeIdentifier } from 'pg';
import { copyIn } from './backup-copy.ts';
import {
  BackupError,
  countRows,
  footerSchema,
  headerSchema,
  readBackup,
  sumRows,
  tableEndSchema,
  trackProgress,
  type BackupReader,
  type Header,
  type Progress,
} from './backup-format.ts';
import { assertUsable, errorCode } from './client.ts';
import { migrate } from './migrate.ts';
import { assertSession, type UrlSetting } from './session.ts';

export type ImportSummary = { tables: number; rows: number; migrated: string[] };

/**
 * Fills an empty database from the bytes of a backup, in one transaction: all of it, verified against the counts and checksums of
 * the file, or nothing. A database without tables gets those of the backup first; afterwards it is migrated to this
 * release. Throws a BackupError for a file that is not intact and for a database that already holds rows.
 */
export async function importDatabase(
  databaseUrl: string,
  source: AsyncIterable<Buffer>,
  onProgress: (progress: Progress) => void = () => {},
  setting?: UrlSetting,
): Promise<ImportSummary> {
  const unpacked = unpack(source);
  const backup = readBackup(unpacked);
  const client = new Client({ connectionString: databaseUrl, application_name: 'quayside restore', keepAlive: true });
  client.on('error', () => {
    // The query in flight rejects with the same error.
  });
  try {
    const header = await backup.line(headerSchema);
    await client.connect();
    await assertUsable(client);
    await assertSession(client, databaseUrl, setting);
    await prepareSchema(client, databaseUrl, header);
    await client.query('begin');
    await client.query(
      `set local statement_timeout = 0; set local lock_timeout = '10s'; set local maintenance_work_mem = '256MB'`,
    );
    await assertEmpty(client, header);
    const putBack = await setAside(client);
    const tell = trackProgress(header, onProgress);
    for (const table of header.tables) await importTable(client, backup, table, tell);
    const { sequences } = await backup.line(footerSchema);
    for (const { name, last_value } of sequences)
      await client.query('select setval($1::regclass, $2)', [`public.${escapeIdentifier(name)}`, last_value]);
    await putBack();
    await client.query('commit');
    const migrated = await migrate(databaseUrl);
    await client.query('analyze');
    return { tables: header.tables.length, rows: sumRows(header), migrated };
  } finally {
    await Promise.all([client.end(), unpacked.return(undefined)]);
  }
}

async function* unpack(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: 256 * 1024 });
  pipeline(Readable.from(source, { objectMode: false }), unpacked, () => {
    // The reader below meets the same error.
  });
  try {
    yield* unpacked;
  } catch (error) {
    if (errorCode(error)?.startsWith('Z_'))
      throw new BackupError('The backup is damaged or cut off.', { cause: error });
    throw error;
  }
}

async function prepareSchema(client: Client, databaseUrl: string, header: Header): Promise<void> {
  const applied = async (): Promise<string[]> => {
    const { rows } = await client.query<{ found: boolean }>(
      `select to_regclass('public.migrations') is not null as found`,
    );
    if (!rows[0]?.found) return [];
    const { rows: migrations } = await client.query<{ name: string }>('select name from public.migrations order by id');
    return migrations.map(({ name }) => name);
  };
  if ((await applied()).length === 0) await migrate(databaseUrl, { count: header.migrations.length });
  const present = await applied();
  if (present.join() === header.migrations.join()) return;
  throw new BackupError(
    `The backup has the tables of ${header.migrations.at(-1)}, the database those of ${present.at(-1)}: restore into a new database.`,
  );
}

async function assertEmpty(client: Client, header: Header): Promise<void> {
  const names = header.tables.map(({ name }) => `public.${escapeIdentifier(name)}`);
  await client.query(`lock table ${names.join(', ')} in access exclusive mode`);
  for (const name of names) {
    const { rows } = await client.query(`select from ${name} limit 1`);
    if (rows.length > 0)
      throw new BackupError(`The database is not empty (${name} has rows): restore into a new database.`);
  }
  // Rows copied into a table emptied in the same transaction are frozen at once, so that no vacuum rewrites them later.
  await client.query(`truncate ${names.join(', ')}`);
}

/**
 * Takes off foreign keys, secondary indexes and triggers, and answers how to put them back: the rows arrive in no order
 * that keys allow and have already been through the triggers, and an index built once is much cheaper than row by row.
 */
async function setAside(client: Client): Promise<() => Promise<void>> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`);
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'i' and not c.relispartition
      and not exists (select from pg_constraint where conindid = i.indexrelid)`);
  const { rows: tables } = await client.query<{ name: string }>(`
    select distinct tgrelid::regclass::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal`);
  for (const { table, name } of keys)
    await client.query(`alter table ${table} drop constraint ${escapeIdentifier(name)}`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (const { name } of tables) await client.query(`alter table ${name} disable trigger user`);
  return async () => {
    for (const { definition } of indexes) await client.query(definition);
    for (const { table, name, definition } of keys)
      await client.query(`alter table ${table} add constraint ${escapeIdentifier(name)} ${definition}`);
    for (const { name } of tables) await client.query(`alter table ${name} enable trigger user`);
  };
}

async function importTable(
  client: Client,
  backup: BackupReader,
  { name, columns, rows: totalRows }: Header['tables'][number],
  tell: (table: string, rows: number, totalRows: number) => void,
): Promise<void> {
  const hash = createHash('sha256');
  let rows = 0;
  async function* checked(): AsyncGenerator<Buffer> {
    for await (const block of backup.blocks()) {
      hash.update(block);
      rows += countRows(block);
      yield block;
      tell(name, rows, totalRows);
    }
  }
  const list = columns.map((column) => escapeIdentifier(column)).join(', ');
  await copyIn(client, `copy public.${escapeIdentifier(name)} (${list}) from stdin with (freeze)`, checked());
  const end = await backup.line(tableEndSchema);
  if (end.table !== name || end.rows !== rows || rows !== totalRows || end.sha256 !== hash.digest('hex'))
    throw new BackupError(`The backup is damaged: table ${name} does not match its checksum.`);
  tell(name, rows, totalRows);
}
