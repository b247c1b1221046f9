import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createDatabase, createPool } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { createSessionTokens } from '../../shared/accounts/session-token.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { newId } from '../../shared/kit/ids.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { dataFile } from '../support/data.ts';
import { loadRequests, median, quantile, type Load } from './api-load.ts';
import { apiScript, startServer, type ServerProcess } from './api-process.ts';
import { makeListing, readBoats } from './dataset-rows.ts';
import type { BenchOptions } from './run.ts';

const CONNECTIONS = 8;
const SLICE_MS = 2_000;
/** A server that has been running: until then V8 still compiles, and its heap still grows. */
const WARM_MS = 10_000;
const TARGET = 0.5;
const secret = 'only for this benchmark';

/**
 * Measures POST /api/listings of drafts with an image to fetch, limits and quotas off, against a bare server that stores the
 * same rows with their event and their job. Both run as processes of their own on one new database and take turns; the ratio is the median of the rounds' ratios
 * of creates per second.
 */
export async function benchCreate({ rounds = 5 }: BenchOptions = {}): Promise<void> {
  const nextBody = readBodies();
  if (!nextBody) return;
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-create-'));
  const database = await startEmbedded({ dataDir });
  const servers: ServerProcess[] = [];
  try {
    const { sellers, token } = await prepareUsers(database.url);
    const start = async (name: string, script: string[], seller: string, probe: string) => {
      const variables = environment(database.url, dataDir, seller);
      const server = await startServer(name, script, variables, { dataDir, probe });
      servers.push(server);
      return server;
    };
    const bare = await start('bare', ['test/bench/create-baseline.ts'], sellers.bare, '/');
    const api = await start('api', apiScript, sellers.api, '/health');
    const nextRequest = () => postOf(nextBody(), token);
    const load = (server: ServerProcess, ms: number) => loadRequests(server.port, nextRequest, 201, CONNECTIONS, ms);
    for (const server of [bare, api]) await load(server, WARM_MS);
    const slices: { api: Slice; bare: Slice }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const first = await measure(round % 2 === 0 ? bare : api, load);
      const second = await measure(round % 2 === 0 ? api : bare, load);
      slices.push(round % 2 === 0 ? { bare: first, api: second } : { api: first, bare: second });
    }
    report(slices, rounds);
  } finally {
    for (const server of servers) await server.stop();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Slice = Load & { cpuMs: number };

async function measure(
  server: ServerProcess,
  load: (server: ServerProcess, ms: number) => Promise<Load>,
): Promise<Slice> {
  const before = server.cpuMs();
  const loaded = await load(server, SLICE_MS);
  return { ...loaded, cpuMs: server.cpuMs() - before };
}

function report(slices: { api: Slice; bare: Slice }[], rounds: number): void {
  const ratio = median(slices.map(({ api, bare }) => api.perSecond / bare.perSecond));
  console.log(`${CONNECTIONS} connections, ${rounds} rounds of ${SLICE_MS / 1_000} s each in turns`);
  console.log(
    `create: ${ratio.toFixed(2)} of the bare insert (target ${TARGET}: ${ratio >= TARGET ? 'met' : 'MISSED'})`,
  );
  for (const key of ['api', 'bare'] as const) {
    const middle = (value: (slice: Slice) => number, digits: number) =>
      median(slices.map((slice) => value(slice[key])))
        .toFixed(digits)
        .padStart(8);
    console.log(
      `  ${key.padEnd(5)} ${middle((slice) => slice.perSecond, 0)} creates/s  p50 ${middle((slice) => quantile(slice.latencies, 0.5), 2)} ms` +
        `  p99 ${middle((slice) => quantile(slice.latencies, 0.99), 2)} ms  CPU ${middle((slice) => slice.cpuMs / slice.requests, 3)} ms each`,
    );
  }
}

async function prepareUsers(url: string) {
  await prepareDatabase(url, readConfig({ NODE_ENV: 'test', DATABASE_URL: url }));
  const pool = createPool({ databaseUrl: url, max: 1, applicationName: 'bench' });
  const now = new Date();
  const sellers = { api: newId('user'), bare: newId('user') };
  await createDatabase(pool)
    .insertInto('users')
    .values(
      Object.entries(sellers).map(([name, id]) => {
        return { id, email: `${name}@example.com`, name, created_at: now, updated_at: now };
      }),
    )
    .execute();
  await pool.end();
  const tokens = createSessionTokens([secret], systemClock);
  return { sellers, token: await tokens.sign({ id: sellers.api, role: 'user', session_epoch: 0 }) };
}

const environment = (databaseUrl: string, dataDir: string, seller: string) => ({
  NODE_ENV: 'production',
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
  BASE_URL: 'https://bench.example',
  JWT_SECRET: secret,
  RATE_LIMIT_MULTIPLIER: '0',
  SELLER: seller,
});

/** One real boat after the other, each with a text of its own. */
function readBodies(): (() => string) | undefined {
  const file = dataFile('boats-boattrader-2019/boattrader_newest.csv.gz');
  if (!file) return undefined;
  const boats = readBoats(gunzipSync(readFileSync(file)).toString('utf8'));
  let made = 0;
  return () => {
    made += 1;
    const row = makeListing(boats, made, 1_000_000);
    return JSON.stringify({
      title: `${String(row.title).slice(0, 100)} hull ${made}`,
      description: row.description,
      category_id: row.category_id,
      condition: row.condition,
      price: { amount: row.price_amount, currency: row.price_currency, negotiable: row.price_negotiable },
      location: { country: row.country, city: row.city, shipping: row.shipping },
      attributes: row.attributes,
      tags: row.tags,
      images: [{ url: `https://pictures.example.com/${made}.jpg` }],
    });
  };
}

function postOf(body: string, token: string): Buffer {
  return Buffer.from(
    `POST /api/listings HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\nAccept: */*\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
