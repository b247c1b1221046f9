import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import {
  ApiError,
  createClient,
  paginate,
  unwrap,
  uploadFile,
  type components,
  type QuaysideClient,
} from '../../../api/sdk/src/index.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { newPhoto } from '../../support/pictures.ts';

let app: TestApp;
let seller: TestUser;
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser();
});
afterAll(() => app.close());

type Fetch = (request: Request) => Promise<Response>;
type Try = { key: string | null; method: string };
const quick = { minDelayMs: 1, maxDelayMs: 5_000 };

/** A client whose tries are noted; `before` may answer in place of the service, `after` in place of its answer. */
function clientOf(token: string | undefined, { before, after }: { before?: Meddle; after?: Meddle } = {}) {
  const tries: Try[] = [];
  const meddled: Fetch = async (request) => {
    tries.push({ key: request.headers.get('idempotency-key'), method: request.method });
    const instead = await before?.(tries.length);
    if (instead) return instead;
    const response = await fetch(request);
    return (await after?.(tries.length)) ?? response;
  };
  return { client: createClient({ baseUrl: app.url, token, fetch: meddled, retry: quick }), tries };
}
type Meddle = (attempt: number) => Response | undefined | Promise<Response | undefined>;
const loseFirst: Meddle = (attempt) => {
  if (attempt === 1) throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
  return undefined;
};
const busy = (headers: Record<string, string> = {}) => new Response('busy', { status: 503, headers });

const boat = (title: string): components['schemas']['CreateListingRequest'] => ({
  title,
  description: `${title}: a well kept cruising yacht with new sails and a serviced engine.`,
  category_id: 'sailboats',
  condition: 'good',
  type: 'sale',
  price: { amount: 10_000, currency: 'EUR', negotiable: true },
  location: { country: 'DE', city: 'Kiel', shipping: false },
  images: [],
  tags: [],
});
const publish = async (client: QuaysideClient, title: string) => {
  const { id } = await unwrap(client.POST('/api/listings', { body: boat(title) }));
  return unwrap(client.POST('/api/listings/{id}/publish', { params: { path: { id } } }));
};
const countListings = async () => {
  const { body } = await app.as(seller).get('/api/me/listings?limit=1');
  return body.pagination.total as number;
};

describe('a typed client', () => {
  test('uploads, creates, publishes and reads, with the types of the contract', async () => {
    const { client } = clientOf(seller.token);
    const image = await uploadFile(client, new Blob([new Uint8Array(await newPhoto())]), {
      name: 'a.jpg',
      alt: 'At sea',
    });
    const draft = await unwrap(
      client.POST('/api/listings', { body: { ...boat('A boat with a photo'), images: [image] } }),
    );
    expectTypeOf(draft.price.amount).toEqualTypeOf<number>();
    const { data, error, response } = await client.POST('/api/listings/{id}/publish', {
      params: { path: { id: draft.id } },
    });
    expect([error, response.status, data?.status, data?.images.length]).toEqual([undefined, 200, 'active', 1]);
    const page = await unwrap(
      client.GET('/api/listings', { params: { query: { category: ['sailboats'], limit: 5 } } }),
    );
    expect(page.results.map(({ id }) => id)).toContain(draft.id);
    const markdown = await unwrap(
      client.GET('/api/listings/{id}', {
        params: { path: { id: draft.id } },
        parseAs: 'text',
        headers: { Accept: 'text/markdown' },
      }),
    );
    expectTypeOf(markdown).toEqualTypeOf<string>();
    expect(markdown).toContain('A boat with a photo');
  });

  test('what the contract does not know is a fault of the types', () => {
    const { client } = clientOf(undefined);
    // Never called: tsc alone reads them.
    const wrong = () => [
      // @ts-expect-error there is no such path
      client.GET('/api/nothing'),
      // @ts-expect-error the path wants an id
      client.GET('/api/listings/{id}'),
      // @ts-expect-error a page is a number
      client.GET('/api/listings', { params: { query: { page: 'two' } } }),
      // @ts-expect-error a listing has a title
      client.POST('/api/listings', { body: { description: 'no title' } }),
      // @ts-expect-error this answers no list
      paginate(client, '/api/me'),
    ];
    expect(wrong).toBeTypeOf('function');
  });

  test('a refusal is an ApiError with code, details and request id, and unwrap throws it', async () => {
    const { client } = clientOf(seller.token);
    const { data, error } = await client.GET('/api/listings', { params: { query: { limit: 0 } } });
    expect(data).toBeUndefined();
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 400,
      code: 'validation_error',
      details: { errors: [{ path: '/query/limit' }] },
    });
    expect(error?.requestId).toBeTruthy();
    const missing = unwrap(client.GET('/api/listings/{id}', { params: { path: { id: 'no-such-boat' } } }));
    await expect(missing).rejects.toMatchObject({ name: 'ApiError', status: 404, code: 'not_found' });
  });

  test("an answer of something else on the way is an ApiError of the code 'unknown'", async () => {
    const { client } = clientOf(undefined, { before: () => new Response('<h1>Bad gateway</h1>', { status: 500 }) });
    const { error } = await client.GET('/api/categories');
    expect(error).toMatchObject({ status: 500, code: 'unknown', details: undefined });
  });
});

