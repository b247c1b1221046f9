import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../shared/kit/clock.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';

const NOW = Date.parse('2026-03-10T10:00:00.000Z');
let now = NOW;
let app: TestApp;
let owner: TestUser;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => new Date(now) } });
  owner = await app.createUser();
});
afterAll(() => app.close());

const create = async (fields: Record<string, unknown>) =>
  app.as(owner).post('/api/api-keys', { name: 'agent', ...fields });
const keyWith = async (fields: Record<string, unknown>): Promise<string> => (await create(fields)).body.key;
const draft = async (): Promise<string> => (await app.as(owner).post('/api/listings', listingBody())).body.id;

describe('scopes', () => {
  test('a key answers its scopes in their order, with `read` among them and the smallest permission that includes them', async () => {
    const { body } = await create({ scopes: ['publish', 'listings:write'] });
    expect(body).toMatchObject({ permissions: 'write', scopes: ['read', 'listings:write', 'publish'] });
    const { keys } = (await app.as(owner).get('/api/api-keys')).body;
    expect(keys[0]).toMatchObject({ scopes: body.scopes, expires_at: null, limits: { publications_per_day: null } });
  });

  test('a key that names no scopes has all those of its permission, as before', async () => {
    expect((await create({})).body.scopes).toEqual(['read', 'listings:write', 'messages', 'publish']);
    expect((await create({ permissions: 'read' })).body.scopes).toEqual(['read']);
  });

  test('403 that names the scope for what the key may not do, and nothing is changed', async () => {
    const key = await keyWith({ scopes: ['messages'] });
    const refused = await app.as(key).post('/api/listings', listingBody());
    expect(refused.status).toBe(403);
    expect(refused.body.error.message).toContain('listings:write');
    expect((await app.as(key).get('/api/me')).status).toBe(200);
  });

  test('a key that may write drafts can pause and sell, but neither publish nor resume', async () => {
    const key = await keyWith({ scopes: ['listings:write'] });
    const { body, status } = await app.as(key).post('/api/listings', listingBody());
    expect(status).toBe(201);
    expect((await app.as(key).post(`/api/listings/${body.id}/publish`)).status).toBe(403);
    expect((await app.as(owner).post(`/api/listings/${body.id}/publish`)).status).toBe(200);
    const move = (to: string) => app.as(key).patch(`/api/listings/${body.id}`, { status: to });
    expect((await move('paused')).status).toBe(200);
    expect((await move('active')).status).toBe(403);
    expect((await move('sold')).status).toBe(200);
  });

  test('400 for scopes that the permission contradicts, 403 for the scope admin of somebody who is no admin', async () => {
    const contradictory = await create({ permissions: 'read', scopes: ['publish'] });
    expect(contradictory.status).toBe(400);
    expect(contradictory.body.error.details.errors[0].path).toBe('/body/permissions');
    expect((await create({ scopes: ['admin'] })).status).toBe(403);
    expect((await create({ scopes: ['everything'] })).status).toBe(400);
    const moderator = app.as(await app.createUser({ role: 'moderator' }));
    expect((await moderator.post('/api/api-keys', { name: 'mine', permissions: 'admin' })).status).toBe(403);
  });
});

describe('expires_at', () => {
  test('the key opens nothing from that moment on, and makes room for another', async () => {
    const key = await keyWith({ expires_at: new Date(now + DAY_MS).toISOString() });
    expect((await app.as(key).get('/api/me')).status).toBe(200);
    now += DAY_MS;
    expect((await app.as(key).get('/api/me')).status).toBe(401);
    now = NOW;
  });

  test.each([
    ['past', -1],
    ['more than ten years ahead', 3_700 * DAY_MS],
  ])('400 for an end that is %s', async (_what, offset) => {
    const { status, body } = await create({ expires_at: new Date(now + offset).toISOString() });
    expect(status).toBe(400);
    expect(body.error.details.errors[0].path).toBe('/body/expires_at');
  });
});

describe('limits.publications_per_day', () => {
  test('429 with Retry-After for what would publish beyond it, until the next day; other keys are not held to it', async () => {
    const key = await keyWith({ limits: { publications_per_day: 2 } });
    const [first, second, third] = [await draft(), await draft(), await draft()];
    const publish = (id: string, by = key) => app.as(by).post(`/api/listings/${id}/publish`);
    expect((await publish(first)).status).toBe(200);
    expect((await publish(second)).status).toBe(200);
    const refused = await publish(third);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe(String(14 * 3_600));
    expect((await app.as(owner).get(`/api/listings/${third}`)).body.status).toBe('draft');
    expect((await app.as(key).post(`/api/listings/${first}/renew`)).status).toBe(429);
    now += DAY_MS;
    expect((await publish(third)).status).toBe(200);
    now = NOW;
  });

  test('of parallel publications exactly the limit succeed, on two processes; a bulk beyond it publishes nothing', async () => {
    const key = await keyWith({ limits: { publications_per_day: 3 } });
    const twin = await app.twin();
    const ids = await Promise.all(Array.from({ length: 6 }, draft));
    const statuses = await Promise.all(
      ids.map(async (id, i) => (await (i % 2 ? app : twin).as(key).post(`/api/listings/${id}/publish`)).status),
    );
    await twin.close();
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 429, 429, 429]);
    const other = await keyWith({ limits: { publications_per_day: 1 } });
    expect((await app.as(other).post('/api/ingest/publish-bulk', { ids })).status).toBe(429);
  });
});
