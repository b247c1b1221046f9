import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, expectTypeOf, test, vi } from 'vitest';
import { readContract, type OperationId } from '../../api/http/contract.ts';
import type { components } from '../../api/openapi.gen.ts';
import { inTransaction } from '../../db/client.ts';
import { publicEvents, type PublicEvent } from '../../shared/journal/public-events.ts';
import { newId } from '../../shared/kit/ids.ts';
import { endRun, openRun } from '../../shared/runs/runs.ts';
import type { RunKind } from '../../shared/runs/kinds.ts';
import { createPing } from '../../shared/webhooks/deliveries.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createListing } from '../support/openapi-cases-things.ts';
import { reportUntilHidden } from '../support/reporters.ts';
import { createWorld, entitledCaller, readyRequest, type World } from '../support/openapi-cases-world.ts';
import { createSender, readCases, toWire } from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';
import { startWorkers } from '../support/workers.ts';

type WebhookOperation = { post: { operationId: string; requestBody: { content: Record<string, { schema: object }> } } };

const contract = readContract();
const webhooks = contract.document['webhooks'] as Record<string, WebhookOperation>;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...contract.document, $id: 'contract' });

/** What is wrong with a body posted to webhooks, by the contract; undefined when nothing is. */
function faultsOf(type: string, payload: unknown): string | undefined {
  const validate = ajv.compile({
    $ref: `contract#/webhooks/${type}/post/requestBody/content/application~1json/schema`,
  });
  return validate(payload) ? undefined : ajv.errorsText(validate.errors);
}

let app: TestApp;
let world: World;
beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app.services);
});
afterAll(() => app.close());

/** Sends a request that the operation answers well. */
async function call(id: OperationId): Promise<void> {
  const each = readCases(contract).find((known) => known.id === id)!;
  const send = createSender(app.url, createResponseChecker(contract));
  const { status } = await send(toWire(each, await readyRequest(world, each)));
  expect(status, `${id} as ${entitledCaller(each)}`).toBeLessThan(300);
}

/** Opens a run of that kind and ends it. */
async function run(kind: RunKind, status: 'succeeded' | 'failed' | 'cancelled', error?: string): Promise<void> {
  const now = app.services.clock.now();
  await inTransaction(app.services.db, async (tx) => {
    const subject = newId('scraper');
    const id = await openRun(tx, { kind, subject, trigger: 'manual', startedBy: null, counters: { pages: 2 } }, now);
    await endRun(tx, id, { status, ...(error && { error }) }, now);
  });
}

/** Lets a saved search of somebody find a listing that somebody else publishes. */
async function match(): Promise<void> {
  const workers = await startWorkers(app);
  const saved = { name: 'Boats', query_params: { category: 'sailboats' }, notify: 'instant' };
  expect((await app.as(world.other.token).post('/api/me/saved-searches', saved)).status).toBe(201);
  const { id } = await createListing(app.services, world.owner, 'draft');
  expect((await app.as(world.owner.token).post(`/api/listings/${id}/publish`)).status).toBe(200);
  await workers.readJournal();
  await workers.work('match-saved-searches');
  await workers.close();
}

test('the contract has a webhook for every event that leaves the service, and for the ping', () => {
  expect(Object.keys(webhooks).toSorted()).toEqual([...publicEvents, 'ping'].toSorted());
});

test('a run tells its kind as the service knows it', () => {
  expectTypeOf<components['schemas']['RunEventData']['kind']>().toEqualTypeOf<RunKind>();
});

test('the operations of webhooks are named on…, which no operation of the service is', () => {
  const named = Object.values(webhooks).map(({ post }) => post.operationId);
  const own = contract.operations.map(({ id }) => String(id));
  expect([...named.filter((id) => !/^on[A-Z]/.test(id)), ...own.filter((id) => /^on[A-Z]/.test(id))]).toEqual([]);
});

test('what is posted to webhooks and told in the feed is as the contract has it, for every type of event', async () => {
  const changes: OperationId[] = ['createListing', 'updateListing', 'publishListing', 'markListingSold'];
  const others: OperationId[] = ['deleteListing', 'sendMessage', 'createReview', 'completeStubCheckout'];
  for (const id of [...changes, ...others]) await call(id);
  await reportUntilHidden(app, (await createListing(app.services, world.owner, 'active')).id);
  const { id: old } = await createListing(app.services, world.owner, 'active');
  await app.database.pool.query(`update listings set expires_at = now() - interval '1 day' where id = $1`, [old]);
  await call('expireListings');
  await match();
  await run('scraper', 'succeeded');
  await run('backup', 'failed', 'the disk is full');
  await run('dedup', 'cancelled');

  const { rows } = await app.database.pool.query<{ type: PublicEvent; data: object; created_at: Date }>(
    'select type, data, created_at from events where type = any($1)',
    [publicEvents],
  );
  expect(publicEvents.filter((type) => !rows.some((row) => row.type === type))).toEqual([]);
  const posted = rows.map(({ type, data, created_at }) => {
    return { id: newId('webhook_delivery'), type, created_at: created_at.toISOString(), data };
  });
  const { payload: ping } = createPing(app.services.clock.now());
  expect([...posted, ping].flatMap((each) => faultsOf(each.type, each) ?? [])).toEqual([]);
  await vi.waitFor(
    async () => {
      // The client of the tests holds every answer against the contract.
      const { body } = await app.as(world.admin.token).get('/api/events?limit=1000');
      expect(body.results).toHaveLength(rows.length);
    },
    { timeout: 15_000 },
  );
});

test('a body that is not as the contract has it is told apart', () => {
  const { payload } = createPing(app.services.clock.now());
  expect(faultsOf('ping', { ...payload, data: { title: 'Kestrel' } })).toMatch(/must NOT have/);
  expect(faultsOf('listing.sold', payload)).toMatch(/must be equal to constant/);
});
