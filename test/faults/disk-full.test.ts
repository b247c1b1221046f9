import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { listingBody } from '../support/listing-bodies.ts';
import { formOf, photoOfSize } from '../support/pictures.ts';
import { compileCache, freePort } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

let app: TestApp;
let user: TestUser;
let listingId: string;
let large: Buffer;
beforeAll(async () => {
  app = await startApp();
  user = await app.createUser();
  listingId = (await app.as(user).post('/api/listings', listingBody())).body.id;
  // Noise: what is stored of it is large as well.
  large = await sharp(randomBytes(1_000 * 1_000 * 3), { raw: { width: 1_000, height: 1_000, channels: 3 } })
    .png()
    .toBuffer();
});
afterAll(() => app.close());

/** A real API process on the database of the app, with a data folder of its own. */
async function startApi(dataDir: string, shell = 'exec "$@"') {
  const port = await freePort();
  const child = spawn('bash', ['-c', shell, 'bash', process.execPath, 'api/main.ts'], {
    env: {
      PATH: '/usr/bin:/bin',
      LOG_LEVEL: 'fatal',
      ...compileCache,
      PORT: String(port),
      DATABASE_URL: app.database.url,
      DATA_DIR: dataDir,
      JWT_SECRET: app.services.config.jwtSecrets.join(','),
      METRICS_TOKEN: 'a-token-of-the-tests',
      RATE_LIMIT_MULTIPLIER: '1',
    },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const answers = async (path: string, init?: RequestInit) => fetch(url + path, init);
  await eventually(async () => (await answers('/health/db').catch(() => undefined))?.status === 200);
  return {
    health: async () => {
      const response = await answers('/health');
      return [
        response.status,
        ((await response.json()) as { error?: { details?: { parts: string[] } } }).error?.details?.parts,
      ];
    },
    writeErrors: async (part: string) => {
      const text = await (
        await answers('/metrics', { headers: { Authorization: 'Bearer a-token-of-the-tests' } })
      ).text();
      const line = text
        .split('\n')
        .find((each) => each.startsWith('quayside_storage_write_errors_total{') && each.includes(`part="${part}"`));
      return Number(line?.split(' ').at(-1) ?? 0);
    },
    post: async (path: string, form: FormData) => {
      const response = await answers(path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${user.token}` },
        body: form,
      });
      const body = (await response.json()) as { error?: { code: string } };
      return { status: response.status, code: body.error?.code, retryAfter: response.headers.get('retry-after') };
    },
  };
}
type Api = Awaited<ReturnType<typeof startApi>>;

const left = async () => {
  const { rows } = await app.database.pool.query(
    `select (select count(*)::int from images) as images, (select count(*)::int from uploads) as uploads,
       (select coalesce(sum(used), 0)::int from quota_uses where quota = 'image_upload') as used,
       (select jsonb_array_length(images) from listings where id = $1) as shown`,
    [listingId],
  );
  return rows[0] as { images: number; uploads: number; used: number; shown: number };
};

/** Uploads alone and several at once are an outage, and nothing of them stays. */
async function expectOutage(api: Api, image: Buffer, part: string): Promise<void> {
  const before = await left();
  for (const send of [
    () => api.post('/api/upload', formOf([['file', image]])),
    () =>
      api.post(
        `/api/listings/${listingId}/images`,
        formOf([
          ['files', image],
          ['files', image],
        ]),
      ),
  ]) {
    expect(await send()).toEqual({
      status: 503,
      code: 'service_unavailable',
      retryAfter: expect.stringMatching(/^[1-9]/),
    });
  }
  expect(await left()).toEqual(before);
  expect(await api.health()).toEqual([503, expect.arrayContaining([part])]);
  await eventually(async () => (await api.writeErrors(part)) >= 2);
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );

test('files that a process may not write any further are an outage, not the fault of who sends them', async () => {
  const dataDir = join(app.dataDir, 'limited');
  mkdirSync(dataDir);
  // The system refuses to let any file of this process grow beyond 256 KiB: no rights are needed for that.
  const api = await startApi(dataDir, `trap '' XFSZ; ulimit -f 256; exec "$@"`);
  expect((await api.post('/api/upload', formOf([['file', await photoOfSize(50_000)]]))).status).toBe(201);
  await expectOutage(api, await photoOfSize(3_000_000), 'uploads');
  expect(filesIn(join(dataDir, 'incoming'))).toEqual([]);
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('A real full disk is not tried: only root can mount one.');

describe.skipIf(!isRoot)('a disk that is full', () => {
  /** A file system of its own at a folder, of four megabytes. */
  function mountSmall(folder: string) {
    const size = 4_194_304;
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
    const filler = join(folder, '.filler');
    return {
      fillBut: (bytes: number) => writeFileSync(filler, Buffer.alloc(size - bytes)),
      free: () => rmSync(filler),
    };
  }

  test.each([
    ['incoming', 'uploads'],
    ['static', 'images'],
  ])(
    'at %s is an outage of the %s: nothing is half stored or counted, health and metrics tell, and all is well once there is room',
    async (folder, part) => {
      const dataDir = join(app.dataDir, `full-${folder}`);
      mkdirSync(dataDir);
      const disk = mountSmall(join(dataDir, folder));
      const api = await startApi(dataDir);
      disk.fillBut(131_072);
      await expectOutage(api, large, part);
      expect(filesIn(join(dataDir, folder))).toEqual(['.filler']);
      disk.free();
      await eventually(async () => (await api.health())[0] === 200);
      const photo = await photoOfSize(200_000);
      expect((await api.post('/api/upload', formOf([['file', photo]]))).status).toBe(201);
    },
  );
});
