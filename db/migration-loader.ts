import { readFile } from 'node:fs/promises';
import type { MigrationBuilder } from 'node-pg-migrate';

/** How long a migration may wait for a lock: whoever comes after it waits as well. */
export const SHORT_LOCKS = `set lock_timeout = '3s'`;

const UP = /^-- Up Migration$/m;
const DOWN = /^-- Down Migration$/m;
const CONCURRENTLY = /\bindex concurrently\b/i;

/**
 * Loads migrations in SQL, each one transaction. Whatever has CONCURRENTLY in it, which no transaction may have, runs statement by
 * statement without one: statements end with a semicolon at the end of a line, and have to bear a second run.
 */
export const loadSqlMigrations = async (paths: string[]) =>
  Promise.all(
    paths.map(async (path) => ({ id: path, filePaths: [path], actions: actionsOf(await readFile(path, 'utf8')) })),
  );

function actionsOf(text: string) {
  const [up = '', down = ''] = (text.split(UP)[1] ?? '').split(DOWN);
  return {
    up(pgm: MigrationBuilder) {
      if (!CONCURRENTLY.test(up)) return pgm.sql(up);
      pgm.noTransaction();
      // Such an index waits for older transactions and keeps nobody from writing meanwhile.
      for (const statement of ['set lock_timeout = 0', ...up.split(/;$/m), SHORT_LOCKS])
        if (statement.trim() !== '') pgm.sql(statement);
    },
    down: (pgm: MigrationBuilder) => pgm.sql(down),
  };
}