describe('repetitions', () => {
  test('a change whose answer was lost is sent again with the same key, and happens once', async () => {
    const before = await countListings();
    const { client, tries } = clientOf(seller.token, { after: loseFirst });
    const { status } = await unwrap(client.POST('/api/listings', { body: boat('A boat of a lost answer') }));
    expect(status).toBe('draft');
    expect(tries).toHaveLength(2);
    expect(tries[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(tries[1]?.key).toBe(tries[0]?.key);
    expect(await countListings()).toBe(before + 1);
  });

  test('each change has a key of its own, and the one that the caller gives stands above', async () => {
    const { client, tries } = clientOf(seller.token);
    await client.POST('/api/listings', { body: boat('The first boat of two') });
    await client.POST('/api/listings', { body: boat('The second boat of two') });
    expect(new Set(tries.map(({ key }) => key)).size).toBe(2);
    const header = { 'Idempotency-Key': 'mine-1' };
    await client.POST('/api/listings', { body: boat('A boat with my key'), params: { header } });
    await client.POST('/api/listings', { body: boat('Another with my key'), headers: { 'Idempotency-Key': 'mine-2' } });
    expect(tries.slice(2).map(({ key }) => key)).toEqual(['mine-1', 'mine-2']);
  });

  test('while the first try may still be under way, 409 is no answer', async () => {
    const conflict = () => Response.json({ error: { code: 'conflict', message: 'still under way' } }, { status: 409 });
    const { client, tries } = clientOf(seller.token, {
      after: loseFirst,
      before: (attempt) => (attempt === 2 ? conflict() : undefined),
    });
    const { data } = await client.POST('/api/listings', { body: boat('A boat in two minds') });
    expect([data?.status, tries.length]).toEqual(['draft', 3]);
    const honest = clientOf(seller.token, { before: conflict });
    const { error } = await honest.client.POST('/api/listings', { body: boat('A boat that is refused') });
    expect([error?.code, honest.tries.length]).toEqual(['conflict', 1]);
  });

  test('a change that takes no key is never sent twice', async () => {
    const lost = clientOf(seller.token, { before: loseFirst });
    const wanted = { body: { listing_id: 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2' } };
    await expect(lost.client.POST('/api/me/favorites', wanted)).rejects.toThrow('fetch failed');
    expect(lost.tries).toEqual([{ key: null, method: 'POST' }]);
    const refused = clientOf(seller.token, { before: () => busy({ 'Retry-After': '0' }) });
    const { error } = await refused.client.POST('/api/me/favorites', wanted);
    expect([error?.status, refused.tries.length]).toEqual([503, 1]);
  });

  test.each([429, 502, 503, 504])('a read is repeated after %i', async (status) => {
    const { client, tries } = clientOf(undefined, {
      before: (attempt) => (attempt < 3 ? new Response(null, { status, headers: { 'Retry-After': '0' } }) : undefined),
    });
    expect((await client.GET('/api/categories')).response.status).toBe(200);
    expect(tries).toHaveLength(3);
  });

  test('gives up after so many tries, and answers the last refusal', async () => {
    const { client, tries } = clientOf(undefined, { before: () => busy() });
    const { error } = await client.GET('/api/categories');
    expect([error?.status, tries.length]).toEqual([503, 4]);
  });

  test('who is asked to wait longer than a minute is told so at once', async () => {
    const { client, tries } = clientOf(undefined, { before: () => busy({ 'Retry-After': '3600' }) });
    const { error } = await client.GET('/api/categories');
    expect([error?.retryAfter, tries.length]).toEqual([3600, 1]);
    const date = new Date(Date.now() + 7_200_000).toUTCString();
    const dated = clientOf(undefined, { before: () => busy({ 'Retry-After': date }) });
    expect((await dated.client.GET('/api/categories')).error?.retryAfter).toBeGreaterThan(7_000);
  });

  test('retry: false sends everything once', async () => {
    let tries = 0;
    const client = createClient({
      baseUrl: app.url,
      retry: false,
      fetch: () => {
        tries += 1;
        return Promise.resolve(busy());
      },
    });
    expect((await client.GET('/api/categories')).error?.status).toBe(503);
    expect(tries).toBe(1);
  });

  test('an abort ends the waiting', async () => {
    const controller = new AbortController();
    const { client, tries } = clientOf(undefined, {
      before: () => {
        controller.abort(new Error('enough'));
        return busy({ 'Retry-After': '5' });
      },
    });
    await expect(client.GET('/api/categories', { signal: controller.signal })).rejects.toThrow('enough');
    expect(tries).toHaveLength(1);
  });
});

describe('pages', () => {
  test('of a search come by cursor, each listing once', async () => {
    const { client, tries } = clientOf(seller.token);
    const written: string[] = [];
    for (let n = 0; n < 5; n += 1) written.push((await publish(client, `Zephyrina number ${n}`)).id);
    tries.length = 0;
    const seen: string[] = [];
    for await (const item of paginate(client, '/api/listings', { params: { query: { q: 'zephyrina', limit: 2 } } })) {
      expectTypeOf(item).toEqualTypeOf<components['schemas']['ListingItem']>();
      seen.push(item.id);
    }
    expect(seen.toSorted()).toEqual(written.toSorted());
    expect(tries).toHaveLength(3);
  });

  test('of other lists by number, and of the feed by bookmark, no more of them than are asked for', async () => {
    const { client, tries } = clientOf(seller.token);
    const total = await countListings();
    const own = await Array.fromAsync(paginate(client, '/api/me/listings', { params: { query: { limit: 4 } } }));
    expect(new Set(own.map(({ id }) => id)).size).toBe(total);
    const events = await Array.fromAsync(paginate(client, '/api/events', { params: { query: { limit: 3 } } }));
    const { body } = await app.as(seller).get('/api/events?limit=1000');
    expect(events.map(({ seq }) => seq)).toEqual(body.results.map(({ seq }: { seq: number }) => seq));
    tries.length = 0;
    for await (const _ of paginate(client, '/api/me/listings', { params: { query: { limit: 1 } } })) break;
    expect(tries).toHaveLength(1);
  });

  test('an empty list ends at once, and a refused page throws', async () => {
    const { client } = clientOf(seller.token);
    expect(
      await Array.fromAsync(paginate(client, '/api/listings', { params: { query: { q: 'xyzzyplugh' } } })),
    ).toEqual([]);
    const refused = Array.fromAsync(paginate(clientOf(undefined).client, '/api/me/listings'));
    await expect(refused).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
