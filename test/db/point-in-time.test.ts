import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { startArchivedServer, type ArchivedServer, type DatabaseServer } from '../support/replication.ts';
import { eventually } from '../support/waiting.ts';

let server: ArchivedServer;
beforeAll(async () => {
  server = await startArchivedServer();
});
afterAll(() => server.stop());

const add = ({ query }: DatabaseServer, name: string) =>
  query(
    `insert into users (id, email, name, created_at, updated_at) values ('usr_${name}', '${name}@example.com', '${name}', now(), now())`,
  );
const namesIn = async ({ query }: DatabaseServer) =>
  (await query<{ name: string }>(`select name from users where email like '%@example.com' order by name`)).map(
    ({ name }) => name,
  );
const recovered = (restored: DatabaseServer) =>
  eventually(async () => {
    const [row] = await restored.query<{ done: boolean }>('select not pg_is_in_recovery() as done');
    return row!.done;
  });

test('A base backup and the archived log bring back the moment before a mistake, and the service runs on it', async () => {
  const { primary } = server;
  await add(primary, 'before');
  const bringBack = await server.backUp();
  await add(primary, 'after');
  const [moment] = await primary.query<{ now: Date }>('select clock_timestamp() as now');
  // A moment is told in milliseconds, and what is committed within the same one is not in it.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await primary.query('delete from users');
  await server.archived();

  const restored = await bringBack(new Date(moment!.now.getTime() + 1));
  await recovered(restored);
  expect(await namesIn(restored)).toEqual(['after', 'before']);
  expect(await namesIn(primary)).toEqual([]);

  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: restored.url });
  await prepareDatabase(restored.url, config);
  await add(restored, 'later');
  expect(await namesIn(restored)).toEqual(['after', 'before', 'later']);
  // What is not in the log of PostgreSQL (UNLOGGED) is there, empty, and filled anew.
  expect(await restored.query('select * from recent_requests')).toEqual([]);
});
