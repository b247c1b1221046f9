import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createKey, createPerson } from '../support/openapi-cases-things.ts';
import { createWorld, readyRequest, type World } from '../support/openapi-cases-world.ts';
import { createSender, readCases, toWire, type Case, type Send } from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';

const prefix = '/market';
const cases = readCases(readContract());
const byId = (each: Case) => [each.id, each] as const;

let app: TestApp;
let world: World;
let send: Send;
beforeAll(async () => {
  app = await startApp({ env: { PROXY_BASE_URL: `https://proxy.example.com${prefix}` } });
  world = await createWorld(app.services);
  send = createSender(app.url, createResponseChecker(app.services.contract));
});
afterAll(async () => {
  await app.close();
});

describe('administration', () => {
  const admin = cases.filter(({ operation }) => operation.leastRole);
  const variants: [string, (path: string) => string][] = [
    ['as it is', (path) => path],
    ['with a slash at its end', (path) => `${path}/`],
    ['with two slashes at its start', (path) => `/${path}`],
    ['with a double slash inside', (path) => path.replace('/', '//')],
    ['in capitals', (path) => path.toUpperCase()],
    ['with one capital', (path) => path.replace('/a', '/A')],
    ['as Markdown', (path) => `${path}.md`],
    ['as JSON', (path) => `${path}.json`],
    ['with an encoded letter', (path) => path.replace('a', '%61')],
    ['with an encoded slash', (path) => path.replace(/\/([^/]*)$/, '%2f$1')],
    ['with a zero byte', (path) => `${path}%00`],
    ['with a parameter of the path', (path) => `${path};x=1`],
    ['with dots', (path) => path.replace(/^\/(\w+)/, '/$1/../$1/.')],
    ['behind the proxy', (path) => prefix + path],
    ['twice behind the proxy', (path) => prefix + prefix + path],
    ['as an absolute address', (path) => `http://127.0.0.1${path}`],
  ];
  const intruders = ['anonymous', 'owner', 'writeKey', 'adminKey'] as const;

  test.each(admin.map(byId))('%s opens to no user and no key, however its address is written', async (_id, each) => {
    const ready = await readyRequest(world, each);
    const wire = toWire(each, ready);
    // One operation is made for the keys of admins.
    const opens = each.operation.auth.keyScope === 'admin';
    for (const intruder of intruders.filter((name) => !opens || name !== 'adminKey')) {
      for (const [, rewrite] of variants) {
        const { Authorization: _mine, ...headers } = wire.headers;
        const token = world.tokens[intruder];
        const { status } = await send({
          ...wire,
          path: rewrite(wire.path),
          headers: { ...headers, ...(token && { Authorization: `Bearer ${token}` }) },
        });
        expect([400, 401, 403, 404, 405]).toContain(status);
      }
    }
    expect((await send({ ...wire, path: prefix + wire.path })).status).toBeLessThan(300);
  });

  test.each(admin.map(byId))(
    '%s is not reached by another method, or by headers that rewrite requests',
    async (_id, each) => {
      const ready = { ...(await readyRequest(world, each)), token: world.tokens.owner };
      const wire = toWire(each, ready);
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
        expect([401, 403, 404, 405]).toContain((await send({ ...wire, method })).status);
      }
      const harmless = { method: 'GET', path: '/api/me', headers: { Authorization: `Bearer ${world.tokens.owner}` } };
      const own = (await send(harmless)).text;
      for (const name of ['X-Original-URL', 'X-Rewrite-URL', 'X-Forwarded-Prefix', 'X-Forwarded-Path']) {
        expect((await send({ ...harmless, headers: { ...harmless.headers, [name]: wire.path } })).text).toBe(own);
      }
      const overridden = {
        ...harmless.headers,
        'X-HTTP-Method-Override': wire.method,
        'X-Method-Override': wire.method,
      };
      expect((await send({ ...harmless, headers: overridden })).text).toBe(own);
    },
  );

  test('a moderator may do what names that role and nothing else of it, by session; by key what an administrator may by key', async () => {
    const moderator = await createPerson(world.services, 'moderator');
    const key = (await createKey(world.services, moderator, 'admin')).key;
    expect(admin.filter(({ operation }) => operation.leastRole === 'moderator').map(({ id }) => id)).toContain(
      'approveListing',
    );
    for (const each of admin) {
      const ready = await readyRequest(world, each);
      const { status } = await send(toWire(each, { ...ready, token: moderator.token }));
      const isOpen = each.operation.leastRole === 'moderator';
      expect([each.id, status < 300 ? 'open' : status]).toEqual([each.id, isOpen ? 'open' : 403]);
      expect([each.id, (await send(toWire(each, { ...ready, token: key }))).status]).toEqual([each.id, 403]);
    }
  });

  test('METRICS_TOKEN opens /metrics and nothing else', async () => {
    const metricsToken = 'for-the-metrics-alone';
    const twin = await startApp({ database: app.database, env: { METRICS_TOKEN: metricsToken } });
    const statuses = await Promise.all(
      ['/metrics', '/api/admin/stats', '/api/me', '/api/categories'].map(
        async (path) => (await twin.as(metricsToken).get(path)).status,
      ),
    );
    expect(statuses).toEqual([200, 401, 401, 401]);
    await twin.close();
  });
});
