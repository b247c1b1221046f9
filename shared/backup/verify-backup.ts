import { Client, escapeIdentifier } from 'pg';
import { errorCode } from '../../db/errors.ts';
import { importDatabase } from '../../db/restore.ts';
import type { Storage } from '../adapters/storage.ts';

/** insufficient_privilege: the role may not create databases. */
const NOT_ALLOWED = '42501';

/** `restored`, or why it could not be tried. */
export type Verification = 'restored' | 'not tried: the database role may not create a scratch database';

/**
 * Restores a stored backup into a scratch database of the same server, which checks every row count and checksum and every
 * constraint, and drops it again. Throws a BackupError when the file cannot be restored. Needs CREATEDB.
 */
export async function verifyBackup(
  storage: Storage,
  file: string,
  databaseUrl: string,
  runId: string,
): Promise<Verification> {
  const name = `quayside_verify_${runId.toLowerCase()}`;
  const scratch = new URL(databaseUrl);
  scratch.pathname = `/${name}`;
  const server = new Client({ connectionString: databaseUrl, application_name: 'quayside verify', keepAlive: true });
  server.on('error', () => {
    // The query in flight rejects with the same error.
  });
  await server.connect();
  try {
    // What a try that was killed has left behind.
    await server.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
    await server.query(`create database ${escapeIdentifier(name)} template template0`);
    const source = await storage.read(file);
    if (!source) throw new Error(`the backup ${file} is not in the storage any more`);
    await importDatabase(scratch.href, source);
    return 'restored';
  } catch (error) {
    if (errorCode(error) !== NOT_ALLOWED) throw error;
    return 'not tried: the database role may not create a scratch database';
  } finally {
    try {
      await server.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
    } finally {
      await server.end();
    }
  }
}
