import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ProcessedImage } from '../../shared/adapters/images.ts';
import type { Storage } from '../../shared/adapters/storage.ts';
import { DAY_MS, HOUR_MS } from '../../shared/kit/clock.ts';
import { deleteImage } from '../../shared/listings/images-delete.ts';
import { storeImages } from '../../shared/listings/images-store.ts';
import { imageKeyOf, thumbnailKeyOf } from '../../shared/listings/images.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { listingBody } from '../support/listing-bodies.ts';
import { formOf, newPhoto } from '../support/pictures.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let owner: TestUser;
let ahead = 0;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => new Date(Date.now() + ahead) } });
  workers = await startWorkers(app);
  owner = await app.createUser();
});
beforeEach(() => {
  ahead = 0;
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const hashOf = (url: string) => /([0-9a-f]{64})\.webp$/.exec(url)?.[1] ?? '';
const upload = async (bytes: Buffer, as = owner): Promise<{ url: string; sha256: string }> => {
  const { body } = await app.as(as).post('/api/upload', undefined, { raw: formOf([['file', bytes]]) });
  return { url: body.url, sha256: hashOf(body.url) };
};
const createListing = async (images: { url: string }[], as = owner): Promise<string> =>
  (await app.as(as).post('/api/listings', listingBody({ images: images.map(({ url }) => ({ url })) }))).body.id;
const remove = async (...hashes: string[]) => {
  await app.database.db
    .transaction()
    .execute((tx) => app.services.jobs.enqueue(tx, 'delete-pictures', { sha256: hashes }));
  expect((await workers.work('delete-pictures')).map(({ status }) => status)).toEqual(['completed']);
};
/** Row, image and thumbnail: all of them or none. */
const state = async (sha256: string) => {
  const row = await app.database.pool.query('select from images where sha256 = $1', [sha256]);
  const files = await Promise.all([imageKeyOf, thumbnailKeyOf].map((key) => app.services.storage.exists(key(sha256))));
  return [row.rowCount === 1, ...files];
};
const [THERE, GONE] = [
  [true, true, true],
  [false, false, false],
];

describe('a picture is deleted with its row and both files', () => {
  test('when its listing is gone, and answers 404 then', async () => {
    const { url, sha256 } = await upload(await newPhoto());
    const id = await createListing([{ url }]);
    await app.database.pool.query('delete from listings where id = $1', [id]);
    await remove(sha256);
    expect(await state(sha256)).toEqual(GONE);
    expect((await fetch(url)).status).toBe(404);
  });

  test('when its listing shows others now', async () => {
    const { url, sha256 } = await upload(await newPhoto());
    const id = await createListing([{ url }]);
    await app.database.pool.query(`delete from listing_images where listing_id = $1`, [id]);
    await app.database.pool.query(`update listings set images = '[]' where id = $1`, [id]);
    await remove(sha256);
    expect(await state(sha256)).toEqual(GONE);
  });

  test('and again, and one that never was: nothing happens', async () => {
    const { sha256 } = await upload(await newPhoto());
    await app.database.pool.query('delete from uploads where sha256 = $1', [sha256]);
    for (const hash of [sha256, sha256, '0'.repeat(64)]) {
      await remove(hash);
      expect(await state(hash)).toEqual(GONE);
    }
  });
});

describe('a picture stays', () => {
  test('while another listing shows it, also one that is deleted softly', async () => {
    const { url, sha256 } = await upload(await newPhoto());
    const [one, other] = [await createListing([{ url }]), await createListing([{ url }])];
    await app.database.pool.query(`update listings set status = 'deleted' where id = $1`, [other]);
    await app.database.pool.query('delete from listings where id = $1', [one]);
    await remove(sha256);
    expect(await state(sha256)).toEqual(THERE);
    await app.database.pool.query('delete from listings where id = $1', [other]);
    await remove(sha256);
    expect(await state(sha256)).toEqual(GONE);
  });

  test('while a rental shows it', async () => {
    const { sha256 } = await upload(await newPhoto());
    await app.database.pool.query(
      `insert into rentals (id, slug, owner_id, title, description, boat_type, price_per_day, currency, country, city, available_from, available_to, images, created_at, updated_at)
       values ('rent_x', 'x', $1, 't', 'd', 'sail', 1, 'EUR', 'DE', 'Kiel', '2026-01-01', '2026-02-01', $2, now(), now())`,
      [owner.id, JSON.stringify([{ key: imageKeyOf(sha256) }])],
    );
    await remove(sha256);
    expect(await state(sha256)).toEqual(THERE);
    await app.database.pool.query(`delete from rentals where id = 'rent_x'`);
    await remove(sha256);
    expect(await state(sha256)).toEqual(GONE);
  });

  test('while somebody else has uploaded the same and not used it yet', async () => {
    const photo = await newPhoto();
    const { url, sha256 } = await upload(photo);
    const id = await createListing([{ url }]);
    await upload(photo, await app.createUser());
    await app.database.pool.query('delete from listings where id = $1', [id]);
    await remove(sha256);
    expect(await state(sha256)).toEqual(THERE);
  });
});

describe('collecting', () => {
  test('an upload that no listing has shown for a week is deleted, one that a listing shows stays', async () => {
    const [unused, used] = [await upload(await newPhoto()), await upload(await newPhoto())];
    await createListing([used]);
    ahead = 6 * DAY_MS;
    await collect();
    expect(await state(unused.sha256)).toEqual(THERE);
    ahead = 8 * DAY_MS;
    await collect();
    expect([await state(unused.sha256), await state(used.sha256)]).toEqual([GONE, THERE]);
  });

  test('files that a dead process has left are deleted when their lease is old, not before', async () => {
    const sha256 = createHash('sha256').update('left behind').digest('hex');
    const meta = { contentType: 'image/webp', cacheControl: 'x' };
    await app.services.storage.put(imageKeyOf(sha256), Buffer.from('x'), meta);
    await app.services.storage.put(thumbnailKeyOf(sha256), Buffer.from('x'), meta);
    await app.database.pool.query('insert into picture_leftovers values ($1, gen_random_uuid(), $2)', [
      sha256,
      app.services.clock.now(),
    ]);
    await collect();
    expect(await state(sha256)).toEqual([false, true, true]);
    ahead = 2 * HOUR_MS;
    await collect();
    expect(await state(sha256)).toEqual(GONE);
  });

  async function collect() {
    await app.database.db.transaction().execute((tx) => app.services.jobs.enqueue(tx, 'collect-pictures', {}));
    await workers.work('collect-pictures');
    await workers.work('delete-pictures');
  }
});

describe('at the same time', () => {
  const picture = (text: string): ProcessedImage => ({
    webp: Buffer.from(text),
    thumbnail: Buffer.from(text),
    width: 1,
    height: 1,
    dhash: 0n,
    core: 0n,
    sha256: createHash('sha256').update(text).digest('hex'),
  });
  const noteUpload = (sha256: string) => (tx: Parameters<Parameters<typeof storeImages>[2]>[0]) =>
    tx
      .insertInto('uploads')
      .values({ sha256, user_id: owner.id, created_at: new Date() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();

  test('storing and deleting the same bytes, over and over, never ends with a row without its files', async () => {
    const one = picture('contended');
    const { sha256 } = one;
    const { services } = app;
    const store = () => storeImages(services, [one], noteUpload(sha256));
    const forget = async () => {
      await app.database.pool.query('delete from uploads where sha256 = $1', [sha256]);
      await deleteImage(services, sha256);
    };
    for (let round = 0; round < 25; round += 1) {
      const outcomes = await Promise.allSettled([store(), forget(), store(), forget(), forget()]);
      const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(failed).toEqual([]);
      const [row, ...files] = await state(sha256);
      if (row) expect(files).toEqual([true, true]);
    }
    await forget();
    expect(await state(sha256)).toEqual(GONE);
  });

  test('a picture whose files are deleted between their storing and its row is stored again', async () => {
    const one = picture('stolen');
    let puts = 0;
    const storage: Storage = {
      ...app.services.storage,
      async put(key, body, meta) {
        await app.services.storage.put(key, body, meta);
        puts += 1;
        if (puts !== 2) return;
        await app.services.storage.delete([imageKeyOf(one.sha256), thumbnailKeyOf(one.sha256)]);
        await app.database.pool.query('delete from picture_leftovers where sha256 = $1', [one.sha256]);
      },
    };
    await storeImages({ ...app.services, storage }, [one], noteUpload(one.sha256));
    expect([puts, await state(one.sha256)]).toEqual([4, THERE]);
  });

  test('what cannot be used leaves no file, unless somebody else is storing the same', async () => {
    const [one, other] = [picture('refused'), picture('shared')];
    const refuse = () => Promise.reject(new Error('refused'));
    await expect(storeImages(app.services, [one], refuse)).rejects.toThrow('refused');
    expect(await state(one.sha256)).toEqual(GONE);
    const held = Promise.withResolvers<void>();
    const slow = storeImages(app.services, [other], async (tx) => {
      await held.promise;
      await noteUpload(other.sha256)(tx);
    });
    const outcomes = Promise.allSettled([slow, storeImages(app.services, [other], refuse)]);
    held.resolve();
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await state(other.sha256)).toEqual(THERE);
  });
});
