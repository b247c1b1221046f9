import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createWorld, readyRequest, type World } from '../support/openapi-cases-world.ts';
import { createSender, readCases, toWire, type Send } from '../support/openapi-cases.ts';
import { startReplication, type Replication } from '../support/replication.ts';
import { createResponseChecker } from '../support/response-check.ts';
import { eventually } from '../support/waiting.ts';

const opens = readCases(readContract()).filter(({ operation }) => operation.isOpenRead);

let replication: Replication;
let app: TestApp;
let world: World;
let send: Send;
beforeAll(async () => {
  replication = await startReplication(1);
  app = await startApp({
    database: replication.database,
    env: { DATABASE_REPLICA_URLS: replication.standbys.map(({ url }) => url).join(',') },
  });
  world = await createWorld(app.services);
  send = createSender(app.url, createResponseChecker(app.services.contract));
  await eventually(() => app.services.reads.report().every(({ state }) => state === 'serving'));
});
afterAll(async () => {
  await app.close();
  await replication.stop();
});

const countsNow = () => {
  const { reads, repeated } = app.services.reads.counts();
  return { standby: reads.get('standby-1') ?? 0, primary: reads.get('primary') ?? 0, repeated };
};

test('what anybody may read is known by its budget and security: at least the searches, listings, categories, rentals, reviews and prices', () => {
  expect(opens.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      ...[
        'searchListings',
        'searchListingsMarkdown',
        'multiSearchListings',
        'suggest',
        'getListing',
        'getListingClusters',
      ],
      ...[
        'listCategories',
        'listRentals',
        'getRental',
        'listListingReviews',
        'getUser',
        'recommendPrice',
        'getSitemap',
      ],
    ]),
  );
  expect(opens.filter(({ operation: { method, id } }) => method !== 'get' && id !== 'multiSearchListings')).toEqual([]);
});

describe.each(opens.map((each) => [each.id, each] as const))('%s', (_id, each) => {
  test('is answered by a standby without a credential, and not repeated', async () => {
    const parts = { ...(await readyRequest(world, each)), token: undefined };
    await app.services.reads.noteCommit();
    await replication.caughtUp();
    app.services.cache.clear();
    const before = countsNow();
    const reply = await send(toWire(each, parts));
    expect([200, 302]).toContain(reply.status);
    const after = countsNow();
    expect(after.repeated).toBe(before.repeated);
    expect(after.standby).toBeGreaterThan(before.standby);
    expect(after.primary).toBe(before.primary);
  });

  test('is answered by the primary with one', async () => {
    const parts = { ...(await readyRequest(world, each)), token: world.tokens.owner };
    const before = countsNow();
    const reply = await send(toWire(each, parts));
    expect([200, 302]).toContain(reply.status);
    expect(reply.headers.get('quayside-position')).toBeNull();
    expect(countsNow().standby).toBe(before.standby);
  });
});
