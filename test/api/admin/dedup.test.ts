import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { offer, showPictures, storeGroup } from '../../support/dedup-groups.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let admin: TestUser;
let anna: TestUser;
let ben: TestUser;
let buyer: TestUser;
beforeAll(async () => {
  app = await startApp({ profile: 'general' });
  admin = await app.createUser({ role: 'admin' });
  anna = await app.createUser({ name: 'Anna' });
  ben = await app.createUser({ name: 'Ben' });
  buyer = await app.createUser({ name: 'Bea' });
});
afterAll(async () => {
  await app.close();
});

const at = '/api/admin/nautical/dedup';
const decide = (id: string, decision: string, body?: object) => app.as(admin).post(`${at}/${id}/${decision}`, body);
const read = async (id: string) => (await app.as(admin).get(`${at}/${id}`)).body;
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows;
const rowOf = async (id: string) => (await query('select * from listings where id = $1', [id]))[0];
const statusesOf = async (...ids: string[]) => Promise.all(ids.map(async (id) => (await rowOf(id))?.status));

describe('a group', () => {
  test('is listed with its listings, their evidence, and the one that would be kept first', async () => {
    const poor = await offer(app, anna);
    const rich = await offer(app, ben, { attributes: { brand: 'Bavaria', year: 2010 } }, ['00000000ffffffff']);
    const id = await storeGroup(app, [poor.id, rich.id], 0.83);
    const { status, body } = await app.as(admin).get(`${at}?status=detected&min_confidence=0.83`);
    expect(status).toBe(200);
    expect(body.results[0]).toMatchObject({
      id,
      status: 'detected',
      confidence: 0.83,
      reasons: ['title'],
      canonical_id: rich.id,
      resolved_at: null,
      resolved_by: null,
      members: [
        { listing_id: rich.id, listing: { id: rich.id, title: rich.title }, score: 0.83, favorites: 0, site: null },
        {
          listing_id: poor.id,
          evidence: [{ listing_id: rich.id, score: 0.83, reasons: [{ signal: 'title', weight: 2.5 }], restraints: [] }],
        },
      ],
    });
    expect((await app.as(admin).get(`${at}?min_confidence=0.84`)).body.results).toEqual([]);
    expect(await read(id)).toEqual(body.results[0]);
    expect((await app.as(admin).get(`${at}/stats`)).body).toMatchObject({ groups_pending: 1, groups_detected: 1 });
  });

  test('loses a listing that is sold or deleted, and closes when one is left', async () => {
    const [one, two, three] = [await offer(app, anna), await offer(app, ben), await offer(app, buyer)];
    const id = await storeGroup(app, [one.id, two.id, three.id]);
    await app.as(anna).post(`/api/listings/${one.id}/mark-sold`);
    const { members } = await read(id);
    expect(members.map((member: { listing_id: string }) => member.listing_id).sort()).toEqual(
      [two.id, three.id].sort(),
    );
    expect(members[0].evidence).toHaveLength(1);
    await app.as(ben).delete(`/api/listings/${two.id}`);
    expect((await app.as(admin).get(`${at}/${id}`)).status).toBe(404);
  });

  test('closes when the only listing leaves that the others are like', async () => {
    const [one, two, three] = [await offer(app, anna), await offer(app, ben), await offer(app, buyer)];
    const id = await storeGroup(app, [one.id, two.id, three.id]);
    await query(
      `update dedup_members set evidence = jsonb_path_query_array(evidence, '$[*] ? (@.listing_id == $hub)', $2)
       where group_id = $1 and listing_id <> $3`,
      [id, JSON.stringify({ hub: one.id }), one.id],
    );
    await app.as(anna).delete(`/api/listings/${one.id}`);
    expect((await app.as(admin).get(`${at}/${id}`)).status).toBe(404);
  });

  test('404 for one that does not exist', async () => {
    for (const decision of ['merge', 'unmerge', 'reject'])
      expect((await decide('ddg_01K6QB7M2N4P6Q8R0S2T4V6W8X', decision)).status).toBe(404);
  });
});

