import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createWorld, entitledCaller, readyRequest, type World } from '../support/openapi-cases-world.ts';
import { createSender, readCases, toWire, type Case, type Reply, type Send } from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';

/** Documented statuses that nothing here can bring about, as `operationId status`, and why. */
const unexercised: Record<string, string> = {
  'login 403': 'an account that is suspended, in test/api/admin/suspension.test.ts',
  'loginWithPasskey 403': 'an account that is suspended, in test/api/accounts/passkeys.test.ts',
  'verifyMagicLink 403': 'an account that is suspended, in test/api/admin/suspension.test.ts',
  'generateListingDraft 202': 'a header asks for it, in test/api/listings/ai-draft.test.ts',
  'scanDedup 202': 'a header asks for it, in test/api/admin/dedup-scan.test.ts',
  'scanAndMergeDedup 202': 'a header asks for it, in test/api/admin/dedup-scan.test.ts',
  'multiSearchListings 403': 'a parameter asks for it, in test/api/listings/multi-search.test.ts',
  'searchListings 403': 'a parameter asks for it, in test/api/listings/search-explain.test.ts',
};

const cases = readCases(readContract());
const pairs = cases.flatMap((each) => each.statuses.map((status) => [`${each.id} ${status}`, each, status] as const));

let app: TestApp;
let world: World;
let send: Send;
/** On the same database: a process whose budgets hold one request, and one that has lost its database. */
let exhausted: TestApp;
let cutOff: TestApp;
let sendToExhausted: Send;
let sendToCutOff: Send;
beforeAll(async () => {
  app = await startApp();
  const check = createResponseChecker(app.services.contract);
  world = await createWorld(app.services);
  exhausted = await startApp({ database: app.database, env: { RATE_LIMIT_MULTIPLIER: '0.000001' } });
  cutOff = await startApp({ database: app.database });
  await cutOff.services.pool.end();
  vi.spyOn(cutOff.services.pool, 'end').mockResolvedValue();
  [send, sendToExhausted, sendToCutOff] = [
    createSender(app.url, check),
    createSender(exhausted.url, check),
    createSender(cutOff.url, check),
  ];
});
afterAll(async () => {
  await Promise.all([exhausted.close(), cutOff.close()]);
  await app.close();
});

/** The owner has an authenticator app that was confirmed. */
async function confirmedTotp({ services: { pool }, owner }: World): Promise<void> {
  await pool.query(
    `insert into totp_secrets (user_id, nonce, sealed_secret, created_at, confirmed_at) values ($1, '', '', now(), now())`,
    [owner.id],
  );
}

type Driver = (each: Case) => Promise<Reply>;
const ready: Driver = async (each) => send(toWire(each, await readyRequest(world, each)));

const isListingNamed = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, 'listing_id');

