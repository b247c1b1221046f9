import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, createPool } from '../../db/client.ts';
import { startEmbedded, type Embedded } from '../../db/embedded.ts';
import { readPidFile } from '../../db/embedded-process.ts';
import { createSessionTokens } from '../../shared/accounts/session-token.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { newId } from '../../shared/kit/ids.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { storeListings } from '../api/listings/search-fixture.ts';
import { makeTestFolder } from '../support/folders.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';
import { scaled } from '../support/machine.ts';

const secret = 'a secret of the tests alone';
const folder = makeTestFolder();
let server: Embedded;
let pool: ReturnType<typeof createPool>;
let listingId = '';
let adminToken = '';
let fleet: Awaited<ReturnType<typeof startFleet>>;
const ends: (() => void)[] = [];

// A server of its own, which loses nothing that it has committed when it is restarted.
beforeAll(async () => {
  server = await startEmbedded({ dataDir: folder });
  const env = { NODE_ENV: 'test', DATABASE_URL: server.url, DATA_DIR: folder };
  await prepareDatabase(server.url, readConfig(env));
  pool = createPool({ databaseUrl: server.url, max: 2, applicationName: 'test' });
  const db = createDatabase(pool);
  const now = new Date();
  const [seller, admin] = ['user', 'admin'].map((role) => {
    const id = newId('user');
    return { id, role, email: `${role}@example.com`, name: role, created_at: now, updated_at: now };
  });
  await db.insertInto('users').values([seller!, admin!]).execute();
  const [listing] = await storeListings({ database: { pool, db } as never }, seller!, [{}]);
  listingId = listing!.id;
  adminToken = await createSessionTokens([secret], systemClock).sign({
    id: admin!.id,
    role: 'admin',
    session_epoch: 0,
  });
  fleet = await startFleet();
});
afterAll(async () => {
  for (const end of ends) end();
  await pool.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startFleet() {
  const port = await freePort();
  const env = {
    DATABASE_URL: server.url,
    DATA_DIR: folder,
    JWT_SECRET: secret,
    RATE_LIMIT_MULTIPLIER: '0',
    DEADLINE_FACTOR: '1',
  };
  const api = startProcess('api/main.ts', { ...env, PORT: String(port) }, (end) => ends.push(end));
  const worker = startProcess('workers/main.ts', env, (end) => ends.push(end));
  const url = `http://127.0.0.1:${port}`;
  const get = async (path: string, headers = {}) => {
    const response = await fetch(url + path, { headers }).catch(() => undefined);
    await response?.body?.cancel();
    return response?.status ?? 0;
  };
  await eventually(async () => (await get('/health')) === 200, { describe: api.output });
  return {
    url,
    get,
    async stop() {
      const codes = await Promise.all([api.kill('SIGTERM'), worker.kill('SIGTERM')]);
      return { codes, output: api.output() + worker.output() };
    },
  };
}

type Answer = { message: string; status: number; at: number; ms: number };

/** Clients that send messages to the seller, each as fast as it is answered, until they are stopped. */
function startClients(url: string, count: number) {
  const answers: Answer[] = [];
  let running = true;
  const clients = Array.from({ length: count }, async (_, client) => {
    for (let turn = 0; running; turn += 1) {
      const message = `${url} ${client} ${turn}`;
      const startedAt = performance.now();
      const response = await fetch(`${url}/api/listings/${listingId}/contact`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'A', email: 'a@example.com', message }),
      }).catch(() => undefined);
      await response?.body?.cancel();
      const at = performance.now();
      answers.push({ message, status: response?.status ?? 0, at, ms: at - startedAt });
      if (response?.status !== 201) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  return {
    answers,
    /** Resolves after a success that came later than `since`, with how much later. */
    async succeeded(since: number): Promise<number> {
      const find = () => answers.find(({ status, at }) => status === 201 && at > since);
      await eventually(async () => find() !== undefined);
      return find()!.at - since;
    },
    async stop(): Promise<void> {
      running = false;
      await Promise.all(clients);
    },
  };
}

/** The messages answered 201 whose row, or whose job, is not there. */
async function lostOf(answers: Answer[]): Promise<string[]> {
  const { rows } = await pool.query<{ message: string }>(
    `select message from unnest($1::text[]) as t (message)
     where not exists (
       select from contact_requests r join pgboss.job j on j.name = 'send-email' and j.data->>'message_id' = 'contact-owner.' || r.id
       where r.message = t.message)`,
    [answers.filter(({ status }) => status === 201).map(({ message }) => message)],
  );
  return rows.map(({ message }) => message);
}

const isBack = async () => {
  const client = new Client({ connectionString: server.url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  return client.connect().then(
    async () => client.end().then(() => true),
    () => false,
  );
};

test('PostgreSQL restarted under load costs 503s for as long as it is away, and nothing that was promised', async () => {
  const clients = startClients(fleet.url, 4);
  // Fast, then immediate: both as an operator or the kernel would.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGQUIT'] as const) {
    await clients.succeeded(performance.now());
    const { pid } = readPidFile(join(folder, 'postgres'))!;
    process.kill(pid, signal);
    await eventually(async () => readPidFile(join(folder, 'postgres'))?.pid !== pid && (await isBack()));
    expect(await clients.succeeded(performance.now())).toBeLessThan(scaled(4_000));
  }
  await clients.stop();
  expect(new Set(clients.answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
  expect(await lostOf(clients.answers)).toEqual([]);

  const mails = () => (existsSync(join(folder, 'outbox')) ? readdirSync(join(folder, 'outbox')).length : 0);
  const before = mails();
  const late = startClients(fleet.url, 1);
  await late.succeeded(performance.now());
  await late.stop();
  await eventually(async () => mails() > before);
});

test('PostgreSQL frozen under load is a 503 within 3 s and at once afterwards, and the service recovers by itself', async () => {
  const clients = startClients(fleet.url, 4);
  await clients.succeeded(performance.now());
  const frozenAt = performance.now();
  signalServer('SIGSTOP');
  try {
    await eventually(async () => (await fleet.get('/health/db')) === 503);
    const knownAt = performance.now();
    // 3 s, and what a busy machine adds.
    expect(knownAt - frozenAt).toBeLessThan(3_000 + scaled(1_500));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(clients.answers.filter(({ at, status }) => at > knownAt + 100 && status !== 503)).toEqual([]);
    expect(clients.answers.filter(({ at, ms }) => at - ms > knownAt && ms > 2_000)).toEqual([]);
  } finally {
    signalServer('SIGCONT');
  }
  expect(await clients.succeeded(performance.now())).toBeLessThan(scaled(10_000));
  await eventually(async () => (await fleet.get('/health/db')) === 200);
  await clients.stop();
  expect(Math.max(...clients.answers.map(({ ms }) => ms))).toBeLessThan(3_000 + scaled(1_500));
  expect(new Set(clients.answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
  expect(await lostOf(clients.answers)).toEqual([]);
});

test('without a connection left for it the service answers 503 or success, never late, and its health still answers', async () => {
  const holders: Client[] = [];
  for (;;) {
    const holder = new Client({ connectionString: server.url });
    holder.on('error', () => undefined);
    if (
      !(await holder.connect().then(
        () => true,
        () => false,
      ))
    )
      break;
    holders.push(holder);
  }
  expect(holders.length).toBeGreaterThan(50);
  const clients = startClients(fleet.url, 20);
  await eventually(async () => clients.answers.length > 200);
  expect([200, 503]).toContain(await fleet.get('/health'));
  expect([200, 503]).toContain(await fleet.get('/api/admin/health', { Authorization: `Bearer ${adminToken}` }));
  await Promise.all(holders.map((holder) => holder.end()));
  expect(await clients.succeeded(performance.now())).toBeLessThan(scaled(10_000));
  await clients.stop();
  expect(clients.answers.filter(({ status }) => status !== 201 && status !== 503)).toEqual([]);
  expect(Math.max(...clients.answers.map(({ ms }) => ms))).toBeLessThan(scaled(10_000));
  expect(await lostOf(clients.answers)).toEqual([]);
  expect(await fleet.get('/api/admin/health', { Authorization: `Bearer ${adminToken}` })).toBe(200);
});

test('the processes that lived through all of it stop cleanly', async () => {
  const { codes, output } = await fleet.stop();
  expect(codes, output).toEqual([0, 0]);
  expect(output).not.toMatch(/uncaught|unhandled/i);
});

/** Sends a signal to every process of the database server. */
function signalServer(signal: NodeJS.Signals): void {
  const { pid } = readPidFile(join(folder, 'postgres'))!;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
  for (const process_ of [pid, ...children]) process.kill(process_, signal);
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
