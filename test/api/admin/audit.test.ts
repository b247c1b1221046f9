import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../../api/http/contract.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { withoutSecrets } from '../../../shared/kit/without-secrets.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { offer } from '../../support/dedup-groups.ts';
import { createWorld, readyRequest, type World } from '../../support/openapi-cases-world.ts';
import { createSender, readCases, toWire } from '../../support/openapi-cases.ts';
import { createResponseChecker } from '../../support/response-check.ts';

let app: TestApp;
let world: World;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app.services);
  admin = { ...world.admin, role: 'admin' };
});
afterAll(() => app.close());

type Entry = { id: string; actor: string; action: string; subject: string | null; data: Record<string, unknown> };

const entries = async (query = '', who: TestUser = admin): Promise<Entry[]> =>
  (await app.as(who).get(`/api/admin/audit?limit=100&${query}`)).body.results;
const newest = async (): Promise<Entry | undefined> => (await entries())[0];
const count = async () =>
  (await app.database.pool.query<{ n: number }>('select count(*)::int as n from audit_entries')).rows[0]!.n;

describe('every operation of the contract that needs a role and changes something', () => {
  const acts = readCases(readContract()).filter(
    ({ operation: { leastRole, method } }) => leastRole && method !== 'get',
  );
  const byId = (each: (typeof acts)[number]) => [each.id, each] as const;

  test.each(acts.map(byId))('%s leaves one entry when it succeeds, and none when it is refused', async (id, each) => {
    const send = createSender(app.url, createResponseChecker(app.services.contract));
    const ready = await readyRequest(world, each);
    const before = await count();
    const refused = await send(toWire(each, { ...ready, token: world.tokens.owner }));
    expect([refused.status, await count()]).toEqual([403, before]);
    const done = await send(toWire(each, ready));
    expect(done.status, done.text).toBeLessThan(300);
    expect(await count()).toBe(before + 1);
    const entry = await newest();
    expect(entry).toMatchObject({ actor: world.admin.id, action: id });
    const named = Object.values(ready.params ?? {}).map(String);
    if (each.operation.path.includes('{id}')) expect(named).toContain(entry?.subject);
  });
});

describe('what members may do too', () => {
  test('is entered when an administrator or a moderator does it to what is not theirs, and never for a member', async () => {
    const seller = await app.createUser();
    const { id } = await offer(app, seller);
    const words = { title: 'Own words for this boat', description: 'Words that somebody has written about this boat.' };
    const before = await count();
    expect((await app.as(seller).put(`/api/listings/${id}/rewrites/de`, words)).status).toBe(200);
    expect(await count()).toBe(before);
    expect((await app.as(admin).put(`/api/listings/${id}/rewrites/de`, words)).status).toBe(200);
    expect(await newest()).toMatchObject({ action: 'editListingRewrite', subject: id, data: { locale: 'de' } });
  });
});

test('what fails leaves no entry, and what cannot be entered does not happen', async () => {
  const user = await app.createUser();
  const before = await count();
  expect((await app.as(admin).post(`/api/admin/users/${user.id}/unsuspend`)).status).toBe(409);
  expect(await count()).toBe(before);
  await app.database.pool.query(
    `alter table audit_entries add constraint refused check (action <> 'setUserRole') not valid`,
  );
  const reply = await fetch(`${app.url}/api/admin/users/${user.id}/role`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ role: 'moderator' }),
  });
  await app.database.pool.query('alter table audit_entries drop constraint refused');
  expect(reply.status).toBe(500);
  const { rows } = await app.database.pool.query('select role from users where id = $1', [user.id]);
  expect(rows[0].role).toBe('user');
});

test('a repetition with the same Idempotency-Key is no second act', async () => {
  const user = await app.createUser();
  const headers = { 'Idempotency-Key': 'suspend-once' };
  const suspend = () => app.as(admin).post(`/api/admin/users/${user.id}/suspend`, { reason: 'Fraud.' }, { headers });
  expect([(await suspend()).status, (await suspend()).status]).toEqual([200, 200]);
  expect(await entries(`action=suspendUser&subject=${user.id}`)).toHaveLength(1);
});

