import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { dumpSchema } from './dump-schema.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';

const target = fileURLToPath(new URL('types.gen.ts', import.meta.url));
const snapshot = fileURLToPath(new URL('schema.sql', import.meta.url));
const codegen = fileURLToPath(import.meta.resolve('kysely-codegen/dist/cli/bin.js'));

/** Writes db/types.gen.ts and db/schema.sql from a database that holds nothing but the migrations. */
async function generateTypes(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-types-'));
  const server = await startEmbedded({ dataDir, fast: true });
  try {
    await migrate(server.url);
    execFileSync(process.execPath, [codegen, ...codegenOptions(server.url), '--out-file', target], {
      stdio: 'inherit',
    });
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      writeFileSync(snapshot, await dumpSchema(client));
    } finally {
      await client.end();
    }
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The options of kysely-codegen that fit the type parsers of db/client.ts. */
export function codegenOptions(url: string): string[] {
  return [
    '--url',
    url,
    '--dialect',
    'postgres',
    '--numeric-parser',
    'number',
    '--date-parser',
    'string',
    '--type-mapping',
    JSON.stringify({ int8: 'number', tsvector: 'string' }),
    '--exclude-pattern',
    'migrations',
  ];
}

if (import.meta.main) await generateTypes();
