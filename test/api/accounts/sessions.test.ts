import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSessionTokens } from '../../../shared/accounts/session-token.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/kit/clock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { createPerson, password } from '../../support/openapi-cases-things.ts';
import { startWorkers } from '../../support/workers.ts';
import { movableClock } from '../rentals/fixture.ts';

const firefox = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';

const clock = movableClock();
let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  app = await startApp({ clock });
  twin = await app.twin();
});
afterAll(async () => {
  await twin.close();
  await app.close();
});

async function logIn(email: string, userAgent = firefox, given = password): Promise<string> {
  const { status, body, text } = await app
    .as()
    .post('/api/auth/login', { email, password: given }, { headers: { 'User-Agent': userAgent } });
  expect(status, text).toBe(200);
  return body.token;
}

async function personWith(...userAgents: string[]) {
  const { id, email } = await createPerson(app.services, 'user');
  const tokens: string[] = [];
  for (const userAgent of userAgents) tokens.push(await logIn(email, userAgent));
  return { id, email, tokens };
}

const sessionsOf = async (token: string) => (await app.as(token).get('/api/me/sessions')).body.sessions;
const isOpen = async (at: TestApp, token: string) => (await at.as(token).get('/api/me')).status === 200;

describe('the list of sessions', () => {
  test('names the device in words, the network without its last part, and which session asks', async () => {
    const { tokens } = await personWith(firefox, safari);
    const sessions = await sessionsOf(tokens[1] ?? '');
    expect(sessions.map(({ device, current, network }: never) => ({ device, current, network }))).toEqual([
      { device: 'Safari, iOS', current: true, network: '127.0.0.0' },
      { device: 'Firefox, macOS', current: false, network: '127.0.0.0' },
    ]);
  });

  test('names a program by its first word, and nothing where nothing is told', async () => {
    const { tokens } = await personWith('quayside-sdk/2.0 (bot)', '');
    const devices = (await sessionsOf(tokens[0] ?? '')).map(({ device }: never) => device);
    expect(devices.toSorted()).toEqual(['', 'quayside-sdk']);
  });

  test('is not for API keys', async () => {
    const { tokens } = await personWith(firefox);
    const { body } = await app.as(tokens[0]).post('/api/api-keys', { name: 'Key' });
    expect((await app.as(body.key).get('/api/me/sessions')).status).toBe(403);
  });

  test('tells when a session was last used to some minutes, and writes it no more often', async () => {
    const { tokens } = await personWith(firefox);
    const [token = ''] = tokens;
    const used = async () => {
      const rows = await app.database.pool.query<{ at: Date; version: string }>(
        'select last_used_at as at, xmin::text as version from sessions where id = $1',
        [(await sessionsOf(token))[0].id],
      );
      return rows.rows[0];
    };
    const first = await used();
    clock.move(2 * MINUTE_MS);
    for (let times = 0; times < 20; times += 1) await app.as(token).get('/api/me');
    expect(await used()).toEqual(first);
    clock.move(4 * MINUTE_MS);
    await app.as(token).get('/api/me');
    for (let tries = 0; tries < 500 && (await used())?.version === first?.version; tries += 1) await sleep(10);
    expect((await used())?.at).toEqual(clock.now());
  });
});

