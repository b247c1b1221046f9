import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { replaceAt, serverFields, sitesOf, withKey } from '../support/arbitrary-mutation.ts';
import { hintsOf } from '../support/openapi-cases-hints.ts';
import { createWorld, readyRequest, rowsOf, type World } from '../support/openapi-cases-world.ts';
import { createSender, readCases, schemaContext, toWire, type Case, type Send } from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';

const contract = readContract();
const cases = readCases(contract);
const byId = (each: Case) => [each.id, each] as const;

let app: TestApp;
let world: World;
let send: Send;
beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app.services);
  send = createSender(app.url, createResponseChecker(app.services.contract));
});
afterAll(async () => {
  await app.close();
});

describe('fields that the service alone writes', () => {
  const strict = cases.filter(({ body, operation }) => body && !operation.lenientBody && !operation.rawBody);
  const isClosed = (schema: { additionalProperties?: unknown } | undefined) => schema?.additionalProperties === false;

  test.each(strict.map(byId))('%s: 400 for each of them, in every object of the body', async (_id, each) => {
    const context = schemaContext(contract, hintsOf(world));
    const ready = await readyRequest(world, each);
    const before = await rowsOf(world, world.owner);
    for (const body of [ready.body ?? {}, ...(each.body?.examples ?? [])]) {
      const objects = sitesOf(body, each.body?.schema, context).filter(({ schema }) => isClosed(schema));
      expect(objects.length).toBeGreaterThan(0);
      for (const { path, value, schema } of objects) {
        for (const [field, planted] of Object.entries(serverFields)) {
          if (schema?.properties && Object.hasOwn(schema.properties, field)) continue;
          const { status, json } = await send(
            toWire(each, { ...ready, body: replaceAt(body, path, withKey(value as object, field, planted)) }),
          );
          expect({ status, error: json?.error }).toMatchObject({ status: 400, error: { code: 'validation_error' } });
        }
      }
    }
    expect(await rowsOf(world, world.owner)).toEqual(before);
  });

  const serverColumns = [
    'status',
    'seller_id',
    'premium_type',
    'premium_until',
    'published_at',
    'sold_at',
    'deleted_at',
    'merged_into',
    'version',
  ] as const;
  async function rowOf(id: string) {
    const row = await app.services.db
      .selectFrom('listings')
      .select([...serverColumns, 'slug', 'created_at', 'expires_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const views = await app.services.db
      .selectFrom('listing_views')
      .select('views')
      .where('listing_id', '=', id)
      .executeTakeFirst();
    return { ...row, views: views?.views ?? 0 };
  }
  const untouched = () => ({
    status: 'draft',
    seller_id: world.owner.id,
    premium_type: null,
    premium_until: null,
    published_at: null,
    sold_at: null,
    deleted_at: null,
    merged_into: null,
    version: 1,
    views: 0,
    slug: expect.not.stringMatching(/^mine$/),
    created_at: expect.toSatisfy((date: Date) => date.getTime() > Date.now() - 600_000),
    expires_at: expect.toSatisfy((date: Date) => date.getTime() < Date.now() + 31 * 86_400_000),
  });

  test('free attributes of a listing carry them as mere data', async () => {
    const each = cases.find(({ id }) => id === 'createListing');
    const ready = each && (await readyRequest(world, each));
    const { seller: _, premium: __, ...flat } = serverFields;
    const attributes = { ...flat, brand: 'Bavaria' };
    const created = await app.as(world.owner.token).post('/api/listings', { ...(ready?.body as object), attributes });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ status: 'draft', views: 0, seller: { id: world.owner.id }, attributes: flat });
    expect(await rowOf(created.body.id)).toEqual(untouched());
  });

  test('an ingested record carries none of them into its listing', async () => {
    const url = 'https://boats.example.com/planted';
    const planted = {
      records: [
        {
          ...serverFields,
          url,
          title: 'A sound dinghy with oars',
          description: 'She rows like a dream and leaks a little.',
          category_id: 'sailboats',
          price: { amount: 100, currency: 'EUR', ...serverFields },
          location: { country: 'DE', city: 'Kappeln', ...serverFields },
          raw_record: serverFields,
        },
      ],
    };
    const { status, body } = await app.as(world.owner.token).post('/api/ingest', planted);
    expect([status, body.created, body.failed]).toEqual([200, 1, []]);
    expect(body.ids[url]).not.toBe(serverFields['id']);
    expect(await rowOf(body.ids[url])).toEqual(untouched());
  });
});
