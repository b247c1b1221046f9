import { S3Client, HeadObjectCommand } from '@aws-sdk/client-s3';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createS3Storage } from '../../../shared/adapters/storage-s3.ts';
import { IMMUTABLE, type Storage } from '../../../shared/adapters/storage.ts';
import { createPrivateStorage, createStorage } from '../../../shared/adapters/create-storage.ts';
import type { Config } from '../../../shared/kit/config.ts';
import { deadlinesOf } from '../../../shared/kit/deadlines.ts';
import { startS3, type S3ServerStub } from '../../support/s3-server.ts';
import { startSite } from '../../support/site-server.ts';

const staticUrl = 'https://static.example/pictures';
const key = `images/ab/ab${'0'.repeat(62)}.webp`;
const webp = { contentType: 'image/webp', cacheControl: IMMUTABLE };
const unavailable = { name: 'ServiceError', status: 503, code: 'service_unavailable' };

let dataDir: string;
let s3: S3ServerStub | undefined;
let storage: Storage;
let privateStorage: Storage;

const config = (s3Config: Config['s3']) => ({ dataDir, staticUrl, s3: s3Config });

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'quayside-storage-'));
});

afterEach(async () => {
  await s3?.close();
  s3 = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

async function keys(of: Storage, prefix: string): Promise<string[]> {
  const found = await Array.fromAsync(of.list(prefix));
  return found.map((file) => file.key).sort();
}

describe.each(['disk', 'S3'])('storage on %s', (kind) => {
  beforeEach(async () => {
    s3 = kind === 'S3' ? await startS3() : undefined;
    storage = await createStorage(config(s3?.config));
    privateStorage = await createPrivateStorage(config(s3?.config));
  });

  test('gives back the bytes and the content type that were put', async () => {
    const body = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 256));
    await storage.put(key, body, webp);
    const found = await storage.get(key);
    expect(found?.contentType).toBe('image/webp');
    expect(found?.body.equals(body)).toBe(true);
    expect(await storage.exists(key)).toBe(true);
  });

  test('stores an empty file and replaces a file', async () => {
    await storage.put(key, Buffer.alloc(0), webp);
    expect((await storage.get(key))?.body.length).toBe(0);
    await storage.put(key, Buffer.from('new'), webp);
    expect((await storage.get(key))?.body.toString()).toBe('new');
  });

  test('a missing key is undefined, does not exist, and may be deleted', async () => {
    expect(await storage.get(key)).toBeUndefined();
    expect(await storage.exists(key)).toBe(false);
    expect(await storage.exists('images')).toBe(false);
    await storage.delete([key]);
  });

  test('deletes exactly the named keys', async () => {
    const many = Array.from({ length: 20 }, (_, at) => `images/ab/${at}.webp`);
    for (const one of [...many, 'images/ab/kept.webp']) await storage.put(one, Buffer.from('x'), webp);
    await storage.delete([...many, 'images/zz/missing.webp']);
    expect(await keys(storage, 'images/')).toEqual(['images/ab/kept.webp']);
  });

  test('lists by prefix, with size and time, whether or not the prefix ends a folder', async () => {
    const before = Date.now() - 2_000;
    for (const one of ['images/ab/1.webp', 'images/ac/2.webp', 'images/b/3.webp', 'top.txt']) {
      await storage.put(one, Buffer.from('four'), webp);
    }
    expect(await keys(storage, '')).toEqual(['images/ab/1.webp', 'images/ac/2.webp', 'images/b/3.webp', 'top.txt']);
    expect(await keys(storage, 'images/a')).toEqual(['images/ab/1.webp', 'images/ac/2.webp']);
    expect(await keys(storage, 'images/ac/')).toEqual(['images/ac/2.webp']);
    expect(await keys(storage, 'nothing/')).toEqual([]);
    expect(await keys(storage, '../')).toEqual([]);
    const [file] = await Array.fromAsync(storage.list('top'));
    expect(file).toMatchObject({ key: 'top.txt', size: 4 });
    expect(file?.modifiedAt.getTime()).toBeGreaterThan(before);
  });

  test('the address is STATIC_URL and the key', () => {
    expect(storage.url(key)).toBe(`${staticUrl}/${key}`);
  });

  test.each([
    '../x',
    'images/../../x',
    '/etc/passwd',
    'images//x',
    'images/.hidden',
    'images/x/',
    'a\\b',
    'a\0b',
    'a b',
    '',
    'private/backups/1.tar',
    'x'.repeat(501),
  ])('the key %j is refused by put and url, and is nowhere', async (bad) => {
    await expect(storage.put(bad, Buffer.from('x'), webp)).rejects.toThrow('is not a storage key');
    expect(() => storage.url(bad)).toThrow('is not a storage key');
    expect(await storage.get(bad)).toBeUndefined();
    expect(await storage.exists(bad)).toBe(false);
    await storage.delete([bad]);
  });

  test('public and private files do not see each other, and private ones have no address', async () => {
    await storage.put('one.txt', Buffer.from('public'), webp);
    await privateStorage.put('backups/1.tar', Buffer.from('secret'), {
      contentType: 'application/x-tar',
      cacheControl: 'no-store',
    });
    expect(await keys(storage, '')).toEqual(['one.txt']);
    expect(await keys(privateStorage, '')).toEqual(['backups/1.tar']);
    expect(await storage.get('private/backups/1.tar')).toBeUndefined();
    expect((await privateStorage.get('backups/1.tar'))?.body.toString()).toBe('secret');
    expect(() => privateStorage.url('backups/1.tar')).toThrow('no public addresses');
    await privateStorage.delete(['backups/1.tar']);
    expect(await privateStorage.exists('backups/1.tar')).toBe(false);
  });

  test('parallel puts of one key leave one whole file', async () => {
    const bodies = Array.from({ length: 10 }, (_, at) => Buffer.alloc(50_000, at));
    await Promise.all(bodies.map((body) => storage.put(key, body, webp)));
    const found = await storage.get(key);
    expect(bodies.some((body) => found?.body.equals(body))).toBe(true);
    expect(await keys(storage, '')).toEqual([key]);
  });

  test('is healthy', async () => {
    expect(await storage.healthy()).toBe(true);
    expect(await keys(storage, '')).toEqual([]);
  });
});

