import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { dumpSchema } from '../../db/dump-schema.ts';
import { migrate } from '../../db/migrate.ts';
import { createEmptyDatabase } from '../support/database.ts';

const snapshot = readFileSync(new URL('../../db/schema.sql', import.meta.url), 'utf8');

/** How many of each kind of object a database has, whoever lists them. */
const census = `
  select 'relation ' || relkind::text as kind, count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace and relname !~ '^migrations' group by 1
  union all select 'constraint ' || contype::text, count(*)::int from pg_constraint where connamespace = 'public'::regnamespace and conname !~ '^migrations' group by 1
  union all select 'function ' || prokind::text, count(*)::int from pg_proc where pronamespace = 'public'::regnamespace group by 1
  union all select 'type ' || typtype::text, count(*)::int from pg_type where typnamespace = 'public'::regnamespace and typname !~ '^_?migrations' group by 1
  union all select 'trigger', count(*)::int from pg_trigger
  union all select 'default', count(*)::int from pg_attrdef where adrelid::regclass::text <> 'migrations'
  union all select 'comment', count(*)::int from pg_description where objoid >= 16384
  union all select 'search configuration', count(*)::int from pg_ts_config
  union all select 'search dictionary', count(*)::int from pg_ts_dict
  union all select 'search mapping', count(*)::int from pg_ts_config_map
  union all select 'statistics', count(*)::int from pg_statistic_ext
  union all select 'policy', count(*)::int from pg_policy
  union all select 'rule', count(*)::int from pg_rewrite
  union all select 'operator', count(*)::int from pg_operator
  union all select 'cast', count(*)::int from pg_cast
  order by 1`;

async function withDatabase<T>(
  prepare: (client: Client, url: string) => Promise<unknown>,
  read: (client: Client) => Promise<T>,
) {
  const { url } = await createEmptyDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await prepare(client, url);
    return await read(client);
  } finally {
    await client.end();
  }
}

const schemaOf = async (client: Client) => ({
  sql: await dumpSchema(client),
  census: (await client.query(census)).rows,
});

test('db/schema.sql is what the migrations make, and makes the same when it is run: `npm run generate` renews it', async () => {
  const migrated = await withDatabase((_client, url) => migrate(url), schemaOf);
  expect(snapshot).toBe(migrated.sql);
  const loaded = await withDatabase((client) => client.query(snapshot), schemaOf);
  expect(loaded).toEqual(migrated);
});
