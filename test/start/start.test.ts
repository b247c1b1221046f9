import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readPidFile } from '../../db/embedded-process.ts';
import { isReadyMessage } from '../../shared/kit/ready.ts';
import { cloneDatabase } from '../support/database.ts';
import { endAll, newFolder, run, startSupervisor } from './support.ts';
import { scaled } from '../support/machine.ts';

afterEach(endAll);

const { url } = await cloneDatabase();
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const sessionOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[3];

test('an embedded start: ready with one block of addresses, adopted after kill -9, and stopped with the database last', async () => {
  const folder = newFolder();
  const cluster = join(folder, 'data', 'postgres');
  const first = startSupervisor(folder, { api: 'api', workers: 'steps' }, {});
  const [, login] = await first.line(/Admin +(\S+ +password \S+)/);
  expect(first.lines.join('\n')).toMatch(
    /^Quayside is ready in \d+\.\d s\n  Pages +http:\/\/localhost:(\d+)\/\n  API +\S+:\1\/api\n  Docs +\S+:\1\/api\/docs\n  Console +\S+:\1\/admin\n  Metrics +\S+:\1\/metrics\n  Admin +.*\n$/m,
  );
  expect(login).toContain(JSON.parse(readFileSync(join(folder, 'data/secrets.json'), 'utf8')).admin.password);
  expect(statSync(join(folder, 'data/secrets.json')).mode & 0o777).toBe(0o600);
  const postgres = readPidFile(cluster)!.pid;
  const [, api] = await first.line(/^api +\| api runs as (\d+)/);
  const [, port = ''] = await first.line(/API +http:\/\/localhost:(\d+)/);
  expect(new Set([first.child.pid!, postgres, Number(api)].map(sessionOf)).size).toBe(3);

  first.child.kill('SIGKILL');
  await first.end();
  const second = startSupervisor(folder, { api: 'api', workers: 'steps' }, { PORT: port });
  await second.line(/Admin +\S+ +\(first password in .*secrets\.json\)/);
  await second.line(/^workers +\| steps runs as/);
  expect(readPidFile(cluster)?.pid).toBe(postgres);
  expect(isAlive(Number(api))).toBe(false);
  second.child.kill('SIGTERM');
  expect(await second.end()).toBe(0);
  const said = second.lines.filter((line) => !line.includes('runs as'));
  expect(said.slice(said.indexOf('Stopping …') + 1).toSorted()).toEqual([
    'Stopped.',
    'api     | the database still answers',
    'workers | error logged',
    'workers | first',
    'workers | third',
  ]);
  expect(said.at(-1)).toBe('Stopped.');
  expect(readPidFile(cluster)).toBeUndefined();
  expect(isAlive(postgres)).toBe(false);
});

test('a process that crashes is started again, the others go on', async () => {
  const folder = newFolder();
  const running = startSupervisor(
    folder,
    { steady: 'steps', shaky: `crashOnce ${folder}/mark` },
    { DATABASE_URL: url },
  );
  await running.line(/^shaky +\| ended \(code 3\), starts again in 1 s/);
  await running.line(/^shaky +\| crashOnce runs as/);
  expect(running.lines.filter((line) => line.startsWith('steady'))).toHaveLength(1);
  running.child.kill('SIGINT');
  expect(await running.end()).toBe(0);
});

test('a process that was ready is started again after 1 s however often it is killed; one that never was, ever later', async () => {
  const running = startSupervisor(newFolder(), { well: 'ready', sick: 'crash' }, { DATABASE_URL: url });
  for (let kill = 1; kill <= 4; kill += 1) {
    const runs = () => running.lines.map((line) => /^well \| ready runs as (\d+)/.exec(line)?.[1]).filter(Boolean);
    await expect.poll(() => runs().length).toBe(kill);
    process.kill(Number(runs().at(-1)), 'SIGKILL');
  }
  const ends = (name: string) => running.lines.filter((line) => line.startsWith(`${name} | ended`));
  await expect.poll(() => [ends('well').length, ends('sick').length >= 3]).toEqual([4, true]);
  expect(new Set(ends('well'))).toEqual(new Set(['well | ended (SIGKILL), starts again in 1 s']));
  expect(ends('sick').slice(0, 3)).toEqual([1, 2, 4].map((s) => `sick | ended (code 3), starts again in ${s} s`));
});

test.each(['api', 'workers', 'scrapers'])('the %s process tells its supervisor when it is ready', async (name) => {
  const folder = newFolder();
  const environment = { DATABASE_URL: url, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'info' };
  const running = run([join(import.meta.dirname, `../../${name}/main.ts`)], folder, environment, { ipc: true });
  const [message] = (await once(running.child, 'message')) as unknown[];
  expect(isReadyMessage(message)).toBe(true);
});