describe('storage on disk', () => {
  test('keeps public files under static and private ones beside it', async () => {
    await (await createStorage(config(undefined))).put(key, Buffer.from('x'), webp);
    await (await createPrivateStorage(config(undefined))).put('b.tar', Buffer.from('y'), webp);
    expect(await readFile(join(dataDir, 'static', key), 'utf8')).toBe('x');
    expect(await readFile(join(dataDir, 'private', 'b.tar'), 'utf8')).toBe('y');
    expect(await readdir(join(dataDir, 'static', 'images', 'ab'))).toHaveLength(1);
  });

  test('a disk that cannot be written is an outage, and leaves nothing half-written behind', async () => {
    const disk = await createStorage(config(undefined));
    await writeFile(join(dataDir, 'static'), 'a file where the folder should be');
    await expect(disk.put(key, Buffer.from('x'), webp)).rejects.toMatchObject(unavailable);
    expect(await disk.healthy()).toBe(false);
    await rm(join(dataDir, 'static'));
    await mkdir(join(dataDir, 'static', key), { recursive: true });
    await expect(disk.put(key, Buffer.from('x'), webp)).rejects.toMatchObject(unavailable);
    expect(await readdir(join(dataDir, 'static', '.unfinished'))).toEqual([]);
    expect(await disk.get(key)).toBeUndefined();
  });

  test('what a process that died was writing is removed an hour later, what is being written is not', async () => {
    const unfinished = join(dataDir, 'static', '.unfinished');
    await mkdir(unfinished, { recursive: true });
    for (const name of ['old', 'new']) await writeFile(join(unfinished, name), 'half');
    const longAgo = new Date(Date.now() - 3_700_000);
    await utimes(join(unfinished, 'old'), longAgo, longAgo);
    await (await createStorage(config(undefined))).put(key, Buffer.from('x'), webp);
    expect(await readdir(unfinished)).toEqual(['new']);
  });
});

