import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestApp, TestUser } from '../../support/app.ts';
import { draftAnswer, DRAFTS_PATH, startDrafting, type Drafting } from '../../support/drafting.ts';
import type { AiMood, OpenAiServer } from '../../support/openai-server.ts';
import type { Site } from '../../support/site-server.ts';
import type { TestWorkers } from '../../support/workers.ts';
import { storeListings } from './search-fixture.ts';

let drafting: Drafting;
let app: TestApp;
let workers: TestWorkers;
let provider: OpenAiServer;
let site: Site;
let url: string;
let user: TestUser;
beforeAll(async () => {
  drafting = await startDrafting();
  ({ app, workers, provider, site, url } = drafting);
});
afterAll(() => drafting.close());
beforeEach(async () => {
  drafting.useStub();
  user = await app.createUser();
});

describe('without a provider', () => {
  test('the draft tells what the files say, and that it is a stub', async () => {
    const { status, headers, body } = await drafting.generate(user, [url, `${site.url}/Bavaria%2046%20Cruiser.jpg`]);
    expect(status).toBe(200);
    expect(headers.get('x-ai-mode')).toBe('stub');
    expect(body).toMatchObject({ title: 'Bavaria 46 Cruiser', condition: 'good', tags: ['blue'], attributes: {} });
    expect(body.description).toContain('without an AI provider');
    expect(body.description).toContain('1600 x 1200 pixels, mostly blue, taken on 2024-05-17');
    expect(app.services.catalog.find(body.category)).toBeDefined();
    expect(body.estimatedPriceRange).toEqual({ min: 0, max: 0, currency: 'EUR' });
  });

  test('a file name that a camera gave is no title', async () => {
    const { body } = await drafting.generate(user, [`${site.url}/IMG_2034.jpg`]);
    expect(body.title).toBe('Draft from 1 image');
  });

  test('a draft can be sent as a listing', async () => {
    const { body: draft } = await drafting.generate(user, [url]);
    const { title, description, category: category_id, condition, tags, attributes } = draft;
    const rest = {
      price: { amount: 1, currency: 'EUR', negotiable: false },
      location: { country: 'ES', city: 'Palma', shipping: false },
    };
    const created = await app
      .as(user)
      .post('/api/listings', { title, description, category_id, condition, tags, attributes, ...rest });
    expect(created.status).toBe(201);
  });
});

describe('with a provider', () => {
  test('the answer becomes a draft: known attributes of the right type, and the price of the market', async () => {
    const prices = [40_000, 50_000, 60_000];
    await storeListings(
      app,
      await app.createUser(),
      prices.map((price_amount, index) => ({ title: `Bavaria ${index}`, category_id: 'cruising', price_amount })),
    );
    drafting.useProvider({ json: draftAnswer });
    const { status, headers, body } = await drafting.generate(user, [url]);
    expect(status).toBe(200);
    expect(headers.get('x-ai-mode')).toBe('openai');
    expect(body).toMatchObject({
      title: draftAnswer.title,
      category: 'cruising',
      tags: ['sloop', 'teak'],
      attributes: { brand: 'Bavaria', year: 2006 },
      estimatedPriceRange: { min: 45_000, max: 55_000, currency: 'EUR' },
    });
    expect(Object.keys(body.attributes).toSorted()).toEqual(['brand', 'year']);
    const [request] = provider.requests;
    const content = request?.body.messages[1]?.content;
    expect(Array.isArray(content) && content[1]?.image_url?.url).toMatch(/^data:image\/jpeg;base64,/);
    expect(JSON.stringify(request?.body)).not.toContain(url);
  });

  test('the draft is asked for in the language of the request', async () => {
    drafting.useProvider({ json: draftAnswer });
    await drafting.generate(user, [url], { 'Accept-Language': 'de' });
    expect(JSON.stringify(provider.requests[0]?.body.messages[0])).toContain('in German');
  });

  test('what is written in a picture is material: another category, price or key does not come through', async () => {
    const injected = { ...draftAnswer, category: 'free-stuff', estimatedPriceRange: { min: 0, max: 1 } };
    drafting.useProvider({ json: injected }, { json: { ...draftAnswer, category: 'cruising' } });
    const { status, body } = await drafting.generate(user, [`${site.url}/Bavaria%2046%20Cruiser.jpg`]);
    expect(status).toBe(200);
    expect(body.category).toBe('cruising');
    expect(body.estimatedPriceRange.max).not.toBe(1);
    expect(provider.requests).toHaveLength(2);
    drafting.useProvider({ json: injected });
    expect((await drafting.generate(user, [url])).status).toBe(503);
  });

  test('a text that moderation refuses is never handed on', async () => {
    drafting.useProvider({
      json: {
        ...draftAnswer,
        description: 'WhatsApp +34 612 345 678, or https://a.example https://b.example https://c.example now',
      },
    });
    expect((await drafting.generate(user, [url])).status).toBe(503);
  });

  const faults: [string, AiMood][] = [
    ['429 with a long Retry-After', { status: 429, headers: { 'Retry-After': '30' } }],
    ['500', { status: 500 }],
    ['cut JSON', 'cut JSON'],
    ['HTML with status 200', 'HTML'],
    ['a refused key', { status: 401 }],
    ['a refusal', { refusal: 'no' }],
  ];
  test.each(faults)('%s is 503, and uses no quota', async (_name, mood) => {
    drafting.useProvider(mood);
    const { status, headers, body } = await drafting.generate(user, [url]);
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'service_unavailable' });
    expect(headers.get('retry-after')).toBeTruthy();
    expect(await drafting.uses(user)).toBe(0);
  });
});

