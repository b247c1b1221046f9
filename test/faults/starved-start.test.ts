import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../db/client.ts';
import { cloneDatabase } from '../support/database.ts';
import { makeTestFolder } from '../support/folders.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const STOPPED_MS = 3_500;
const STOPS = 6;

test('a process that is too busy to take its connection does not mistake the database for one that is away', async () => {
  const { url } = await cloneDatabase();
  const pool = createPool({ databaseUrl: url, max: 1, applicationName: 'test busy' });
  const answer = pool.query('select 1 as one');
  const until = performance.now() + STOPPED_MS;
  while (performance.now() < until);
  expect((await answer).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test('an API process that stands still while its connections open, as on a starved machine, starts without a warning', async () => {
  const { url } = await cloneDatabase();
  const { hostname, port: serverPort, pathname, username, password } = new URL(url);
  let stops = 0;
  let stopped = false;
  const stopOnce = () => {
    if (stopped || stops === STOPS) return;
    stops += 1;
    stopped = true;
    child.signal('SIGSTOP');
    setTimeout(() => {
      stopped = false;
      child.signal('SIGCONT');
    }, STOPPED_MS);
  };
  const network = createServer((near) => {
    const far = connect(Number(serverPort), hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.once('data', stopOnce);
    near.once('close', () => far.destroy());
  }).listen(0, '127.0.0.1');
  await once(network, 'listening');
  onTestFinished(() => void network.close());
  const { port: databasePort } = network.address() as AddressInfo;
  const port = await freePort();
  const child = startProcess('api/main.ts', {
    DATABASE_URL: `postgres://${username}:${password}@127.0.0.1:${databasePort}${pathname}`,
    DATA_DIR: makeTestFolder(),
    JWT_SECRET: 'a secret of the tests alone',
    PORT: String(port),
    DEADLINE_FACTOR: '1',
  });
  const isHealthy = async () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const describe = () => `${stops} stops\n${child.output()}`;
  await eventually(async () => stops === STOPS && (await isHealthy()), { describe });
  expect(child.output()).not.toMatch(/could not be|is not connected|does not answer|Error/);
  expect(await child.kill('SIGTERM')).toBe(0);
});
