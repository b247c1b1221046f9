import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { formOf, photoOfSize } from '../../support/pictures.ts';
import { scaled } from '../../support/machine.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await startApp();
  user = await app.createUser();
});
afterAll(async () => {
  await app.close();
});

const upload = (bytes: Buffer) => app.as(user).post('/api/upload', undefined, { raw: formOf([['file', bytes]]) });

/** Asks for the health of the service, again and again until `work` is done; answers each status and the longest wait. */
async function watchHealth(work: Promise<unknown>) {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  const statuses = new Set<number>();
  let longestMs = 0;
  while (!isDone) {
    const startedAt = performance.now();
    statuses.add((await app.as().get('/health')).status);
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }
  await done;
  return { statuses, longestMs };
}

test('twenty pixel bombs at once are 400 each, and everybody else is answered meanwhile', async () => {
  const bomb = await sharp({
    create: { width: 16_000, height: 16_000, channels: 3, background: '#000' },
    limitInputPixels: false,
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
  const bombs = Promise.all(Array.from({ length: 20 }, () => upload(bomb)));
  const { statuses, longestMs } = await watchHealth(bombs);
  expect((await bombs).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 400));
  expect(statuses).toEqual(new Set([200]));
  expect(longestMs).toBeLessThan(scaled(5_000));
});

test('twenty files of 10 MB at once are accepted each, and everybody else is answered meanwhile', async () => {
  const files = await Promise.all(Array.from({ length: 20 }, () => photoOfSize(10_485_760)));
  const uploads = Promise.all(files.map(upload));
  const { statuses, longestMs } = await watchHealth(uploads);
  expect((await uploads).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
  expect(statuses).toEqual(new Set([200]));
  expect(longestMs).toBeLessThan(scaled(5_000));
});
