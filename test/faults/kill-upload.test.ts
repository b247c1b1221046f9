import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../shared/kit/clock.ts';
import { imageKeyOf } from '../../shared/listings/images.ts';
import { startApp } from '../support/app.ts';
import { times } from '../support/lane.ts';
import { formOf, newPhoto } from '../support/pictures.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { startWorkers } from '../support/workers.ts';
import { eventually } from '../support/waiting.ts';

const ROUNDS = times(1, 6);

test('an API process killed in the middle of uploads leaves no half picture and, in the end, no file', async () => {
  // Only for its database, its clock and its workers: the processes that are killed are real ones.
  let ahead = 0;
  const app = await startApp({ clock: { now: () => new Date(Date.now() + ahead) } });
  const workers = await startWorkers(app);
  const { token } = await app.createUser();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    PORT: String(port),
    JWT_SECRET: 'a secret of the tests alone',
    RATE_LIMIT_MULTIPLIER: '0',
  };
  const upload = async (bytes: Buffer): Promise<string | undefined> => {
    const response = await fetch(`${url}/api/upload`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: formOf([['file', bytes]]),
    });
    if (response.status !== 201) throw new Error(`answered ${response.status}`);
    return ((await response.json()) as { url: string }).url;
  };
  const isUp = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );

  const answered: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const api = startProcess('api/main.ts', env);
    await eventually(isUp, { describe: api.output });
    const half = connect(port, '127.0.0.1');
    half.on('error', () => undefined);
    half.write(
      `POST /api/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
        'Content-Length: 5000000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\nhalf',
    );
    const photos = await Promise.all(Array.from({ length: 12 }, () => newPhoto(1_500, 1_000)));
    const uploads = photos.map((bytes) =>
      upload(bytes).then(
        (address) => answered.push(address ?? ''),
        () => undefined,
      ),
    );
    const wanted = answered.length + 3;
    await eventually(async () => answered.length >= wanted, { describe: api.output });
    await api.kill('SIGKILL');
    await Promise.all(uploads);
    half.destroy();
    const incoming = join(app.dataDir, 'incoming');
    expect(existsSync(incoming) ? readdirSync(incoming) : []).toEqual([]);
  }

  const { rows } = await app.database.pool.query<{ sha256: string }>('select sha256 from images');
  expect(rows.length).toBeGreaterThanOrEqual(answered.length);
  for (const address of answered) expect(rows.some(({ sha256 }) => address.includes(sha256))).toBe(true);
  ahead = 2 * HOUR_MS;
  await app.database.db.transaction().execute((tx) => app.services.jobs.enqueue(tx, 'collect-pictures', {}));
  await workers.work('collect-pictures');
  await workers.work('delete-pictures');
  const files = (await Array.fromAsync(app.services.storage.list('images/'))).map(({ key }) => key);
  expect(files.filter((key) => !key.includes('-thumb')).toSorted()).toEqual(
    rows.map(({ sha256 }) => imageKeyOf(sha256)).toSorted(),
  );
  expect(files).toHaveLength(2 * rows.length);
  await workers.close();
  await app.close();
});
