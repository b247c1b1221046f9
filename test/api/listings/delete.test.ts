import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { imageKeyOf, thumbnailKeyOf } from '../../../shared/listings/images.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

describe.each(['nautical', 'general'] as const)('in the %s profile', (profile) => {
  const isHard = profile === 'nautical';
  let app: TestApp;
  let workers: TestWorkers;
  let [owner, other, admin] = [] as unknown as [TestUser, TestUser, TestUser];
  let seller: Client;
  beforeAll(async () => {
    app = await startApp({ profile });
    workers = await startWorkers(app);
    [other, admin] = [await app.createUser(), await app.createUser({ role: 'admin' })];
  });
  beforeEach(async () => {
    owner = await app.createUser();
    seller = app.as(owner);
  });
  afterAll(async () => {
    await workers.close();
    await app.close();
  });

  const query = async (text: string, ...values: unknown[]) => (await app.database.pool.query(text, values)).rows;
  const create = async (fields: Parameters<typeof listingBody>[0] = {}) => {
    const { body } = await seller.post('/api/listings', listingBody({ category_id: 'sailboats', ...fields }));
    return (await seller.post(`/api/listings/${body.id}/publish`)).body;
  };
  const storePicture = async (letters: string) => {
    const sha256 = letters.repeat(32);
    const [storage_key, thumbnail_key] = [imageKeyOf(sha256), thumbnailKeyOf(sha256)];
    const webp = { contentType: 'image/webp', cacheControl: 'no-store' };
    for (const key of [storage_key, thumbnail_key]) await app.services.storage.put(key, Buffer.from('a picture'), webp);
    const row = { sha256, storage_key, thumbnail_key, width: 9, height: 9, bytes: 9, dhash: 1, created_at: new Date() };
    await app.database.db.insertInto('images').values(row).execute();
    return `${app.url}/static/${storage_key}`;
  };
  const isServed = async (url: string) => (await fetch(url)).status === 200;

  test('200 {deleted, id}; from then on it is 404 for everybody but, where the row stays, an admin', async () => {
    const { id, slug } = await create();
    expect((await app.as().get(`/api/listings/${id}`)).status).toBe(200);
    expect((await seller.delete(`/api/listings/${slug}`)).body).toEqual({ deleted: true, id });
    for (const path of [id, slug, `${id}.md`]) {
      for (const client of [app.as(), seller, app.as(other)])
        expect((await client.get(`/api/listings/${path}`)).status).toBe(404);
      expect((await app.as(admin).get(`/api/listings/${path}`)).status).toBe(isHard ? 404 : 200);
    }
    expect((await seller.delete(`/api/listings/${id}`)).status).toBe(404);
    expect(await app.services.views.flush()).toBe(true);
    const rows = await query('select status, deleted_at from listings where id = $1', id);
    expect(rows).toEqual(isHard ? [] : [{ status: 'deleted', deleted_at: expect.any(Date) }]);
    expect(
      await query(
        `select data->>'status' as status, previous, owner_id from events where subject = $1 and type = 'listing.deleted'`,
        id,
      ),
    ).toEqual([{ status: 'deleted', previous: { status: 'active' }, owner_id: owner.id }]);
  });

  test('its text may be used again, its slug only where the row is gone', async () => {
    const body = listingBody({ category_id: 'sailboats' });
    const { id, slug } = (await seller.post('/api/listings', body)).body;
    await seller.delete(`/api/listings/${id}`);
    const again = await seller.post('/api/listings', body);
    expect(again.status).toBe(201);
    expect(again.body.slug === slug).toBe(isHard);
  });

  test('20 parallel deletions: one 200, the others 404, one event', async () => {
    const { id } = await create();
    const replies = await Promise.all(Array.from({ length: 20 }, () => seller.delete(`/api/listings/${id}`)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 404),
    ]);
    expect(await query(`select 1 from events where subject = $1 and type = 'listing.deleted'`, id)).toHaveLength(1);
  });

  test('its pictures go with the row, except those that another listing shows', async () => {
    const [own, shared] = isHard ? ['a1', 'a2'] : ['b1', 'b2'];
    const urls = [await storePicture(own), await storePicture(shared)];
    const { id } = await create({ images: urls.map((url) => ({ url })) });
    const another = await create({ images: [{ url: urls[1]! }] });
    await seller.delete(`/api/listings/${id}`);
    await workers.work('delete-pictures');
    expect(await Promise.all(urls.map(isServed))).toEqual([!isHard, true]);
    await seller.delete(`/api/listings/${another.id}`);
    await workers.work('delete-pictures');
    expect(await isServed(urls[1]!)).toBe(!isHard);
  });

  test('conversations and reviews stay, with the title; favorites, flags and views go with the row', async () => {
    const { id, slug, title } = await create();
    const [conversation, review] = [newId('conversation'), newId('review')];
    const now = new Date();
    await query(
      `insert into conversations (id, listing_id, listing_title, listing_slug, buyer_id, seller_id, last_message_at, created_at) values ($1, $2, $3, $4, $5, $6, $7, $7)`,
      conversation,
      id,
      title,
      slug,
      other.id,
      owner.id,
      now,
    );
    await query(
      'insert into reviews (id, listing_id, seller_id, reviewer_id, rating, created_at) values ($1, $2, $3, $4, 5, $5)',
      review,
      id,
      owner.id,
      other.id,
      now,
    );
    await query('insert into favorites (user_id, listing_id, created_at) values ($1, $2, $3)', other.id, id, now);
    await query(
      `insert into flags (id, listing_id, reporter_id, reason, created_at) values ($1, $2, $3, 'spam', $4)`,
      newId('flag'),
      id,
      other.id,
      now,
    );
    await seller.delete(`/api/listings/${id}`);
    expect(await query('select listing_title, listing_slug from conversations where id = $1', conversation)).toEqual([
      { listing_title: title, listing_slug: slug },
    ]);
    expect(await query('select rating from reviews where id = $1', review)).toEqual([{ rating: 5 }]);
    for (const table of ['favorites', 'flags'])
      expect(await query(`select 1 from ${table} where listing_id = $1`, id)).toHaveLength(isHard ? 0 : 1);
  });

  test('a listing that was ingested, with everything that hangs on it, goes as well', async () => {
    const record = ingestBody({ category_hint: 'sailboats', images: ['https://boats.example.com/1.jpg'] });
    const { body } = await seller.post('/api/ingest', { records: [record] });
    const id: string = body.ids[record.url];
    expect((await seller.delete(`/api/listings/${id}`)).status).toBe(200);
    expect(await app.services.views.flush()).toBe(true);
    expect(await query('select 1 from listing_sources where listing_id = $1', id)).toHaveLength(isHard ? 0 : 1);
    await workers.work('index-listing');
    expect((await workers.work('localize-images')).map(({ status }) => status)).not.toContain('failed');
  });

  test('an update that comes too late is 404, and changes nothing', async () => {
    const { id } = await create();
    const [deletion, ...updates] = await Promise.all([
      seller.delete(`/api/listings/${id}`),
      ...Array.from({ length: 10 }, (_, index) => seller.put(`/api/listings/${id}`, { tags: [`t${index}`] })),
      ...Array.from({ length: 5 }, () => seller.post(`/api/listings/${id}/renew`)),
    ]);
    expect(deletion.status).toBe(200);
    for (const { status } of updates) expect([200, 404]).toContain(status);
    const last = await query('select type from events where subject = $1 order by seq desc limit 1', id);
    expect(last).toEqual([{ type: 'listing.deleted' }]);
  });
});