describe('storage on S3', () => {
  const s3At = (endpoint: string, deadlines = deadlinesOf(20)) =>
    createS3Storage({
      bucket: 'pictures',
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      forcePathStyle: true,
      prefix: '',
      publicUrl: staticUrl,
      deadlines,
    });

  /** What each operation fails with, and what `healthy` answers. */
  async function failuresOf(broken: Storage) {
    const operations = [
      broken.put(key, Buffer.from('x'), webp),
      broken.get(key),
      broken.exists(key),
      broken.delete([key]),
      keys(broken, ''),
    ];
    const settled = await Promise.allSettled(operations);
    return [...settled.map((one) => (one.status === 'rejected' ? one.reason : one.value)), await broken.healthy()];
  }
  const outage = [...Array.from({ length: 5 }, () => expect.objectContaining(unavailable)), false];

  test('sends content type and cache header with the file', async () => {
    s3 = await startS3();
    await (await createStorage(config(s3.config))).put(key, Buffer.from('x'), webp);
    const client = new S3Client(s3.config);
    const head = await client.send(new HeadObjectCommand({ Bucket: s3.config.bucket, Key: key }));
    expect(head).toMatchObject({ ContentType: 'image/webp', CacheControl: 'public, max-age=31536000, immutable' });
    client.destroy();
  });

  test('follows the pages of a long list', async () => {
    // The test server of the S3 protocol cannot make continuation tokens on this Node, so the pages are written here.
    const page = (name: string, next: string) =>
      `<ListBucketResult><Contents><Key>${name}</Key><Size>4</Size><LastModified>2025-01-02T03:04:05.000Z</LastModified>` +
      `</Contents>${next && `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`}</ListBucketResult>`;
    const server = await startSite({
      '/pictures/': (request, response) => {
        const token = new URL(request.url ?? '', 'http://x').searchParams.get('continuation-token');
        response
          .setHeader('content-type', 'application/xml')
          .end(token === 'two' ? page('b.txt', '') : page('a.txt', 'two'));
      },
    });
    const files = await Array.fromAsync(s3At(server.url).list(''));
    expect(files).toEqual(
      ['a.txt', 'b.txt'].map((name) => ({ key: name, size: 4, modifiedAt: new Date('2025-01-02T03:04:05Z') })),
    );
    await server.close();
  });

  test.each([500, 403])('a server that answers %d is an outage', async (status) => {
    const server = await startSite(
      Object.fromEntries(['/pictures/', '/pictures', `/pictures/${key}`].map((path) => [path, { status }])),
    );
    expect(await failuresOf(s3At(server.url))).toEqual(outage);
    await server.close();
  });

  test('a server that is not there is an outage', async () => {
    const server = await startSite({});
    await server.close();
    expect(await failuresOf(s3At(server.url))).toEqual(outage);
  });

  test('a server that accepts and never answers is an outage after three timeouts', async () => {
    let server: Server | undefined;
    const accepted: { destroy(): void }[] = [];
    const port = await new Promise<number>((resolve) => {
      server = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1', () => {
        const address = server?.address();
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
      });
    });
    const hasty = s3At(`http://127.0.0.1:${port}`, { ...deadlinesOf(20), s3Request: 100 });
    await expect(hasty.put(key, Buffer.from('x'), webp)).rejects.toMatchObject(unavailable);
    expect(accepted.length).toBe(3);
    for (const socket of accepted) socket.destroy();
    server?.close();
  });
});