test('a process that refuses its configuration ends everything with 78', async () => {
  const running = startSupervisor(newFolder(), { steady: 'steps', wrong: 'refuse' }, { DATABASE_URL: url });
  expect(await running.end()).toBe(78);
  expect(running.lines).toContain('wrong  | SOME_VARIABLE: is wrong');
  expect(running.lines).toContain('wrong refuses its configuration.');
});

test('bad variables end the start with one line each and 78, before anything is made', async () => {
  const folder = newFolder();
  const environment = {
    PORT: 'abc',
    DATABASE_URL: 'mysql://x',
    FETCH_ALLOW: '10.0.0.0/99',
    ADMIN_EMAIL: 'a@example.org',
  };
  const running = startSupervisor(folder, { api: 'api' }, environment);
  expect(await running.end()).toBe(78);
  const named = running.lines.map((line) => line.split(':')[0]);
  expect(named).toEqual(['PORT', 'DATABASE_URL', 'FETCH_ALLOW', 'ADMIN_PASSWORD']);
  expect(() => statSync(join(folder, 'data'))).toThrow('ENOENT');
});

test('a marketplace file with a mistake ends the start, and every process alone, with one line and 78', async () => {
  const folder = newFolder();
  const file = join(folder, 'cars.yaml');
  writeFileSync(
    file,
    'name: cars\ntagline: { en: cars }\nlocales: [en]\ncategories: [{ id: Cars, name: { en: Cars } }]\n',
  );
  const environment = { DATABASE_URL: url, MARKETPLACE_FILE: file, DATA_DIR: folder, PORT: '0' };
  const told = `MARKETPLACE_FILE: ${file}: categories[0].id: must be small letters, digits and single hyphens, such as city-cars`;
  const supervisor = startSupervisor(newFolder(), { api: 'api' }, environment);
  expect(await supervisor.end()).toBe(78);
  expect(supervisor.lines[0]).toBe(told);
  for (const name of ['api', 'workers', 'scrapers']) {
    const running = run([join(import.meta.dirname, `../../${name}/main.ts`)], folder, environment);
    expect([name, await running.end(), running.lines]).toEqual([name, 78, [told]]);
  }
}, 120_000);

test('an unknown queue ends a workers process with one line and 78', async () => {
  const script = join(import.meta.dirname, '../../workers/main.ts');
  const running = run([script], newFolder(), { DATABASE_URL: url, QUEUES: 'send-email,nonesuch' });
  expect(await running.end()).toBe(78);
  expect(running.lines).toEqual([expect.stringMatching(/^QUEUES: unknown queue nonesuch; known are /)]);
});

test('a database that refuses the login ends the start with one line', async () => {
  const running = startSupervisor(newFolder(), { api: 'api' }, { DATABASE_URL: url.replace(/:[^:@]+@/, ':wrong@') });
  expect(await running.end()).toBe(1);
  expect(running.lines[0]).toBe('DATABASE_URL: password authentication failed for user "postgres"');
});

test('a port in use ends the start with one line', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const running = startSupervisor(newFolder(), { api: 'api' }, { PORT: port });
  expect(await running.end()).toBe(1);
  other.close();
  expect(running.lines[0]).toBe(
    `PORT: ${port} is already in use on 127.0.0.1; stop what listens there or set another PORT`,
  );
});

test('it stops when the npm that runs it is ended alone', async () => {
  const running = startSupervisor(newFolder(), { polite: 'steps' }, { DATABASE_URL: url }, 'npm');
  await running.line(/steps runs as/);
  running.child.kill('SIGTERM');
  await running.end();
  expect(running.lines.slice(-2)).toEqual(['polite | third', 'Stopped.']);
});

test('Ctrl-C that arrives twice at once drains; a later second one kills what does not end', async () => {
  const running = startSupervisor(newFolder(), { stubborn: 'ignoreSignals', polite: 'steps' }, { DATABASE_URL: url });
  await running.line(/ignoreSignals runs as/);
  await running.line(/steps runs as/);
  running.child.kill('SIGINT');
  running.child.kill('SIGINT');
  await running.line(/^polite +\| third/);
  await running.line(/^stubborn +\| not now/);
  const again = setInterval(() => running.child.kill('SIGINT'), 300);
  const startedAt = performance.now();
  expect(await running.end()).toBe(0);
  clearInterval(again);
  expect(performance.now() - startedAt).toBeLessThan(scaled(15_000));
});