describe('the end of a session', () => {
  test('closes the token itself at once on every process, and no other', async () => {
    const { tokens } = await personWith(firefox, safari);
    const [one = '', other = ''] = tokens;
    const [, phone] = (await sessionsOf(one)).toSorted((a: never, b: never) => (a['device'] < b['device'] ? -1 : 1));
    expect([await isOpen(app, other), await isOpen(twin, other)]).toEqual([true, true]);
    const { status, body } = await app.as(one).delete(`/api/me/sessions/${phone.id}`);
    expect([status, body]).toEqual([200, { id: phone.id, ended: true }]);
    expect([await isOpen(app, other), await isOpen(twin, other)]).toEqual([false, false]);
    expect([await isOpen(app, one), await isOpen(twin, one)]).toEqual([true, true]);
    expect((await sessionsOf(one)).length).toBe(1);
  });

  test('of the one that asks is how a program logs out', async () => {
    const { tokens } = await personWith(firefox);
    const [token = ''] = tokens;
    expect((await app.as(token).delete('/api/me/sessions/current')).status).toBe(200);
    expect([await isOpen(app, token), await isOpen(twin, token)]).toEqual([false, false]);
  });

  test('of somebody else is 404, and ends nothing', async () => {
    const [victim, stranger] = [await personWith(firefox), await personWith(firefox)];
    const [{ id }] = await sessionsOf(victim.tokens[0] ?? '');
    expect((await app.as(stranger.tokens[0]).delete(`/api/me/sessions/${id}`)).status).toBe(404);
    expect(await isOpen(app, victim.tokens[0] ?? '')).toBe(true);
  });

  test('comes with logging out everywhere and with another password, in the list too', async () => {
    const { id, email, tokens } = await personWith(firefox, safari);
    const change = { current: password, new: 'seven seals off Sylt' };
    const { body } = await app.as(tokens[0]).post('/api/auth/password', change);
    expect((await sessionsOf(body.token)).length).toBe(1);
    await app.as(body.token).post('/api/auth/logout-all');
    expect((await sessionsOf(await logIn(email, firefox, change.new))).length).toBe(1);
    const { rows } = await app.database.pool.query(
      'select count(*)::int as open from sessions where user_id = $1 and ended_at is null',
      [id],
    );
    expect(rows[0].open).toBe(1);
  });
});

describe('a token from before sessions had rows', () => {
  const legacy = async (id: string) =>
    createSessionTokens(app.services.config.jwtSecrets, clock).sign({ id, role: 'user', session_epoch: 0 }, 'AbC_-123');

  test('stays good, is listed once it asks for the list, and can be ended', async () => {
    const { id, email } = await createPerson(app.services, 'user');
    const token = await legacy(id);
    expect(await isOpen(app, token)).toBe(true);
    expect((await sessionsOf(await logIn(email))).length).toBe(1);
    expect(await sessionsOf(token)).toHaveLength(2);
    expect((await app.as(token).delete('/api/me/sessions/current')).status).toBe(200);
    expect([await isOpen(app, token), await isOpen(twin, token)]).toEqual([false, false]);
  });

  test('ends when it is told to log out, also before it was listed', async () => {
    const { id } = await createPerson(app.services, 'user');
    const token = await app.services.tokens.sign({ id, role: 'user', session_epoch: 0 });
    await app.as(token).delete('/api/me/sessions/current');
    expect(await isOpen(app, token)).toBe(false);
  });
});

describe('a sign-in from an unknown device', () => {
  const noticesOf = async (id: string) => {
    const { rows } = await app.database.pool.query(
      `select data->>'message_id' as id, data->'data' as data from pgboss.job where name = 'send-email'
         and data->>'template' = 'security-notice' and data->>'user_id' = $1 order by created_on`,
      [id],
    );
    return rows.map(({ data }) => [data.event, data.device]);
  };

  test('is told to the owner once, a known one never', async () => {
    const { id, email } = await createPerson(app.services, 'user');
    await logIn(email, firefox);
    clock.move(8 * DAY_MS);
    await logIn(email, firefox);
    expect(await noticesOf(id)).toEqual([['signed_in', 'Firefox, macOS']]);
    await Promise.all([logIn(email, safari), logIn(email, safari)]);
    const workers = await startWorkers(app);
    const sent = (await workers.work('send-email')).filter(({ status }) => status === 'completed');
    const { rows } = await app.database.pool.query(
      `select message_id from sent_emails where subject_id = $1 and template = 'security-notice' and sent_at is not null`,
      [id],
    );
    expect(sent.length).toBeGreaterThan(0);
    expect(rows).toHaveLength(2);
    await workers.close();
  });

  test('is not the one that registers', async () => {
    const { body } = await app
      .as()
      .post('/api/auth/register', { email: 'first@example.com', password }, { headers: { 'User-Agent': firefox } });
    expect(await noticesOf(body.user.id)).toEqual([]);
    expect(await sessionsOf(body.token)).toMatchObject([{ device: 'Firefox, macOS', current: true }]);
  });
});
