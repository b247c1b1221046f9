import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from '../../db/embedded.ts';
import { dataFile } from '../support/data.ts';
import { median, quantile } from './api-load.ts';
import { apiScript, processUse, startServer, type ServerProcess } from './api-process.ts';
import type { BenchOptions } from './run.ts';
import type { BareResult, BareRound } from './upload-bare.ts';

/** Sharp alone has both cores with two; the API works on two as well, and receives others meanwhile. */
const BARE_AT_ONCE = 2;
const AT_ONCE = 8;
const SLICE_MS = 6_000;
const WARM_MS = 3_000;
const TARGET = 0.8;
/** As the start script sets it for every process. */
const MALLOC = { MALLOC_ARENA_MAX: '2' };
const MEGABYTE = 1_048_576;

type Slice = { perSecond: number; latencies: Float64Array; cpuMs: number };

/**
 * Measures POST /api/upload of a real photo, all of it: authentication, form, image, database and storage, against sharp
 * alone making the same results of the same photo in a process of its own. They take turns; the ratio is the median of the
 * rounds' ratios of images per second. Then 20 uploads of 10 MB at once, for what they do to the memory.
 */
export async function benchUpload({ rounds = 5 }: BenchOptions = {}): Promise<void> {
  const photo = dataFile('images-real/jpg-photo__2569067123_aca715a2ee_o.jpg');
  if (!photo) return;
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-bench-upload-'));
  const database = await startEmbedded({ dataDir });
  const bare = fork(fileURLToPath(new URL('upload-bare.ts', import.meta.url)), { env: { ...process.env, ...MALLOC } });
  const sharpAlone = processUse(bare.pid!);
  let api: ServerProcess | undefined;
  try {
    await once(bare, 'message');
    api = await startServer('upload', apiScript, environment(database.url, dataDir), {
      dataDir,
      probe: '/health',
    });
    const token = await register(api.port);
    const bytes = readFileSync(photo);
    const uploads = (durationMs: number) => measured(api!, () => loadUploads(api!.port, token, bytes, durationMs));
    const alone = (durationMs: number) =>
      measured(sharpAlone, () => runBare(bare, { photo, atOnce: BARE_AT_ONCE, durationMs }));
    await alone(WARM_MS);
    await uploads(WARM_MS);
    const slices: { api: Slice; bare: Slice }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const first = round % 2 === 0 ? await alone(SLICE_MS) : await uploads(SLICE_MS);
      const second = round % 2 === 0 ? await uploads(SLICE_MS) : await alone(SLICE_MS);
      slices.push(round % 2 === 0 ? { bare: first, api: second } : { api: first, bare: second });
    }
    const ratio = median(slices.map((slice) => slice.api.perSecond / slice.bare.perSecond));
    console.log(
      `${(bytes.length / MEGABYTE).toFixed(1)} MB photo, ${AT_ONCE} uploads at once, ${rounds} rounds of ${SLICE_MS / 1_000} s each in turns`,
    );
    console.log(`upload: ${ratio.toFixed(2)} of sharp alone (target ${TARGET}: ${ratio >= TARGET ? 'met' : 'MISSED'})`);
    for (const name of ['api', 'bare'] as const)
      console.log(`  ${name.padEnd(5)} ${describe(slices.map((slice) => slice[name]))}`);
    console.log(`RSS api ${toMegabytes(api.rssBytes())}, bare ${toMegabytes(sharpAlone.rssBytes())}`);
    await measureMemory(api, token, bytes);
  } finally {
    bare.disconnect();
    await api?.stop();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const environment = (databaseUrl: string, dataDir: string) => ({
  ...MALLOC,
  NODE_ENV: 'production',
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
  JWT_SECRET: 'only for this benchmark',
  RATE_LIMIT_MULTIPLIER: '0',
  LOG_LEVEL: 'warn',
});

/** Twenty files of 10 MB at once, each a photo with a long tail, and the most memory that the process has used meanwhile. */
async function measureMemory(api: ServerProcess, token: string, photo: Buffer): Promise<void> {
  const padded = Buffer.concat([photo, Buffer.alloc(10 * MEGABYTE - photo.length - 16)]);
  const before = api.rssBytes();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, api.rssBytes())), 20);
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  await Promise.all(Array.from({ length: 20 }, () => upload(agent, api.port, token, padded)));
  clearInterval(watch);
  agent.destroy();
  console.log(
    `20 uploads of 10 MB at once: RSS ${toMegabytes(before)} before, ${toMegabytes(peak)} at most, ${toMegabytes(api.rssBytes())} after`,
  );
}

async function loadUploads(port: number, token: string, photo: Buffer, durationMs: number): Promise<BareResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const latencies: number[] = [];
  const startedAt = performance.now();
  const work = async () => {
    while (performance.now() - startedAt < durationMs) {
      const from = performance.now();
      await upload(agent, port, token, photo);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  agent.destroy();
  return { latencies, seconds: (performance.now() - startedAt) / 1_000 };
}

/** Uploads the photo with another tail each time, so that no two are the same image. Anything but 201 throws. */
async function upload(agent: Agent, port: number, token: string, photo: Buffer): Promise<void> {
  const boundary = 'a-boundary-of-the-benchmark';
  const body = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="photo.jpg"\r\n\r\n`),
    photo,
    randomBytes(8),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  await send({ agent, port, path: '/api/upload', headers }, body);
}

async function register(port: number): Promise<string> {
  const account = JSON.stringify({ email: 'bench@example.com', password: randomBytes(12).toString('hex') });
  const headers = { 'Content-Type': 'application/json' };
  const { token } = (await send({ port, path: '/api/auth/register', headers }, Buffer.from(account))) as {
    token: string;
  };
  return token;
}

async function send(
  to: { agent?: Agent; port: number; path: string; headers: Record<string, string> },
  body: Buffer,
): Promise<unknown> {
  const sent = request({
    ...to,
    host: '127.0.0.1',
    method: 'POST',
    headers: { ...to.headers, 'Content-Length': body.length },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await json(response);
  if (response.statusCode !== 201)
    throw new Error(`${to.path} answered ${response.statusCode}: ${JSON.stringify(answer)}`);
  return answer;
}

async function runBare(child: ChildProcess, round: BareRound): Promise<BareResult> {
  child.send(round);
  const [result] = (await once(child, 'message')) as [BareResult];
  return result;
}

/** What a run made per second, and the CPU time of its process, without database and client. */
async function measured(server: Pick<ServerProcess, 'cpuMs'>, run: () => Promise<BareResult>): Promise<Slice> {
  const before = server.cpuMs();
  const { latencies, seconds } = await run();
  return {
    perSecond: latencies.length / seconds,
    latencies: Float64Array.from(latencies).sort(),
    cpuMs: (server.cpuMs() - before) / latencies.length,
  };
}

function describe(slices: Slice[]): string {
  const middle = (value: (slice: Slice) => number) => median(slices.map(value)).toFixed(1).padStart(7);
  const [p50, p99] = [0.5, 0.99].map((share) => middle(({ latencies }) => quantile(latencies, share)));
  return `${middle(({ perSecond }) => perSecond)} pictures/s  p50 ${p50} ms  p99 ${p99} ms  CPU ${middle(({ cpuMs }) => cpuMs)} ms each`;
}

const toMegabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(0)} MiB`;