describe('merge', () => {
  test('keeps one listing: pictures, prices and sources come to it, the other one tells where it went', async () => {
    const kept = await offer(app, anna, {}, ['00000000ffffffff', '0f0f0f0f0f0f0f0f']);
    const { body: ingested } = await app.as(admin).post('/api/ingest', {
      records: [ingestBody({ url: 'https://portal.example/boat/1', price: { amount: 91_000, currency: 'EUR' } })],
    });
    const scraped: string = ingested.ids['https://portal.example/boat/1'];
    await app.as(admin).post(`/api/listings/${scraped}/publish`);
    // The first is a near copy, two bits away.
    const [, other] = await showPictures(app, scraped, ['00000000fffffffc', 'fffffffff0000000']);
    const id = await storeGroup(app, [kept.id, scraped]);
    const { status, body } = await decide(id, 'merge', {});
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id, status: 'merged', canonical_id: kept.id, resolved_by: admin.id, resolved_at: expect.any(String) },
    });
    expect(body.members.map(({ listing }: { listing: { status: string } }) => listing.status)).toEqual([
      'active',
      'deleted',
    ]);
    expect(await rowOf(scraped)).toMatchObject({ status: 'deleted', merged_into: kept.id });
    const { body: shown } = await app.as().get(`/api/listings/${kept.id}`);
    expect(shown.images).toHaveLength(3);
    expect(shown.images[2].url).toContain(other);
    expect(shown.price.price_history).toMatchObject([{ amount: 91_000, currency: 'EUR' }]);
    expect(shown.boat.type).toBeUndefined();
    expect(shown.boat.source).toMatchObject({
      portals: ['portal.example'],
      original_urls: ['https://portal.example/boat/1'],
      original_descriptions: [shown.description, expect.stringContaining('Mercury')],
      dedup_id: id,
      scrape_count: 1,
      first_seen: expect.any(String),
    });
    const { slug } = await rowOf(scraped);
    for (const name of [scraped, slug]) {
      const gone = await app.as().get(`/api/listings/${name}`);
      expect(gone.status).toBe(404);
      expect(gone.body.error.details).toEqual({ merged_into: { id: kept.id, slug: kept.slug } });
    }
    expect((await app.as(admin).get(`/api/listings/${scraped}`)).body).toMatchObject({
      status: 'deleted',
      merged_into: kept.id,
    });
    const events = await query(`select subject, type from events where subject = any($1) order by seq desc limit 2`, [
      [kept.id, scraped],
    ]);
    expect(events).toEqual([
      { subject: kept.id, type: 'listing.updated' },
      { subject: scraped, type: 'listing.deleted' },
    ]);
  });

  test('moves favorites, conversations and reviews; who has both keeps one favorite and both conversations', async () => {
    const [kept, other] = [await offer(app, anna), await offer(app, ben)];
    const fan = await app.createUser();
    for (const id of [kept.id, other.id]) await app.as(fan).post('/api/me/favorites', { listing_id: id });
    await app.as(buyer).post('/api/me/favorites', { listing_id: other.id });
    const asked = await app
      .as(buyer)
      .post('/api/conversations', { listing_id: other.id, message: 'Is she still there?' });
    await app.as(ben).post(`/api/conversations/${asked.body.id}/messages`, { content: 'She is, come and see her.' });
    await app.as(buyer).post(`/api/listings/${other.id}/reviews`, { rating: 5 });
    const id = await storeGroup(app, [kept.id, other.id]);
    expect((await decide(id, 'merge', { canonical_id: kept.id })).status).toBe(200);
    for (const user of [fan, buyer])
      expect((await app.as(user).get('/api/me/favorites')).body.results.map((each: { id: string }) => each.id)).toEqual(
        [kept.id],
      );
    const { body } = await app.as(buyer).get(`/api/conversations/${asked.body.id}`);
    expect(body).toMatchObject({ listing: { id: kept.id, slug: kept.slug }, seller: { id: ben.id } });
    expect((await app.as().get(`/api/listings/${kept.id}/reviews`)).body.results).toMatchObject([
      { seller_id: ben.id, rating: 5 },
    ]);
    // Writing about the kept listing reaches its own seller, writing about the other one goes on with his.
    const again = await app.as(buyer).post('/api/conversations', { listing_id: other.id, message: 'And the price?' });
    expect(again.body).toMatchObject({ id: asked.body.id, created: false });
    const fresh = await app.as(buyer).post('/api/conversations', { listing_id: kept.id, message: 'Hello Anna.' });
    expect(fresh.body.created).toBe(true);
    expect((await app.as(anna).get(`/api/conversations/${fresh.body.id}`)).status).toBe(200);
    expect((await app.as(anna).get(`/api/conversations/${asked.body.id}`)).status).toBe(404);
  });

  test('of a draft that was never published nothing is shown', async () => {
    const kept = await offer(app, anna);
    const { body: draft } = await app
      .as(ben)
      .post(
        '/api/listings',
        listingBody({ category_id: 'boats', description: 'My secret plans for this fine yacht, told to nobody.' }),
      );
    await showPictures(app, draft.id, ['fffffffff0000000']);
    const id = await storeGroup(app, [kept.id, draft.id]);
    expect((await decide(id, 'merge')).status).toBe(200);
    const { body } = await app.as().get(`/api/listings/${kept.id}`);
    expect(body.images).toEqual([]);
    expect(JSON.stringify(body)).not.toContain('secret plans');
  });

  test('400 for a canonical listing outside the group, 409 for a group that is decided', async () => {
    const [one, two, outside] = [await offer(app, anna), await offer(app, ben), await offer(app, buyer)];
    const id = await storeGroup(app, [one.id, two.id]);
    const refused = await decide(id, 'merge', { canonical_id: outside.id });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.errors[0].path).toBe('/body/canonical_id');
    expect((await decide(id, 'unmerge')).status).toBe(409);
    await decide(id, 'merge', { canonical_id: two.id });
    for (const decision of ['merge', 'reject']) expect((await decide(id, decision)).status).toBe(409);
    expect(await statusesOf(one.id, two.id)).toEqual(['deleted', 'active']);
  });

  test('in bulk, what cannot be merged is named and stops nothing', async () => {
    const pairs = [await offer(app, anna), await offer(app, ben), await offer(app, anna), await offer(app, ben)];
    const [a = '', b = '', c = '', d = ''] = pairs.map(({ id }) => id);
    const [first, second] = [await storeGroup(app, [a, b]), await storeGroup(app, [c, d])];
    await decide(second, 'reject');
    const { status, body } = await app
      .as(admin)
      .post(`${at}/bulk-merge`, { ids: [second, 'ddg_nobody', first, first] });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        merged: 1,
        failed: [
          { id: second, reason: 'The group is rejected already.' },
          { id: 'ddg_nobody', reason: expect.stringContaining('ddg_nobody') },
        ],
      },
    });
  });
});

describe('reject', () => {
  test('no pair of the group is ever found again, also when a text changes or a third listing joins them', async () => {
    const [one, two, three] = [await offer(app, anna), await offer(app, ben), await offer(app, buyer)];
    const id = await storeGroup(app, [one.id, two.id]);
    const { status, body } = await decide(id, 'reject');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'rejected', canonical_id: null, resolved_by: admin.id },
    });
    await app.as(ben).put(`/api/listings/${two.id}`, { title: 'Another title for that yacht' });
    expect(await storeGroup(app, [one.id, two.id], 0.99)).toBe('none');
    const next = await storeGroup(app, [one.id, two.id, three.id], 0.95);
    const members = (await read(next)).members.map(({ listing_id }: { listing_id: string }) => listing_id);
    expect(members).toHaveLength(2);
    expect(members).not.toEqual(expect.arrayContaining([one.id, two.id]));
    expect(await statusesOf(one.id, two.id)).toEqual(['active', 'active']);
    expect((await app.as(admin).get(`${at}?status=rejected`)).body.results[0].id).toBe(id);
  });
});