test('reading all of an account is entered, listing accounts is not', async () => {
  const user = await app.createUser();
  const before = await count();
  await app.as(admin).get('/api/admin/users');
  expect(await count()).toBe(before);
  await app.as(admin).get(`/api/admin/users/${user.id}`);
  expect(await newest()).toMatchObject({ action: 'getUserDetail', subject: user.id });
});

test('no secret is kept: neither passwords in addresses nor fields that are secrets by name', async () => {
  expect(
    withoutSecrets({
      proxy_urls: ['http://crawler:hunter2@proxy.example.com:3128', null],
      nested: [{ password: 'hunter2', url: 'https://example.com/a@b' }],
      accessToken: 'hunter2',
    }),
  ).toEqual({
    proxy_urls: ['http://[removed]@proxy.example.com:3128', null],
    nested: [{ password: '[removed]', url: 'https://example.com/a@b' }],
    accessToken: '[removed]',
  });
  const reply = await app.as(admin).post('/api/admin/scrapers', {
    name: 'Proxied',
    kind: 'http',
    start_urls: ['https://boats.example.com/'],
    category_id: 'sailboats',
    proxy_urls: ['http://crawler:hunter2@proxy.example.com:3128'],
  });
  expect(reply.status, reply.text).toBe(201);
  const entry = await newest();
  expect(entry).toMatchObject({ action: 'createScraper', subject: reply.body.id });
  expect(JSON.stringify(entry)).not.toContain('hunter2');
});

test('entries are neither changed nor deleted by anybody', async () => {
  await app.as(admin).get(`/api/admin/users/${admin.id}`);
  for (const statement of [
    `update audit_entries set actor = 'x'`,
    'delete from audit_entries',
    'truncate audit_entries',
  ])
    await expect(app.database.pool.query(statement)).rejects.toMatchObject({ code: 'QS003' });
});

test('pages go on from a cursor by actor, action and subject, and a cursor of elsewhere is 400', async () => {
  const mine = await app.createUser({ role: 'admin' });
  const user = await app.createUser();
  for (let n = 0; n < 5; n += 1) await app.as(mine).get(`/api/admin/users/${user.id}`);
  await app.as(mine).post(`/api/admin/users/${user.id}/role`, { role: 'moderator' });
  const seen: string[] = [];
  let cursor: string | null = '';
  do {
    const { body } = await app
      .as(mine)
      .get(`/api/admin/audit?actor=${mine.id}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...body.results.map(({ id }: Entry) => id));
    cursor = body.next_cursor as string | null;
  } while (cursor !== null);
  expect([seen.length, new Set(seen).size]).toEqual([6, 6]);
  expect(await entries(`actor=${mine.id}&action=setUserRole`, mine)).toHaveLength(1);
  expect(await entries(`subject=${user.id}`, mine)).toHaveLength(6);
  expect((await app.as(mine).get('/api/admin/audit?cursor=bm9wZQ')).status).toBe(400);
});

test('as CSV all of it is streamed, with what a spreadsheet would calculate made text', async () => {
  const user = await app.createUser();
  const reason = '=HYPERLINK("https://evil.example.com","x")';
  await app.as(admin).post(`/api/admin/users/${user.id}/suspend`, { reason });
  await app.database.pool.query(
    `insert into audit_entries (id, actor, action, subject, data, created_at) values ($1, '+1', '@x', '-2', '{}', now())`,
    [newId('audit_entry')],
  );
  const csv = { headers: { Accept: 'text/csv' } };
  const { status, headers, text } = await app.as(admin).get('/api/admin/audit', csv);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  const lines = text.split('\r\n');
  expect(lines[0]).toBe('id,created_at,actor,action,subject,data');
  expect(lines.length).toBeGreaterThan(20);
  expect(text).toContain(`,'+1,'@x,'-2,{}`);
  expect(await newest()).toMatchObject({ action: 'listAuditEntries' });
});
