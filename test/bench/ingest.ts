import { reservePort } from '../../shared/kit/reserve-port.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from '../../db/embedded.ts';
import { createDatabase, createPool } from '../../db/client.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { createRecordCheck } from '../../shared/ingest/check-record.ts';
import { prepareRecords } from '../../shared/ingest/ingest.ts';
import { insertListings } from '../../shared/ingest/store-columns.ts';
import { newId } from '../../shared/kit/ids.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { profileOf } from '../../shared/profiles/read-profile.ts';
import { apiScript } from './api-process.ts';
import { readBoatRecords, type BoatRecord } from './boat-rows.ts';

const BATCH = 500;
const email = 'bench@example.com';
const password = 'a password of the bench';

type Counts = { created: number; updated: number; unchanged: number; skipped: number; failed: number };
type IngestAnswer = {
  created: number;
  updated: number;
  unchanged: number;
  skipped: { reason: string }[];
  failed: { reason: string }[];
};
type PublishAnswer = { published: number; failed: { reason: string }[]; skipped: unknown[] };
type BareInsert = { insert(from: number): Promise<number>; end(): Promise<void> };
type Api = { url: string; token: string; process: ChildProcess };

/**
 * Sends all rows of two boat markets through POST /api/ingest of an API process in batches of 500, publishes them in one
 * call, and sends them again, which creates nothing. Prints records per second and the memory of the process, beside a
 * bare batched insert of the same rows into a database of the same schema.
 */
export async function benchIngest(): Promise<void> {
  const records = readBoatRecords();
  if (!records) return;
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-ingest-'));
  const server = await startEmbedded({ dataDir });
  try {
    const bare = await prepareBareInsert(server.url, records);
    const api = await startApi(server.url, dataDir);
    try {
      await benchApi(api, records, bare);
    } finally {
      await stopApi(api.process);
      await bare.end();
    }
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function benchApi(api: Api, records: readonly BoatRecord[], bare: BareInsert): Promise<void> {
  // In turns with the bare insert, batch by batch, so that both meet the same machine.
  let bareSeconds = 0;
  const first = await pass(api, records, async (from) => {
    bareSeconds += await bare.insert(from);
  });
  const bareRate = records.length / bareSeconds;
  console.log(`first pass   ${describe(first)}`);
  console.log(`             ${(first.rate / bareRate).toFixed(2)} of the bare insert (${Math.round(bareRate)} rows/s)`);
  const startedAt = performance.now();
  const { published, failed, skipped } = (await post(api, '/api/ingest/publish-bulk', {})) as PublishAnswer;
  const seconds = (performance.now() - startedAt) / 1_000;
  const rate = `${Math.round(published / seconds)}/s`;
  console.log(
    `publish-bulk ${published} published, ${failed.length} failed, ${skipped.length} skipped in ${seconds.toFixed(1)} s (${rate}); RSS ${rssOf(api)} MB`,
  );
  for (const [reason, count] of tally(failed.map(({ reason }) => reason)))
    console.log(`             ${count} x ${reason.slice(0, 140)}`);
  const second = await pass(api, records);
  console.log(`second pass  ${describe(second)}`);
  if (second.counts.created > 0) throw new Error('the second pass created listings');
}

async function pass(api: Api, records: readonly BoatRecord[], beforeBatch?: (from: number) => Promise<void>) {
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
  const rss: number[] = [];
  const reasons: string[] = [];
  let seconds = 0;
  for (let from = 0; from < records.length; from += BATCH) {
    await beforeBatch?.(from);
    const startedAt = performance.now();
    const answer = (await post(api, '/api/ingest', { records: records.slice(from, from + BATCH) })) as IngestAnswer;
    seconds += (performance.now() - startedAt) / 1_000;
    counts.created += answer.created;
    counts.updated += answer.updated;
    counts.unchanged += answer.unchanged;
    counts.skipped += answer.skipped.length;
    counts.failed += answer.failed.length;
    reasons.push(...[...answer.skipped, ...answer.failed].map(({ reason }) => reason));
    rss.push(rssOf(api));
  }
  return { counts, rss, seconds, rate: records.length / seconds, reasons: tally(reasons) };
}

function describe({ counts, rss, seconds, rate, reasons }: Awaited<ReturnType<typeof pass>>): string {
  const outcome = Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
  const why = reasons.map(([reason, count]) => `${count} x ${reason}`).join('; ');
  const memory = [0, 0.25, 0.5, 0.75, 1].map((share) => rss[Math.round(share * (rss.length - 1))]).join(' > ');
  return `${outcome}${why && ` (${why})`} in ${seconds.toFixed(1)} s: ${Math.round(rate)} records/s; RSS ${memory} MB`;
}

function tally(texts: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, 10);
}

/**
 * The statement that ingestion inserts with, alone, on one connection to a database of its own: rows are mapped before,
 * nothing is looked up, sent or told. `insert` answers the seconds that a batch took.
 */
async function prepareBareInsert(serverUrl: string, records: readonly BoatRecord[]): Promise<BareInsert> {
  const url = serverUrl.replace(/[^/]*$/, 'bare');
  const owner = createPool({ databaseUrl: serverUrl, max: 1, applicationName: 'bench' });
  await owner.query('create database bare');
  await owner.end();
  await prepareDatabase(url, readConfig({ NODE_ENV: 'test', DATABASE_URL: url }));
  const pool = createPool({ databaseUrl: url, max: 1, applicationName: 'bench', deadlines: { statement: 0 } });
  const now = new Date();
  const seller = newId('user');
  await createDatabase(pool)
    .insertInto('users')
    .values({ id: seller, email, name: 'Bench', created_at: now, updated_at: now })
    .execute();
  const catalog = buildCatalog(profileOf('nautical'));
  const { ready } = await prepareRecords(
    { check: await createRecordCheck()(), catalog, clock: systemClock },
    records,
    '',
  );
  const rows = ready.map((record, index) => ({
    id: newId('listing'),
    slug: `bare-${index}`,
    ...record.listing,
    boat: null,
    url: record.url,
    normalized_url: record.normalizedUrl,
    site: record.site,
    raw_record: record.raw,
    content_hash: record.hash.toString('hex'),
    scraped_at: now,
    due_at: now,
  }));
  return {
    async insert(from) {
      const startedAt = performance.now();
      const values = [JSON.stringify(rows.slice(from, from + BATCH)), now, seller, now, null];
      await pool.query({ name: 'bare', text: insertListings, values });
      return (performance.now() - startedAt) / 1_000;
    },
    end: () => pool.end(),
  };
}

async function startApi(serverUrl: string, dataDir: string): Promise<Api> {
  const port = await reservePort('127.0.0.1', 0, 0);
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, apiScript, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'test',
      PORT: String(port),
      DATABASE_URL: serverUrl.replace(/[^/]*$/, 'postgres'),
      DATA_DIR: dataDir,
      MARKETPLACE_PROFILE: 'nautical',
      RATE_LIMIT_MULTIPLIER: '0',
      LOG_LEVEL: 'warn',
      ADMIN_EMAIL: email,
      ADMIN_PASSWORD: password,
    },
  });
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const isUp = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null) throw new Error(`the API process ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const api = { url, token: '', process: child };
  const { token } = (await post(api, '/api/auth/login', { email, password })) as { token: string };
  return { ...api, token };
}

async function stopApi(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function post({ url, token }: Api, path: string, body: unknown): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Resident memory in MB, as Linux tells it; 0 elsewhere. */
function rssOf({ process: { pid } }: Api): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
