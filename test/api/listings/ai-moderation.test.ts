import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';
import {
  judgement,
  providerError,
  startModerationServer,
  type ModerationServer,
} from '../../support/moderation-server.ts';

let provider: ModerationServer;
let app: TestApp;
let owner: TestUser;
beforeAll(async () => {
  provider = await startModerationServer();
  app = await startApp({ env: { OPENAI_API_KEY: 'sk-of-the-tests', OPENAI_BASE_URL: provider.url } });
  owner = await app.createUser();
});
afterAll(async () => {
  await app.close();
  await provider.close();
});
beforeEach(() => {
  provider.reply(judgement());
  provider.requests.length = 0;
});

const create = (fields: Parameters<typeof listingBody>[0] = {}) =>
  app.as(owner).post('/api/listings', listingBody(fields));
const rejection = {
  status: 400,
  body: {
    error: {
      code: 'moderation_rejected',
      message: expect.stringContaining('harassment'),
      details: { reasons: ['ai_moderation'] },
    },
  },
};

test('create: 400 for what the provider flags, naming the categories; 201 for what it does not', async () => {
  provider.reply(judgement('harassment'));
  const body = listingBody();
  expect(await app.as(owner).post('/api/listings', body)).toMatchObject(rejection);
  provider.reply(judgement());
  expect((await app.as(owner).post('/api/listings', body)).status).toBe(201);
  expect(provider.requests.map(({ body: { input } }) => input)).toEqual(
    Array(2).fill(`${body.title}\n${body.description}`),
  );
});

test('the rules alone decide when the provider fails, and it is not asked about what they refuse', async () => {
  provider.reply(providerError(500, 'oops'));
  expect((await create()).status).toBe(201);
  provider.requests.length = 0;
  const { status, body } = await create({ title: 'Pure cocaine', description: 'The best quality, to your door.' });
  expect({ status, details: body.error.details }).toEqual({ status: 400, details: { reasons: ['prohibited_goods'] } });
  expect(provider.requests).toEqual([]);
});

test('update: a new text is asked about, and a flagged one changes nothing', async () => {
  const { id, title } = (await create()).body;
  provider.requests.length = 0;
  provider.reply(judgement('harassment'));
  const change = { title: 'Another name for the same boat' };
  expect(await app.as(owner).put(`/api/listings/${id}`, change)).toMatchObject(rejection);
  expect((await app.as(owner).get(`/api/listings/${id}`)).body.title).toBe(title);
  provider.reply(judgement());
  expect((await app.as(owner).put(`/api/listings/${id}`, change)).body.title).toBe(change.title);
  provider.requests.length = 0;
  await app.as(owner).put(`/api/listings/${id}`, { condition: 'fair' });
  expect(provider.requests).toEqual([]);
});

test('publish: a scraped draft is asked about before it goes live', async () => {
  const record = ingestBody();
  const { body } = await app.as(owner).post('/api/ingest', { records: [record] });
  const path = `/api/listings/${body.ids[record.url]}`;
  provider.reply(judgement('harassment'));
  expect(await app.as(owner).post(`${path}/publish`)).toMatchObject(rejection);
  expect((await app.as(owner).get(path)).body.status).toBe('draft');
  provider.reply(judgement());
  expect((await app.as(owner).post(`${path}/publish`)).body.status).toBe('active');
});

test('no transaction is open while the provider thinks', async () => {
  let open: string[] | undefined;
  const lookAround = async () => {
    const { rows } = await app.database.pool.query<{ state: string }>(
      `select state from pg_stat_activity where datname = current_database() and application_name = 'quayside-api' and state like '%transaction%'`,
    );
    open = rows.map(({ state }) => state);
  };
  provider.reply((response) => void lookAround().finally(() => judgement()(response)));
  const { id } = (await create()).body;
  expect(open).toEqual([]);
  for (const act of [
    () => app.as(owner).put(`/api/listings/${id}`, { title: 'Yet another name for this boat' }),
    () => app.as(owner).post(`/api/listings/${id}/publish`),
  ]) {
    open = undefined;
    expect((await act()).status).toBe(200);
    expect(open).toEqual([]);
  }
});
