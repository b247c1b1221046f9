import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from '../listings/search-fixture.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await startApp();
  user = await app.createUser();
});
afterAll(() => app.close());

const PATH = '/api/me/saved-searches';
const save = (body: object, who = user) => app.as(who).post(PATH, body);

describe('saving', () => {
  test('201 with the filters as they were sent, told daily unless said otherwise; listed newest first', async () => {
    const who = await app.createUser();
    const query_params = {
      q: 'bavaria',
      category: 'sailboats',
      max_price: 5e4,
      attr: { min_year: 1999 },
      'attr[brand]': 'x',
    };
    const first = await save({ name: '  Mine ', query_params }, who);
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^svs_/),
        name: 'Mine',
        query_params,
        notify: 'daily',
        created_at: expect.any(String),
      },
    ]);
    const second = await save({ name: 'Everything', query_params: {}, notify: 'off' }, who);
    expect(second.body).toEqual({ ...second.body, query_params: {}, notify: 'off' });
    expect((await app.as(who).get(PATH)).body).toEqual({ results: [second.body, first.body] });
    expect((await app.as(user).get(PATH)).body).toEqual({ results: [] });
  });

  test.each([
    [{ page: 2 }, '/body/query_params/page'],
    [{ limit: 20 }, '/body/query_params/limit'],
    [{ cursor: 'x' }, '/body/query_params/cursor'],
    [{ sort: 'newest' }, '/body/query_params/sort'],
    [{ facets: 'category' }, '/body/query_params/facets'],
    [{ fields: 'id' }, '/body/query_params/fields'],
    [{ lang: 'de' }, '/body/query_params/lang'],
    [{ colour: 'red' }, '/body/query_params/colour'],
    [{ min_price: -1 }, '/body/query_params/min_price'],
    [{ min_price: '10' }, '/body/query_params/min_price'],
    [{ condition: 'broken' }, '/body/query_params/condition'],
    [{ country: 'Germany' }, '/body/query_params/country'],
    [{ q: 'x'.repeat(201) }, '/body/query_params/q'],
    [{ near: '91,0' }, '/body/query_params/near'],
    [{ bbox: '1,2,3,x' }, '/body/query_params/bbox'],
    [{ updated_since: 'yesterday' }, '/body/query_params/updated_since'],
    [{ category: 'sailboats', attr: { min_year: 'old' } }, '/body/query_params/attr/min_year'],
    [{ category: 'sailboats', 'attr[min_year]': 'old' }, '/body/query_params/attr/min_year'],
    [{ category: 'sailboats', attr: { brand: [] } }, '/body/query_params/attr/brand'],
    [{ country: ['DE', 'Germany'] }, '/body/query_params/country/1'],
    [{ country: 'DE,Germany' }, '/body/query_params/country'],
  ])('400 for %j, which names its place', async (query_params, path) => {
    const { status, body } = await save({ name: 'x', query_params });
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(body.error.details.errors.map((each: { path: string }) => each.path)).toContain(path);
  });

  test.each([
    [{ name: ' ', query_params: {} }],
    [{ name: 'x'.repeat(101), query_params: {} }],
    [{ name: 'x' }],
    [{ name: 'x', query_params: [] }],
    [{ name: 'x', query_params: {}, notify: 'hourly' }],
  ])('400 for %j', async (body) => {
    expect((await save(body)).status).toBe(400);
  });

  test('what finds nothing is saved with the warnings of the search', async () => {
    await storeListings(app, await app.createUser(), [{ title: 'Kestrel of the north' }]);
    const warned = async (query_params: object) => (await save({ name: 'x', query_params })).body.warnings;
    expect(await warned({ category: 'spaceships' })).toEqual(["There is no category 'spaceships'."]);
    expect(await warned({ category: 'sailboats', attr: { colour: 'red' } })).toEqual([
      "The attribute filter 'colour' is unknown in sailboats and was ignored.",
    ]);
    expect(await warned({ q: 'kestrle' })).toEqual(["No listing has 'kestrle' (looked for: kestrel)."]);
    expect(await warned({ status: 'sold' })).toEqual([expect.stringContaining("'sold'")]);
  });

  test('409 beyond a hundred, also when many arrive at once; deleting one makes room', async () => {
    const who = await app.createUser();
    await app.database.pool.query(
      `insert into saved_searches (id, user_id, name, query_params, created_at)
       select 'svs_' || lpad(n::text, 26, '0'), $1, 'x', '{}', now() from generate_series(1, 95) as n`,
      [who.id],
    );
    const replies = await Promise.all(Array.from({ length: 12 }, () => save({ name: 'x', query_params: {} }, who)));
    const counts = Map.groupBy(replies, ({ status }) => status);
    expect([counts.size, counts.get(201)?.length, counts.get(409)?.length]).toEqual([2, 5, 7]);
    const made = replies.find(({ status }) => status === 201)?.body.id;
    expect((await app.as(who).delete(`${PATH}/${made}`)).body).toEqual({ id: made, deleted: true });
    expect((await save({ name: 'x', query_params: {} }, who)).status).toBe(201);
  });

  test('an Idempotency-Key makes one search of two requests', async () => {
    const who = await app.createUser();
    const options = { headers: { 'Idempotency-Key': 'one-and-the-same' } };
    const body = { name: 'x', query_params: {} };
    const [first, second] = [await app.as(who).post(PATH, body, options), await app.as(who).post(PATH, body, options)];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect((await app.as(who).get(PATH)).body.results).toHaveLength(1);
  });
});

describe('changing and deleting', () => {
  test('a name, a rhythm, or both; never what is looked for', async () => {
    const { body: saved } = await save({ name: 'Old', query_params: { q: 'sloop' } });
    const { warnings: _, ...plain } = saved;
    const change = (body: object) => app.as(user).patch(`${PATH}/${saved.id}`, body);
    expect((await change({ name: ' New ' })).body).toEqual({ ...plain, name: 'New' });
    expect((await change({ notify: 'weekly' })).body).toEqual({ ...plain, name: 'New', notify: 'weekly' });
    for (const body of [{}, { query_params: {} }, { name: '' }, { notify: null }])
      expect((await change(body)).status).toBe(400);
  });

  test('404 for those of others, for unknown and for deleted ones', async () => {
    const { body } = await save({ name: 'x', query_params: {} });
    const other = await app.createUser();
    for (const who of [other, user]) {
      const expected = who === user ? 200 : 404;
      expect((await app.as(who).patch(`${PATH}/${body.id}`, { name: 'y' })).status).toBe(expected);
      expect((await app.as(who).delete(`${PATH}/${body.id}`)).status).toBe(expected);
    }
    expect((await app.as(user).delete(`${PATH}/${body.id}`)).status).toBe(404);
    expect((await app.as(user).patch(`${PATH}/svs_none`, { name: 'y' })).status).toBe(404);
  });
});
