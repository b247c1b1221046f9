import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signUnsubscribe, type Subscription } from '../../../shared/accounts/unsubscribe-token.ts';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const pathOf = (kind: Subscription['kind'], id: string) =>
  `/api/unsubscribe?token=${signUnsubscribe(app.services.config.jwtSecrets, { kind, id })}`;
const oneClick = {
  raw: 'List-Unsubscribe=One-Click',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
};
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function saveSearch() {
  const user = await app.createUser();
  const { body } = await app
    .as(user)
    .post('/api/me/saved-searches', { name: 'x', query_params: {}, notify: 'instant' });
  const notify = async () => (await app.as(user).get('/api/me/saved-searches')).body.results[0].notify;
  return { path: pathOf('saved_search', body.id), notify, user, id: body.id };
}

describe('a saved search', () => {
  test('opening the link changes nothing and shows a button that posts to the same address', async () => {
    const { path, notify } = await saveSearch();
    const { status, headers, text } = await app.as().get(path, { headers: { Accept: BROWSER } });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(text).toContain('<form method="post">');
    expect(text.match(/<button/g)).toHaveLength(1);
    expect(await notify()).toBe('instant');
  });

  test('a mail program ends it by the post of RFC 8058, as often as it likes', async () => {
    const { path, notify } = await saveSearch();
    for (const _ of [1, 2]) {
      const { status, body } = await app.as().post(path, undefined, oneClick);
      expect([status, body]).toEqual([200, { unsubscribed: true, kind: 'saved_search' }]);
    }
    expect(await notify()).toBe('off');
  });

  test.each([
    ['a form with parts', { raw: '--x\r\n\r\n--x--', headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }],
    ['JSON', { body: { any: 'thing' } }],
    ['nothing', {}],
  ])('%s as a body ends it as well', async (_name, options) => {
    const { path, notify } = await saveSearch();
    expect((await app.as().request('POST', path, options)).status).toBe(200);
    expect(await notify()).toBe('off');
  });

  test('a browser gets a page', async () => {
    const { path, notify } = await saveSearch();
    const { status, headers, text } = await app
      .as()
      .post(path, undefined, { ...oneClick, headers: { ...oneClick.headers, Accept: BROWSER } });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('do not write to you about this saved search any more');
    expect(await notify()).toBe('off');
  });

  test('both pages speak the language of their reader', async () => {
    const { path } = await saveSearch();
    const headers = { Accept: BROWSER, 'Accept-Language': 'fr-CH, de;q=0.4' };
    const asked = await app.as().get(path, { headers });
    expect([asked.headers.get('content-language'), asked.text]).toEqual([
      'fr',
      expect.stringContaining('Ne plus recevoir ces e-mails ?'),
    ]);
    const done = await app
      .as()
      .post(`${path}&lang=ko`, undefined, { ...oneClick, headers: { ...oneClick.headers, ...headers } });
    expect([done.headers.get('content-language'), done.text]).toEqual([
      'ko',
      expect.stringContaining('완료되었습니다'),
    ]);
  });

  test('one that is deleted has ended', async () => {
    const { path, user, id } = await saveSearch();
    await app.as(user).delete(`/api/me/saved-searches/${id}`);
    expect((await app.as().post(path)).status).toBe(200);
  });
});

test('notifications: all mail that is not essential', async () => {
  const user = await app.createUser();
  const wanted = async () =>
    (
      await app.services.db
        .selectFrom('users')
        .select('email_notifications')
        .where('id', '=', user.id)
        .executeTakeFirstOrThrow()
    ).email_notifications;
  await app.as().get(pathOf('notifications', user.id));
  expect(await wanted()).toBe(true);
  expect((await app.as().post(pathOf('notifications', user.id))).body).toEqual({
    unsubscribed: true,
    kind: 'notifications',
  });
  expect(await wanted()).toBe(false);
});

test('the newsletter', async () => {
  await app.as().post('/api/newsletter/subscribe', { email: 'reader@example.com' });
  const row = () =>
    app.services.db
      .selectFrom('newsletter_subscribers')
      .select(['id', 'unsubscribed_at'])
      .where('email', '=', 'reader@example.com')
      .executeTakeFirstOrThrow();
  const { id } = await row();
  expect((await app.as().post(pathOf('newsletter', id))).body).toEqual({ unsubscribed: true, kind: 'newsletter' });
  expect((await row()).unsubscribed_at).toEqual(expect.any(Date));
});

test('400 for a token that is not genuine, is of another kind, or is missing', async () => {
  const { path, notify } = await saveSearch();
  const tampered = [
    '/api/unsubscribe',
    '/api/unsubscribe?token=',
    '/api/unsubscribe?token=nonsense',
    path.replace('saved_search.', 'notifications.'),
    path.slice(0, -1),
    `${path}x`,
    path.replace(/svs_./, 'svs_9'),
  ];
  for (const each of tampered) {
    const replies = [await app.as().get(each), await app.as().post(each, undefined, oneClick)];
    expect(replies.map(({ status, body }) => [status, body.error.code])).toEqual([
      [400, 'validation_error'],
      [400, 'validation_error'],
    ]);
  }
  expect(await notify()).toBe('instant');
});
