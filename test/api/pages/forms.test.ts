import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageRoutes } from '../../../api/pages/routes.ts';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { visitPages } from '../../support/page-visitor.ts';

afterAll(closeApps);

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' };
const BOTH = ['nautical', 'general'] as const;
const password = 'a long phrase of the harbour';
let count = 0;
const freshAddress = () => `person-${(count += 1)}@example.com`;

describe.each(BOTH)('in the profile %s', (profile) => {
  let app: TestApp;
  let user: TestUser;
  let other: TestUser;
  let id: string;
  let slug: string;
  const category = profile === 'nautical' ? 'cruising' : 'boats';
  const countOf = async (table: string) =>
    (await app.database.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n as number;
  const pathOf = (path: string) => path.replace(':slug', slug).replace(':id', id);

  beforeAll(async () => {
    app = await startApp({ profile });
    user = await app.createUser({ name: 'Ada' });
    other = await app.createUser({ name: 'Bo' });
    const { body } = await app.as(user).post('/api/listings', listingBody({ category_id: category }));
    await app.as(user).post(`/api/listings/${body.id}/publish`);
    ({ id, slug } = body);
  });

  describe.each(pageRoutes.filter(({ act }) => act).map(({ path }) => path))('a form sent to %s', (path) => {
    const send = (headers: Record<string, string>, query = '', body = '') =>
      fetch(`${app.url}${pathOf(path)}${query}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...FORM, Cookie: `session=${user.token}`, ...headers },
        body,
      });
    const signature = async (who: TestUser) => {
      const visitor = visitPages(app, who);
      return String((await visitor.open('/my/account')).$('input[name=_csrf]').attr('value'));
    };

    test('is refused without its signature, and with that of another session', async () => {
      for (const token of ['', await signature(other)]) {
        const form = new URLSearchParams({ _csrf: token, action: 'delete' }).toString();
        const answer = await send({}, `?_csrf=${token}`, form);
        expect(answer.status).toBe(403);
        expect(await answer.text()).toContain('out of date');
      }
    });

    test('is refused from another site, even with its signature', async () => {
      const token = await signature(user);
      const form = new URLSearchParams({ _csrf: token, action: 'delete' }).toString();
      for (const headers of [
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
      ]) {
        const answer = await send(headers as unknown as Record<string, string>, `?_csrf=${token}`, form);
        expect(answer.status, JSON.stringify(headers)).toBe(403);
      }
    });
  });

  test('every page of one person leads those who have not signed in to the page for that, and back', async () => {
    const paths = ['/sell', '/my/listings', `/my/listings/${id}`, `/my/listings/${id}/promote`, '/my/favorites'];
    for (const path of [...paths, '/my/searches', '/my/account', '/my/bookings', '/my/reviews', '/inbox', '/inbox/x']) {
      const answer = await fetch(app.url + path, { redirect: 'manual', headers: { Accept: 'text/html' } });
      expect([answer.status, answer.headers.get('location')], path).toEqual([
        303,
        `/sign-in?next=${encodeURIComponent(path)}`,
      ]);
    }
  });

  test('no page of somebody who has signed in is stored anywhere', async () => {
    const visitor = visitPages(app, user);
    for (const path of [
      '/',
      '/search',
      '/my/listings',
      `/my/listings/${id}`,
      '/my/account',
      '/inbox',
      '/nothing/here',
    ]) {
      const { headers } = await visitor.open(path);
      expect(headers.get('cache-control'), path).toBe('no-store');
    }
  });

  test('the cookie of a session is for pages alone: the API knows nobody by it', async () => {
    const answer = await fetch(`${app.url}/api/me`, { headers: { Cookie: `session=${user.token}` } });
    expect(answer.status).toBe(401);
  });

  test('somebody else’s listing can neither be changed nor shown its form', async () => {
    const stranger = visitPages(app, other);
    await stranger.open('/my/account');
    const token = String(stranger.page().$('input[name=_csrf]').attr('value'));
    for (const action of ['publish', 'pause', 'sold', 'delete', 'photos', '']) {
      const body = new URLSearchParams({ _csrf: token, action }).toString();
      const answer = await fetch(`${app.url}/my/listings/${id}`, {
        method: 'POST',
        headers: { ...FORM, Cookie: stranger.cookie() },
        body,
        redirect: 'manual',
      });
      expect([400, 403], action).toContain(answer.status);
    }
    expect((await app.as(user).get(`/api/listings/${id}`)).body.status).toBe('active');
    expect((await stranger.open(`/my/listings/${id}`)).status).toBe(403);
  });

  describe('what is sent twice is done once:', () => {
    const twice = async (visitor: ReturnType<typeof visitPages>, form: string, fields: Record<string, string>) =>
      Promise.all([1, 2].map(async () => visitor.send(form, fields)));

    test('an account, whose second form signs in to it', async () => {
      const before = await countOf('users');
      const visitor = visitPages(app);
      await visitor.open('/sign-in?way=register');
      const sign = () => visitor.send('form:has([value=register])', { email, password, name: 'Cy' }, { follow: false });
      const email = freshAddress();
      for (const answer of [await sign(), await visitPagesAgain()]) {
        expect([answer.status, answer.headers.getSetCookie()[0]?.startsWith('session=')]).toEqual([303, true]);
      }
      async function visitPagesAgain() {
        const again = visitPages(app);
        await again.open('/sign-in?way=register');
        return again.send('form:has([value=register])', { email, password, name: 'Cy' }, { follow: false });
      }
      expect(await countOf('users')).toBe(before + 1);
    });

    test('a draft', async () => {
      const before = await countOf('listings');
      const visitor = visitPages(app, user);
      await visitor.open(`/sell?category=${category}`);
      const fields = {
        title: 'Folkboat Ida with trailer',
        description: 'A wooden folkboat of 1962, varnished last spring.',
        price: '4200',
        city: 'Kiel',
        country: 'DE',
      };
      await visitor.send('form[method=post]:has([name=title])', fields);
      await visitor.open(`/sell?category=${category}`);
      await twice(visitor, 'form[method=post]:has([name=title])', {
        ...fields,
        title: 'Folkboat Una with trailer',
        description: 'Another wooden folkboat of 1963, varnished last spring.',
      });
      expect(await countOf('listings')).toBe(before + 2);
    });

    test('a message', async () => {
      const visitor = visitPages(app, other);
      await visitor.open(`/listings/${slug}`);
      await twice(visitor, 'form[action$=message]', { message: 'Is it still there?' });
      expect(await countOf('messages')).toBe(1);
      expect(visitor.page().text).toContain('Is it still there?');
    });

    test('a saved search', async () => {
      const visitor = visitPages(app, other);
      await visitor.open('/search?q=folkboat&min_price=1000&shipping=true');
      await twice(visitor, 'form[action^="/my/searches"]', { action: 'save' });
      const { body } = await app.as(other).get('/api/me/saved-searches');
      expect(body.results.map((each: { query_params: unknown }) => each.query_params)).toEqual([
        { q: 'folkboat', min_price: 1000, shipping: true },
      ]);
    });

    test('an API key, which is shown this once', async () => {
      const visitor = visitPages(app, user);
      await visitor.open('/my/account');
      const fields = { key_name: 'my agent', permissions: 'read' };
      const made = await visitor.send('form:has([value=create-key])', fields);
      expect(made.$('code.key').text()).toMatch(/^svc_/);
      const again = await visitor.send('form:has([value=create-key])', fields);
      expect([again.status, again.$('code.key').length]).toEqual([400, 0]);
      expect(again.$('#key_name-error').text()).toContain('already');
      expect((await visitor.open('/my/account')).text).not.toContain(made.$('code.key').text());
    });
  });
});

test('the cookie of a session cannot be read by script, is not sent from other sites, and goes over TLS where the site has it', async () => {
  for (const [env, isSecure] of [
    [{}, false],
    [{ BASE_URL: 'https://market.example.com' }, true],
  ] as const) {
    const app = await startApp({ env });
    const email = freshAddress();
    await app.as().post('/api/auth/register', { email, password, name: 'Dee' });
    const visitor = visitPages(app);
    await visitor.open('/sign-in');
    const { headers } = await visitor.send('form:has([value=password])', { email, password }, { follow: false });
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+/);
    expect(cookie.endsWith('; Secure')).toBe(isSecure);
    await visitor.open('/my/account');
    const out = await visitor.send('form[action$=sign-out]', {}, { follow: false });
    expect(out.headers.getSetCookie()[0]).toMatch(/^session=; .*Max-Age=0/);
  }
});

test('signing in leads to pages of this site alone', async () => {
  const app = await startApp();
  const email = freshAddress();
  await app.as().post('/api/auth/register', { email, password, name: 'Eve' });
  const hostile = [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
  ];
  for (const next of [...hostile, '\\\\evil.example', '/sign-out', 'x', '/a\r\nSet-Cookie: a=b']) {
    const visitor = visitPages(app);
    await visitor.open('/sign-in');
    const form = await visitor.send('form:has([value=password])', { email, password, next }, { follow: false });
    expect([form.status, form.headers.get('location')], next).toEqual([303, '/my/listings']);
    const link = await visitor.open(`/sign-in?next=${encodeURIComponent(next)}`);
    expect(link.path).toBe('/my/listings');
  }
  const visitor = visitPages(app);
  await visitor.open('/sign-in?next=%2Fmy%2Faccount%3Flang%3Dde');
  const good = await visitor.send('form:has([value=password])', { email, password }, { follow: false });
  expect(good.headers.get('location')).toBe('/my/account?lang=de');
});
