import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createS3Storage } from '../../../shared/adapters/storage-s3.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { formOf, newPhoto } from '../../support/pictures.ts';
import { startS3 } from '../../support/s3-server.ts';
import { startWorkers } from '../../support/workers.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(env: Record<string, string> = {}): Promise<{ app: TestApp; user: TestUser }> {
  const app = await startApp({ env });
  closers.push(() => app.close());
  return { app, user: await app.createUser() };
}

const s3Environment = (config: { bucket: string; endpoint?: string }) => ({
  S3_BUCKET: config.bucket,
  S3_ENDPOINT: config.endpoint ?? '',
  S3_ACCESS_KEY_ID: 'S3RVER',
  S3_SECRET_ACCESS_KEY: 'S3RVER',
  S3_FORCE_PATH_STYLE: 'true',
});
/** A server that answers everything with that status. */
async function startBroken(status: number): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const uploadTo = (app: TestApp, user: TestUser, bytes: Buffer) =>
  app.as(user).post('/api/upload', undefined, { raw: formOf([['file', bytes]]) });
const addTo = (app: TestApp, user: TestUser, id: string, files: Buffer[]) =>
  app.as(user).post(`/api/listings/${id}/images`, undefined, { raw: formOf(files.map((bytes) => ['files', bytes])) });
const left = async (app: TestApp) => {
  const { rows } = await app.database.pool.query<{ images: number; uploads: number; used: number }>(
    `select (select count(*)::int from images) as images, (select count(*)::int from uploads) as uploads,
       (select coalesce(sum(used), 0)::int from quota_uses) as used`,
  );
  return rows[0];
};

describe('pictures in S3', () => {
  test('are stored, served from here with the same headers, shown in a listing, and deleted with it', async () => {
    const s3 = await startS3();
    closers.push(() => s3.close());
    const { app, user } = await start(s3Environment(s3.config));
    const workers = await startWorkers(app);
    closers.push(() => workers.close());
    const { body } = await uploadTo(app, user, await newPhoto());
    const key = body.url.slice(app.services.config.staticUrl.length + 1);
    const served = await fetch(body.url);
    expect([served.status, served.headers.get('content-type'), served.headers.get('cache-control')]).toEqual([
      200,
      'image/webp',
      'public, max-age=31536000, immutable',
    ]);
    const bucket = createS3Storage({ ...s3.config, prefix: '', publicUrl: undefined });
    expect(await bucket.exists(key)).toBe(true);

    const created = await app.as(user).post('/api/listings', listingBody({ images: [{ url: body.url }] }));
    const added = await addTo(app, user, created.body.id, [await newPhoto()]);
    expect(added.body.images.map(({ url }: { url: string }) => url)[0]).toBe(body.url);
    expect((await app.as(user).delete(`/api/listings/${created.body.id}`)).status).toBe(200);
    expect((await workers.work('delete-pictures')).map(({ status }) => status)).toEqual(['completed']);
    expect(await Array.fromAsync(bucket.list('images/'))).toEqual([]);
    expect((await fetch(body.url)).status).toBe(404);
  });

  test.each([
    ['is broken', 500],
    ['refuses us', 403],
  ])('503 when the store %s: nothing is stored, shown or counted', async (_how, status) => {
    const endpoint = await startBroken(status);
    const { app, user } = await start(s3Environment({ bucket: 'pictures', endpoint }));
    const { id } = (await app.as(user).post('/api/listings', listingBody())).body;
    for (const reply of [await uploadTo(app, user, await newPhoto()), await addTo(app, user, id, [await newPhoto()])]) {
      expect([reply.status, reply.body.error.code]).toEqual([503, 'service_unavailable']);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await app.as(user).get(`/api/listings/${id}`)).body.images).toEqual([]);
    expect(await left(app)).toEqual({ images: 0, uploads: 0, used: 0 });
  });
});

describe('pictures on disk', () => {
  test('503 when they cannot be written: nothing is stored, shown or counted, and all is well once they can', async () => {
    const { app, user } = await start();
    const folder = join(app.dataDir, 'static');
    writeFileSync(folder, 'where the folder of the pictures belongs');
    const photo = await newPhoto();
    const { status, body, text } = await uploadTo(app, user, photo);
    expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
    expect(text).not.toContain(app.dataDir);
    expect(await left(app)).toEqual({ images: 0, uploads: 0, used: 0 });
    rmSync(folder);
    const again = await uploadTo(app, user, photo);
    expect([again.status, (await fetch(again.body.url)).status]).toEqual([201, 200]);
  });

  test('503 when uploads cannot be received, and 201 once they can', async () => {
    const { app, user } = await start();
    const folder = join(app.dataDir, 'incoming');
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, 'where the folder of the uploads belongs');
    const { status, text } = await uploadTo(app, user, await newPhoto());
    expect(status).toBe(503);
    expect(text).not.toContain(app.dataDir);
    rmSync(folder);
    mkdirSync(folder);
    expect((await uploadTo(app, user, await newPhoto())).status).toBe(201);
  });
});