/** How each status is brought about, in any operation that documents it. */
const drivers: Record<number, Driver> = {
  200: async (each) => {
    const wire = toWire(each, await readyRequest(world, each));
    // What is made the first time is there the second time.
    if (each.statuses.includes(201)) await send(wire);
    return send(wire);
  },
  201: ready,
  202: ready,
  304: async (each) => {
    const anonymous = { ...(await readyRequest(world, each)), token: undefined };
    let reply = await send(toWire(each, anonymous));
    // An answer that says when it was made is another one once it is not kept any more, as between slow requests.
    for (let more = 20; more > 0 && reply.status !== 304; more -= 1)
      reply = await send(toWire(each, { ...anonymous, headers: { 'If-None-Match': reply.headers.get('etag') ?? '' } }));
    return reply;
  },
  400: async (each) => {
    const wire = toWire(each, await readyRequest(world, each));
    return send({ ...wire, path: `${wire.path}?%ff` });
  },
  401: async (each) => {
    const parts = await readyRequest(world, each);
    if (each.id === 'login')
      return send(toWire(each, { ...parts, body: { ...(parts.body as object), password: 'not this one' } }));
    if (each.id === 'loginWithPasskey') return send(toWire(each, { ...parts, body: each.body?.examples[0] }));
    if (each.id === 'verifyMagicLink') return send(toWire(each, { ...parts, body: { token: 'not this one' } }));
    return send(toWire(each, { ...parts, token: world.tokens.badToken }));
  },
  403: async (each) => {
    // What a key may read is refused to those whose it is not.
    const token = each.operation.auth.keyScope === 'read' ? world.tokens.other : world.tokens.readKey;
    return send(toWire(each, { ...(await readyRequest(world, each)), token }));
  },
  404: async (each) => {
    const params = Object.fromEntries(
      each.parameters.filter(({ in: place }) => place === 'path').map(({ name }) => [name, 'none_such']),
    );
    const parts = await readyRequest(world, each);
    const nothing = { subject_type: 'listing', subject_id: 'none_such', reason: 'spam' };
    const named = isListingNamed(parts.body) ? { ...parts.body, listing_id: 'none_such' } : parts.body;
    const body = each.id === 'createReport' ? nothing : named;
    const query = parts.query.map(([name, value]): [string, string] => [name, name === 'id' ? 'none_such' : value]);
    return send(toWire(each, { ...parts, params, query, body }));
  },
  409: async (each) => {
    if (each.operation.idempotent) return sendWhileFirstRuns(each);
    const parts = await readyRequest(world, each);
    // Of the world's administrators there is one, who is the last.
    if (each.id === 'deleteMe') return send(toWire(each, { ...parts, token: world.tokens.admin }));
    if (each.id === 'startTotp') await confirmedTotp(world);
    const wire = toWire(each, parts);
    let reply = await send(wire);
    // The second of its kind, or the first beyond the number that there may be.
    for (let more = 50; more > 0 && reply.status !== 409; more -= 1) reply = await send(wire);
    return reply;
  },
  413: async (each) =>
    send(toWire(each, { ...(await readyRequest(world, each)), text: ' '.repeat(each.operation.bodyLimitBytes + 1) })),
  415: async (each) =>
    send(toWire(each, { ...(await readyRequest(world, each)), headers: { 'Content-Type': 'text/plain' }, text: '{}' })),
  422: async (each) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const other = cases.find(
      (candidate) =>
        candidate.id !== each.id &&
        candidate.operation.idempotent &&
        entitledCaller(candidate) === entitledCaller(each),
    );
    if (!other) throw new Error('there is no second replayable operation');
    const first = await send(toWire(other, { ...(await readyRequest(world, other)), headers }));
    expect(first.status).toBeLessThan(300);
    return send(toWire(each, { ...(await readyRequest(world, each)), headers }));
  },
  429: async (each) => {
    const spend = async () => sendToExhausted(toWire(each, await readyRequest(world, each)));
    await spend();
    const second = await spend();
    // The window, a minute of the clock, may end between two requests, but not again before the next.
    return second.status === 429 ? second : spend();
  },
  503: async (each) => sendToCutOff(toWire(each, await readyRequest(world, each))),
};

/** Sends a request twice with one Idempotency-Key: one waits for tables that are locked here until the other has its answer. */
async function sendWhileFirstRuns(each: Case): Promise<Reply> {
  const wire = toWire(each, { ...(await readyRequest(world, each)), headers: { 'Idempotency-Key': randomUUID() } });
  const { pool } = app.database;
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_name <> all($1)
       and (table_schema = 'public' or (table_schema = 'pgboss' and table_name in ('job', 'queue')))`,
    [['users', 'sessions', 'api_keys', 'idempotency_keys', 'rate_windows', 'events']],
  );
  const lock = await pool.connect();
  try {
    const locking = `begin; lock table ${rows.map(({ name }) => name).join(', ')} in access exclusive mode`;
    // What the processes do by themselves may take the same tables in another order: whoever is given up begins again.
    for (let isLocked = false; !isLocked;)
      isLocked = await lock.query(locking).then(
        () => true,
        async (error: { code?: string }) => {
          await lock.query('rollback');
          if (error.code !== '40P01') throw error;
          return false;
        },
      );
    // Whichever comes first waits for the tables.
    const both = [send(wire), send(wire)];
    const second = await Promise.race(both);
    await lock.query('commit');
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(Math.min(...statuses)).toBeLessThan(300);
    return second;
  } finally {
    await lock.query('rollback');
    lock.release();
  }
}

describe('every documented status of every operation is answered', () => {
  test.each(pairs.filter(([name]) => !(name in unexercised)))('%s', async (_name, each, status) => {
    const drive = drivers[status];
    if (!drive) throw new Error(`nothing here brings about ${status}: add a driver, or list the pair with a reason`);
    const reply = await drive(each);
    expect({ status: reply.status, text: reply.status === status ? '' : reply.text.slice(0, 500) }).toEqual({
      status,
      text: '',
    });
  });

  test('what is excused is documented', () => {
    const documented = new Set<string>(pairs.map(([name]) => name));
    expect(Object.keys(unexercised).filter((name) => !documented.has(name))).toEqual([]);
  });
});
