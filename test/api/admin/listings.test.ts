import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportUntilHidden } from '../../support/reporters.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { offer } from '../../support/dedup-groups.ts';
import { ingestBody } from '../../support/listing-bodies.ts';

type Found = { id: string; title: string };
type Entry = {
  type: string;
  actor: { id: string } | null;
  changes: { field: string; before: string; after: string }[];
};

let app: TestApp;
let admin: TestUser;
let seller: TestUser;
let ids: string[];
beforeAll(async () => {
  app = await startApp();
  admin = await app.createUser({ role: 'admin' });
  seller = await app.createUser({ name: 'Wilhelmina Krabbe', email: 'krabbe@harbour.example' });
  ids = [];
  for (const title of ['Swan 42 with teak deck', 'Swan 44 of 1998', 'Hallberg-Rassy 36'])
    ids.push((await offer(app, seller, { title })).id);
});
afterAll(() => app.close());

const path = '/api/admin/listings';
const find = async (query: Record<string, string>) => {
  const { status, body } = await app.as(admin).get(`${path}?${new URLSearchParams(query).toString()}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { results: Found[]; next_cursor: string | null; total: number; total_is_exact: boolean };
};
const titles = async (query: Record<string, string>) => (await find(query)).results.map(({ title }) => title);
const record = async (id: string) => (await app.as(admin).get(`${path}/${id}`)).body;
const changesOf = async (id: string) =>
  (await record(id)).history.map(({ type, actor, changes }: Entry) => ({
    type,
    by: actor?.id ?? null,
    fields: changes.map(({ field }) => field),
  }));

describe('the search', () => {
  test('finds by a part of the title, by id, by a part of the name or address of the seller, and by the source page', async () => {
    expect(await titles({ q: 'swan 4' })).toEqual(['Swan 44 of 1998', 'Swan 42 with teak deck']);
    expect(await titles({ q: ids[2] ?? '' })).toEqual(['Hallberg-Rassy 36']);
    for (const q of ['mina Krab', 'KRABBE@harbour', seller.id]) expect((await find({ q })).total, q).toBe(3);
    const url = 'https://boats.example.com/a%20b/100_percent?id=7';
    await app.as(admin).post('/api/ingest', { records: [ingestBody({ url, title: 'From a page of its own' })] });
    for (const q of [url, 'https://BOATS.example.com/a%20b/'])
      expect(await titles({ q }), q).toEqual(['From a page of its own']);
    expect(await titles({ q: '100%' })).toEqual([]);
    expect(await titles({ q: String.raw`_\%` })).toEqual([]);
  });

  test('filters by status, category, source, country, reports and seller, all at once', async () => {
    await reportUntilHidden(app, ids[0]!, 'fraud');
    expect(await titles({ reported: 'true' })).toEqual(['Swan 42 with teak deck']);
    expect(await titles({ reported: 'false', seller_id: seller.id, source: 'api', country: 'es' })).toEqual([
      'Hallberg-Rassy 36',
      'Swan 44 of 1998',
    ]);
    expect(await titles({ status: 'flagged', q: 'swan' })).toEqual(['Swan 42 with teak deck']);
    expect(await titles({ category: 'no-such-category' })).toEqual([]);
  });

  test.each(['newest', 'oldest', 'updated', 'price_high', 'price_low', 'expires'])(
    'pages by %s hold every listing once, in one order',
    async (sort) => {
      const all = await titles({ sort, limit: '100' });
      expect(new Set(all).size).toBe(all.length);
      const paged: string[] = [];
      let cursor = '';
      do {
        const page = await find({ sort, limit: '1', ...(cursor && { cursor }) });
        paged.push(...page.results.map(({ title }) => title));
        cursor = page.next_cursor ?? '';
      } while (cursor);
      expect(paged).toEqual(all);
      expect(all.length).toBeGreaterThan(3);
    },
  );

  test('a cursor of another order, and one that is none, are 400', async () => {
    const { next_cursor: cursor } = await find({ limit: '1' });
    const odd = Buffer.from(JSON.stringify(['updated', ['never', 'x']])).toString('base64url');
    for (const query of [`sort=updated&cursor=${cursor}`, 'cursor=abc', `sort=updated&cursor=${odd}`]) {
      const { status, body } = await app.as(admin).get(`${path}?${query}`);
      expect({ status, path: body.error.details.errors[0].path }).toEqual({ status: 400, path: '/query/cursor' });
    }
  });
});

describe('one listing', () => {
  test('is edited by an administrator, and its history says who changed what, from what to what', async () => {
    const { id } = await offer(app, seller, { title: 'A boat with a slip of the pen' });
    const change = {
      title: 'A boat without a slip of the pen',
      price: { amount: 5_000, currency: 'EUR', negotiable: true },
    };
    const { status, body } = await app.as(admin).patch(`${path}/${id}`, change);
    expect({ status, title: body.title, seller: body.seller.id }).toEqual({
      status: 200,
      title: change.title,
      seller: seller.id,
    });
    const { history } = await record(id);
    expect(history[0]).toMatchObject({ type: 'listing.updated', actor: { id: admin.id, role: 'admin' } });
    expect(history[0].changes).toEqual(
      expect.arrayContaining([
        { field: 'title', before: 'A boat with a slip of the pen', after: change.title },
        { field: 'price', before: expect.stringMatching(/EUR$/), after: '5000 EUR' },
      ]),
    );
    expect(history.at(-1)).toMatchObject({ type: 'listing.created', actor: { id: seller.id } });
    const unknown = await app.as(admin).patch(`${path}/${id}`, { category_id: 'no-such-category' });
    expect(unknown.status).toBe(400);
  });

  test('is paused, put back on show, deleted with a reason that its seller is mailed, and restored as it was', async () => {
    const { id } = await offer(app, seller, { title: 'A boat that comes and goes' });
    const client = app.as(admin);
    const move = async (status: string) => (await client.post(`${path}/${id}/status`, { status })).body.status;
    expect(await move('paused')).toBe('paused');
    expect(await move('active')).toBe('active');
    const told = [{ type: 'listing.updated', by: admin.id, fields: ['status'] }];
    expect((await changesOf(id)).slice(0, 2)).toEqual([...told, ...told]);
    expect((await client.delete(`${path}/${id}?reason=It%20was%20stolen.`)).body).toMatchObject({
      id,
      status: 'deleted',
    });
    expect((await app.as().get(`/api/listings/${id}`)).status).toBe(404);
    expect((await record(id)).listing.status).toBe('deleted');
    const { rows } = await app.database.pool.query(
      `select data from pgboss.job where name = 'send-email' and data->>'template' = 'listing-rejected'`,
    );
    expect(rows.map(({ data }) => data)).toMatchObject([{ user_id: seller.id, data: { reason: 'It was stolen.' } }]);
    const restored = await client.post(`${path}/${id}/restore`);
    expect({ status: restored.status, is: restored.body.status }).toEqual({ status: 200, is: 'active' });
    expect((await app.as().get(`/api/listings/${id}`)).status).toBe(200);
    expect((await client.post(`${path}/${id}/restore`)).status).toBe(409);
    expect(await changesOf(id)).toEqual(
      expect.arrayContaining([{ type: 'listing.deleted', by: admin.id, fields: expect.arrayContaining(['status']) }]),
    );
  });

  test('that its seller has written again since it was deleted is not restored: 409', async () => {
    const fields = { title: 'A boat that is offered twice', description: 'The same words about the same boat, twice.' };
    const { id } = await offer(app, seller, fields);
    await app.as(admin).delete(`${path}/${id}`);
    await offer(app, seller, fields);
    const { status, body } = await app.as(admin).post(`${path}/${id}/restore`);
    expect({ status, message: body.error.message }).toEqual({
      status: 409,
      message: 'The seller offers the same text again by now.',
    });
  });

  test('a draft is put on show by approval, an unknown listing is 404, and a user is refused', async () => {
    const { id } = await offer(app, seller, { title: 'A boat that waits' });
    await app.database.pool.query(`update listings set status = 'draft', published_at = null where id = $1`, [id]);
    const { body } = await app.as(admin).post(`${path}/${id}/status`, { status: 'active' });
    expect(body.status).toBe('active');
    expect((await app.as(admin).get(`${path}/lst_00000000000000000000000000`)).status).toBe(404);
    expect((await app.as(seller).get(`${path}/${id}`)).status).toBe(403);
  });
});