describe('pictures', () => {
  test.each(['page.jpg', 'none.jpg', 'away.jpg'])('%s is 400 with its place, and uses no quota', async (name) => {
    const { status, body } = await drafting.generate(user, [url, `${site.url}/${name}`]);
    expect(status).toBe(400);
    expect(body.error.details.errors[0].path).toBe('/body/images/1');
    expect(await drafting.uses(user)).toBe(0);
  });

  test('one of ours that does not exist is 400 at once', async () => {
    const missing = url.replace(/[0-9a-f]{64}/, 'a'.repeat(64));
    const { status, body } = await app.as(user).post(DRAFTS_PATH, { images: [missing] });
    expect([status, body.error.details.errors[0].path]).toEqual([400, '/body/images/0']);
    expect((await workers.take('draft-listing')).length).toBe(0);
  });
});

describe('the quota', () => {
  test('five an hour, also when ten are asked for at once', async () => {
    const headers = { Prefer: 'respond-async' };
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => app.as(user).post(DRAFTS_PATH, { images: [url] }, { headers })),
    );
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(5);
    const refused = replies.filter(({ status, headers: sent }) => status === 429 && sent.has('retry-after'));
    expect(refused).toHaveLength(5);
    await workers.work('draft-listing');
  });

  test('a draft that is lost gives it back when the next one is asked for', async () => {
    const headers = { Prefer: 'respond-async' };
    const { body } = await app.as(user).post(DRAFTS_PATH, { images: [url] }, { headers });
    await workers.take('draft-listing');
    await app.database.pool.query(`update ai_drafts set created_at = created_at - interval '6 minutes' where id = $1`, [
      body.job_id,
    ]);
    await app.database.pool.query(
      `update quota_uses set window_start = (select to_timestamp(floor(extract(epoch from created_at) / 3600) * 3600) from ai_drafts where id = $1)`,
      [body.job_id],
    );
    await app.as(user).post(DRAFTS_PATH, { images: [url] }, { headers });
    const { body: lost } = await app.as(user).get(`/api/me/ai-drafts/${body.job_id}`);
    expect(lost).toMatchObject({ status: 'failed', error: { code: 'service_unavailable' } });
    await workers.work('draft-listing');
  });

  test('a failure is given back once, however often it is noticed', async () => {
    drafting.useProvider({ status: 500 });
    await drafting.generate(user, [url]);
    drafting.useProvider({ json: draftAnswer });
    await drafting.generate(user, [url]);
    expect(await drafting.uses(user)).toBe(1);
  });
});
