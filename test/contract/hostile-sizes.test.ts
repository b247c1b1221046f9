import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  heavyBatches,
  hostileBodies,
  hostileForms,
  hostileHeaders,
  hostileQueries,
  type Hostile,
} from '../support/hostile-sizes.ts';
import { sample, sampleKinds, times } from '../support/lane.ts';
import { measureCpuSlowness } from '../support/machine.ts';
import { hintsOf } from '../support/openapi-cases-hints.ts';
import { inspectReply } from '../support/openapi-cases-inspect.ts';
import { createWorld, readyRequest, type World } from '../support/openapi-cases-world.ts';
import {
  createSender,
  readCases,
  readErrorCodes,
  schemaContext,
  toWire,
  type Case,
  type Send,
} from '../support/openapi-cases.ts';
import { startProbedApi, type ProbedApi } from '../support/probed-api.ts';
import { createResponseChecker } from '../support/response-check.ts';

const MAX_TURN_MS = 100;
const TRIES = 3;
/** Whether a turn took longer than it may on a quiet machine: one that is shared needs more of the processor for the same work. */
const isTooLong = (ms: number) => ms > MAX_TURN_MS && ms > MAX_TURN_MS * measureCpuSlowness();

const contract = readContract();
const cases = readCases(contract);
const codes = readErrorCodes(contract);

let app: TestApp;
let world: World;
let api: ProbedApi;
let send: Send;
const ends: (() => void)[] = [];
beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app.services);
  api = await startProbedApi(app, {}, (end) => ends.push(end));
  send = createSender(api.url, createResponseChecker(app.services.contract));
});
afterAll(async () => {
  for (const end of ends) end();
  await app.close();
});

/** Sends it, again when the loop was held: only what holds it each time is the request's doing. */
async function turnOf(each: Case, hostile: Hostile): Promise<number> {
  const change = hostile.change();
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= TRIES && least > MAX_TURN_MS; attempt += 1) {
    const { body, form, ...ready } = await readyRequest(world, each);
    await api.longestTurnMs();
    const reply = await send(toWire(each, { ...ready, ...(change.text === undefined && { body, form }), ...change }));
    inspectReply(reply, each, codes);
    least = Math.min(least, await api.longestTurnMs());
  }
  return least;
}

async function heldBy(each: Case, all: Iterable<Hostile>): Promise<string[]> {
  const held: string[] = [];
  for (const hostile of all) {
    const ms = await turnOf(each, hostile);
    if (isTooLong(ms)) held.push(`${hostile.label}: ${Math.round(ms)} ms`);
  }
  return held;
}

describe('no request holds the event loop of an API process longer than 100 ms', () => {
  test.each(cases.filter(({ body }) => body).map((each) => [each.id, each] as const))(
    '%s: bodies',
    async (_id, each) => {
      const { body } = await readyRequest(world, each);
      const turn = cases.indexOf(each);
      const bodies = hostileBodies(each, turn, body, schemaContext(contract, hintsOf(world)));
      const some = sampleKinds(bodies, ({ kind }) => kind, turn);
      // What reads its body with a parser of its own meets each kind.
      expect(await heldBy(each, each.operation.lenientBody ? some : sample(some, 4, turn))).toEqual([]);
    },
  );
  const uploads = cases.filter(({ form }) => form);
  test.each(uploads.map((each) => [each.id, each] as const))('%s: forms', async (_id, each) => {
    expect(await heldBy(each, sample(hostileForms(each), 3, uploads.indexOf(each)))).toEqual([]);
  });
  test.each(cases.map((each) => [each.id, each] as const))('%s: queries', async (_id, each) => {
    const turn = cases.indexOf(each);
    expect(await heldBy(each, sample(hostileQueries(each, turn), 1, turn))).toEqual([]);
  });
  const oneOfEachTag = [...Map.groupBy(cases, ({ operation }) => operation.tag).values()].map(([first]) => first!);
  test.each(oneOfEachTag.map((each) => [each.id, each] as const))('%s: headers', async (_id, each) => {
    expect(await heldBy(each, sample(hostileHeaders(), 4, oneOfEachTag.indexOf(each)))).toEqual([]);
  });
  test.each(sampleKinds(heavyBatches(), ({ kind }) => kind).map((each) => [each.label, each.records] as const))(
    'ingestRecords: %s, taken in, again with other prices and again as they are, then mapped anew and published',
    async (_label, records) => {
      const { id: _, token } = await app.createUser();
      const call = async (operation: string, body: unknown) => {
        await api.longestTurnMs();
        const reply = await send({
          method: 'POST',
          path: `/api/ingest${operation}`,
          headers: {
            Authorization: `Bearer ${token}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': randomUUID(),
          },
          body: JSON.stringify(body),
        });
        const ms = await api.longestTurnMs();
        expect(reply.status, reply.text.slice(0, 1_000)).toBe(200);
        return ms;
      };
      const batch = (amount: number) => ({
        records: records.map((record) => ({
          ...record,
          url: `${record.url}?of=${token.slice(-20)}`,
          price: { amount, currency: 'EUR' },
          ...(amount > 1 &&
            record.long_description !== undefined && { long_description: `${record.long_description}!` }),
        })),
      });
      const held = [];
      for (const amount of [1, 2, 2]) held.push(await call('', batch(amount)));
      held.push(await call('/reimport', {}), await call('/publish-bulk', {}));
      expect(held.filter(isTooLong)).toEqual([]);
    },
  );
  const atOnce = times(10, 30);
  test(`${atOnce} bodies of ten megabytes at once: keys without end, and texts that are taken in`, async () => {
    const bodies = [
      JSON.stringify({ records: [{ url: 'https://a.example/1', raw_record: manyKeys(700_000) }] }),
      JSON.stringify({ records: [{ url: 'https://a.example/2', raw_record: { html: 'Bücher '.repeat(1_200_000) } }] }),
    ];
    await api.longestTurnMs();
    const replies = await Promise.all(
      Array.from({ length: atOnce }, (_, index) =>
        fetch(`${api.url}/api/ingest`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${world.tokens.owner}`, 'Content-Type': 'application/json' },
          body: bodies[index % 2]!,
        }),
      ),
    );
    expect([await api.longestTurnMs()].filter(isTooLong)).toEqual([]);
    expect(replies.map(({ status }) => status)).toEqual(replies.map((_, index) => (index % 2 === 0 ? 400 : 200)));
  });
});

const manyKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
