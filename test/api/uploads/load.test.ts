import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { formOf, photoOfSize } from '../../support/pictures.ts';

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

/** Asks for the health of the service, again and again until `work` is done; answers each status and how many answers came before. */
async function watchHealth(work: Promise<unknown>) {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  const statuses = new Set<number>();
  let answers = 0;
  while (!isDone) {
    statuses.add((await app.as().get('/health')).status);
    if (!isDone) answers += 1;
  }
  await done;
  return { statuses, answers };
}

test('twenty pixel bombs at once are 400 each, and everybody else is answered meanwhile', async () => {
  const bomb = await sharp({
    create: { width: 16_000, height: 16_000, channels: 3, background: '#000' },
    limitInputPixels: false,
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
  const bombs = Promise.all(Array.from({ length: 20 }, () => upload(bomb)));
  const { statuses, answers } = await watchHealth(bombs);
  expect((await bombs).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 400));
  expect(statuses).toEqual(new Set([200]));
  expect(answers).toBeGreaterThan(0);
});

test('twenty files of 10 MB at once are accepted each, and everybody else is answered meanwhile', async () => {
  const files = await Promise.all(Array.from({ length: 20 }, () => photoOfSize(10_485_760)));
  const uploads = Promise.all(files.map(upload));
  const { statuses, answers } = await watchHealth(uploads);
  expect((await uploads).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
  expect(statuses).toEqual(new Set([200]));
  expect(answers).toBeGreaterThan(9);
});
