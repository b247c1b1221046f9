import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { formOf, newPhoto, photoOfSize } from '../../support/pictures.ts';
import { parseManifest } from '../../bench/images.ts';
import { dataFile } from '../../support/data.ts';
import { waitFor } from '../../support/waiting.ts';

const MAX_BYTES = 10_485_760;

let app: TestApp;
let client: Client;
let token: string;
beforeAll(async () => {
  app = await startApp();
  ({ token } = await app.createUser());
  client = app.as(token);
});
afterAll(async () => {
  await app.close();
});

const upload = (bytes: Buffer, { name, alt, as = client }: { name?: string; alt?: string; as?: Client } = {}) =>
  as.post('/api/upload', undefined, { raw: formOf([['file', { bytes, name }]], alt === undefined ? {} : { alt }) });
const fetchBytes = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

describe('an uploaded picture', () => {
  test('is served from its address as webp, immutable and not to be sniffed, with a thumbnail beside it', async () => {
    const photo = await newPhoto(800, 600);
    const { status, body } = await upload(photo, { name: 'The_cockpit  at anchor.JPG' });
    expect(status).toBe(201);
    const sha256 = createHash('sha256').update(photo).digest('hex');
    expect(body).toEqual({
      url: `${app.services.config.staticUrl}/images/${sha256.slice(0, 2)}/${sha256}.webp`,
      alt: 'The cockpit at anchor',
    });
    for (const [url, size] of [
      [body.url, [800, 600]],
      [body.url.replace('.webp', '-thumb.webp'), [400, 300]],
    ] as const) {
      const served = await fetch(url);
      expect(Object.fromEntries(served.headers)).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
      const { format, width, height } = await sharp(Buffer.from(await served.arrayBuffer())).metadata();
      expect([format, [width, height]]).toEqual(['webp', size]);
    }
  });

  test.each([
    ['given', 'x.jpg', 'Under sail', 'Under sail'],
    ['made from a path', 'C:\\photos\\saloon.looking_aft.jpeg', undefined, 'saloon.looking aft'],
    ['made from a name in another script', '船の写真.heic', undefined, '船の写真'],
    ['never empty', '.jpg', undefined, 'Image'],
  ])('has a text: %s', async (_how, name, alt, expected) => {
    expect((await upload(await newPhoto(), { name, alt })).body.alt).toBe(expected);
  });

  test('can be named in a listing', async () => {
    const { body } = await upload(await newPhoto());
    const listing = {
      title: 'Folding bicycle for the quay',
      description: 'Light, well kept and small enough for any locker.',
      category_id: 'nautical-equipment',
      condition: 'good',
      price: { amount: 90, currency: 'EUR', negotiable: true },
      location: { country: 'DE', city: 'Kiel', shipping: false },
      images: [body],
    };
    expect((await client.post('/api/listings', listing)).body.images[0]).toMatchObject(body);
  });

  test('has no place, no camera and no other metadata in it, and is upright', async () => {
    const photo = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#123' } })
      .withExif({ IFD0: { Make: 'Kestrel' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '54/1 47/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { body } = await upload(photo);
    const { width, height, exif, xmp, icc, orientation } = await sharp(await fetchBytes(body.url)).metadata();
    expect({ width, height, exif, xmp, icc, orientation }).toEqual({ width: 20, height: 40 });
  });

  test('the same bytes get the same address, for everybody', async () => {
    const photo = await newPhoto();
    const other = app.as(await app.createUser());
    const replies = await Promise.all([upload(photo), upload(photo), upload(photo, { as: other })]);
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(replies.map(({ body }) => body.url)).size).toBe(1);
    expect((await fetch(replies[0]?.body.url)).status).toBe(200);
  });

  test('a repetition with the same Idempotency-Key gets the same answer; other bytes under it are refused', async () => {
    const [photo, otherPhoto] = [await newPhoto(), await newPhoto()];
    const send = (bytes: Buffer) =>
      client.post('/api/upload', undefined, {
        raw: formOf([['file', bytes]]),
        headers: { 'Idempotency-Key': 'one-photo' },
      });
    const [first, again, other] = [await send(photo), await send(photo), await send(otherPhoto)];
    expect([first.status, again.status, other.status]).toEqual([201, 201, 422]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('limits', () => {
  test('one that is too large is named with the limit, alone and among others, whatever the size of the whole', async () => {
    for (const size of [MAX_BYTES + 1, MAX_BYTES + 2_000_000]) {
      const { status, body } = await upload(await photoOfSize(size), { name: 'the deck.jpg' });
      expect([status, body.error]).toEqual([
        400,
        {
          code: 'validation_error',
          message: "The file 'the deck.jpg' is larger than 10 MB.",
          details: {
            errors: [
              { path: '/body/file', message: 'must have at most 10 MB (10485760 bytes)', reason: 'file_too_large' },
            ],
            limit: MAX_BYTES,
            file: 'the deck.jpg',
          },
        },
      ]);
    }
    const listing = (await client.post('/api/listings', listingBody())).body.id;
    const raw = formOf([
      ['files', { bytes: await newPhoto(), name: 'bow.jpg' }],
      ['files', { bytes: await photoOfSize(MAX_BYTES + 1), name: 'stern.jpg' }],
      ['files', { bytes: await newPhoto(), name: 'mast.jpg' }],
    ]);
    const { status, body } = await client.post(`/api/listings/${listing}/images`, undefined, { raw });
    expect([status, body.error.details.file, body.error.details.errors[0].path]).toEqual([
      400,
      'stern.jpg',
      '/body/files/1',
    ]);
  });

  test('10 MB to the byte is accepted, one more is 400', async () => {
    const [full, over] = [await photoOfSize(MAX_BYTES), await photoOfSize(MAX_BYTES + 1)];
    expect((await upload(full)).status).toBe(201);
    const { status, body } = await upload(over);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
  });

  test('a body far larger is 400, whether or not it says so at once', async () => {
    const huge = await photoOfSize(3 * MAX_BYTES);
    expect((await upload(huge)).status).toBe(400);
    const chunks = [
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n',
      huge,
      '\r\n--b--\r\n',
    ];
    const response = await fetch(`${app.url}/api/upload`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'multipart/form-data; boundary=b' },
      body: ReadableStream.from(chunks.map((chunk) => new Uint8Array(Buffer.from(chunk)))),
      duplex: 'half',
    });
    expect(response.status).toBe(400);
  });
});

describe('what is no form as described is 400, and stores nothing', () => {
  const bad: [string, () => Promise<FormData> | FormData][] = [
    ['an empty file', () => formOf([['file', Buffer.alloc(0)]])],
    ['another field', async () => formOf([['photo', await newPhoto()]])],
    [
      'two files',
      async () =>
        formOf([
          ['file', await newPhoto()],
          ['file', await newPhoto()],
        ]),
    ],
    ['a text in place of the file', () => formOf([], { file: 'photo.jpg' })],
    ['a text beside the file, of the same name', async () => formOf([['file', await newPhoto()]], { file: 'x' })],
    ['a field that is unknown', async () => formOf([['file', await newPhoto()]], { title: 'x' })],
    ['a field with brackets', async () => formOf([['file', await newPhoto()]], { 'alt[a]': 'x' })],
    ['a field of the prototype', async () => formOf([['file', await newPhoto()]], { '__proto__[a]': 'x' })],
    ['a text that is too long', async () => formOf([['file', await newPhoto()]], { alt: 'x'.repeat(301) })],
    ['a text that is much too long', async () => formOf([['file', await newPhoto()]], { alt: 'x'.repeat(100_000) })],
    ['a text with a NUL', async () => formOf([['file', await newPhoto()]], { alt: 'a\u0000b' })],
    ['an empty text', async () => formOf([['file', await newPhoto()]], { alt: '' })],
    [
      'many fields',
      async () =>
        formOf(
          [['file', await newPhoto()]],
          Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, 'x'])),
        ),
    ],
    ['nothing', () => new FormData()],
  ];
  test.each(bad)('%s', async (_what, make) => {
    const before = await count('images');
    const { status, body } = await client.post('/api/upload', undefined, { raw: await make() });
    expect([status, ['validation_error', 'bad_request'].includes(body.error.code)]).toEqual([400, true]);
    expect(await count('images')).toBe(before);
  });

  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';
  const broken: [string, string, string][] = [
    ['no boundary', 'multipart/form-data', `${head}x\r\n--b--\r\n`],
    ['another boundary', 'multipart/form-data; boundary=c', `${head}x\r\n--b--\r\n`],
    ['no end', 'multipart/form-data; boundary=b', `${head}xxxx`],
    ['no end of the headers', 'multipart/form-data; boundary=b', head.slice(0, 30)],
    ['no name', 'multipart/form-data; boundary=b', `${head.replace('name="file"; ', '')}x\r\n--b--\r\n`],
    ['no headers', 'multipart/form-data; boundary=b', '--b\r\n\r\nx\r\n--b--\r\n'],
    ['endless headers', 'multipart/form-data; boundary=b', head.replace('a.jpg', 'a'.repeat(40_000))],
    ['bytes that are no form', 'multipart/form-data; boundary=b', '\u0000'.repeat(500)],
    [
      'a text that is not UTF-8',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="alt"\r\n\r\n\xff\r\n--b--\r\n',
    ],
    ['a file without a name', 'multipart/form-data; boundary=b', `${head.replace('a.jpg', '')}x\r\n--b--\r\n`],
  ];
  test.each(broken)('a form with %s', async (_what, type, text) => {
    const raw = Buffer.from(text, 'latin1');
    const { status, body } = await client.post('/api/upload', undefined, { raw, headers: { 'Content-Type': type } });
    expect([status, typeof body.error.message]).toEqual([400, 'string']);
  });

  test('no body at all, with the right type', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    expect((await client.post('/api/upload', undefined, { headers })).status).toBe(400);
  });

  test.each(['application/json', 'multipart/mixed; boundary=b', 'image/jpeg', 'text/plain'])(
    '415 for a body of the type %s',
    async (type) => {
      const { status, body } = await client.post('/api/upload', undefined, {
        raw: await newPhoto(),
        headers: { 'Content-Type': type },
      });
      expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  test('401 without a credential and 403 with a key that may only read, before the form is looked at', async () => {
    const raw = formOf([['file', Buffer.alloc(0)]]);
    expect((await app.as().post('/api/upload', undefined, { raw })).status).toBe(401);
    const { body } = await client.post('/api/api-keys', { name: 'reader', permissions: 'read' });
    expect((await app.as(body.key).post('/api/upload', undefined, { raw })).status).toBe(403);
  });
});

describe('what is no picture is 400', () => {
  const hostile: [string, () => Promise<Buffer> | Buffer][] = [
    ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    [
      'GIF',
      () =>
        sharp({ create: { width: 9, height: 9, channels: 3, background: '#111' } })
          .gif()
          .toBuffer(),
    ],
    [
      'TIFF',
      () =>
        sharp({ create: { width: 9, height: 9, channels: 3, background: '#111' } })
          .tiff()
          .toBuffer(),
    ],
    ['PDF', () => Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF')],
    ['HTML', () => Buffer.from('<!doctype html><title>a.jpg</title>')],
    ['half a JPEG', async () => (await newPhoto(900, 900)).subarray(0, 2_000)],
    ['a bomb of 256 megapixels', () => bomb(16_000, 16_000)],
    ['a line of 65,535 pixels', () => bomb(65_535, 1)],
  ];
  test.each(hostile)('%s', async (_what, make) => {
    const { status, body } = await upload(await make(), { name: 'photo.jpg' });
    expect([status, body.error.code, body.error.details.errors[0].path]).toEqual([
      400,
      'validation_error',
      '/body/file',
    ]);
  });

  test('what hangs on behind a picture is not served', async () => {
    const tail = '<script>alert(document.domain)</script>PK\u0003\u0004';
    const { body } = await upload(Buffer.concat([await newPhoto(), Buffer.from(tail)]), { name: 'a.html' });
    expect((await fetchBytes(body.url)).includes('<script>')).toBe(false);
  });

  async function bomb(width: number, height: number): Promise<Buffer> {
    return sharp({ create: { width, height, channels: 3, background: '#000' }, limitInputPixels: false })
      .png({ compressionLevel: 9 })
      .toBuffer();
  }
});

test('nothing of an upload stays on disk when its client goes away in the middle of it', async () => {
  const opened = () => openFiles(join(app.dataDir, 'incoming'));
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write(
    `POST /api/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
      'Content-Length: 5000000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n' +
      'x'.repeat(200_000),
  );
  await waitFor(() => expect(opened()).toBe(1));
  socket.destroy();
  await waitFor(() => expect(opened()).toBe(0));
  expect(readdirSync(join(app.dataDir, 'incoming'))).toEqual([]);
});

const folder = dataFile('images-real');
const rows = folder ? parseManifest(readFileSync(join(folder, 'manifest.csv'), 'utf8')) : [];
test.skipIf(!folder)('every file of the collection of real images is answered as its manifest says', async () => {
  const wrong: string[] = [];
  for (const { file, expected } of rows) {
    const { status, body } = await upload(readFileSync(join(folder ?? '', file)), { name: file });
    const fits = expected.startsWith('400 or accept')
      ? [201, 400].includes(status)
      : status === (expected.startsWith('accept') ? 201 : 400);
    if (!fits) wrong.push(`${file}: ${status}, not ${expected}`);
    if (status !== 201) continue;
    const { format, exif, xmp, orientation } = await sharp(await fetchBytes(body.url)).metadata();
    if (format !== 'webp' || exif || xmp || orientation) wrong.push(`${file}: stored with metadata`);
  }
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(50);
});

/** How many files of that folder this process holds open, with or without a name. */
const openFiles = (within: string) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(within);
    } catch {
      return false;
    }
  }).length;

async function count(table: string): Promise<number> {
  const { rows } = await app.database.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return rows[0]?.n ?? 0;
}
