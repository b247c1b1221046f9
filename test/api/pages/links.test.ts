import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signUnsubscribe, type Subscription } from '../../../shared/accounts/unsubscribe-token.ts';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { visitPages } from '../../support/page-visitor.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { askForToken, createMailbox, findToken, freshAddress, password } from '../accounts/links.ts';

let app: TestApp;
let workers: TestWorkers;
let mailbox: ReturnType<typeof createMailbox>;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  mailbox = createMailbox(app, workers);
});
afterAll(async () => {
  await workers.close();
  await closeApps();
});

async function register() {
  const email = freshAddress();
  const visitor = visitPages(app);
  await visitor.open('/sign-in?way=register&next=%2Fmy%2Faccount');
  const page = await visitor.send('form:has([value=register])', { email, password, name: 'Ada' });
  expect([page.path, page.text.includes(email)]).toEqual(['/my/account?done=registered', true]);
  return { email, visitor };
}
const USED = 'has been used, has expired';

describe('the link of a mail', () => {
  test('to sign in: reading it uses nothing, its button signs in once, and nobody sees a token', async () => {
    const { email } = await register();
    const asking = visitPages(app);
    await asking.open('/sign-in');
    expect((await asking.send('form:has([value=link])', { email })).text).toContain('a mail is on its way');
    const token = findToken(await mailbox(), 'magic_link');
    const visitor = visitPages(app);
    for (const _ of [1, 2]) expect((await visitor.open(`/sign-in/link?token=${token}`)).status).toBe(200);
    expect(visitor.page().$('main').text()).not.toContain(token);
    const inside = await visitor.send('main form');
    expect([inside.path, inside.status]).toEqual(['/my/listings', 200]);
    expect((await visitor.open('/my/account')).text).toContain(email);
    await visitor.open(`/sign-in/link?token=${token}`);
    const again = await visitor.send('main form');
    expect([again.status < 500, again.text.includes(USED)]).toEqual([true, true]);
  });

  test('to sign in: it leads on to where somebody wanted to go, in the browser that asked for it', async () => {
    const { email } = await register();
    const asking = visitPages(app);
    await asking.open('/my/searches?done=saved');
    await asking.send('form:has([value=link])', { email });
    const token = findToken(await mailbox(), 'magic_link');
    await asking.open(`/sign-in/link?token=${token}`);
    expect((await asking.send('main form')).path).toBe('/my/searches?done=saved');
    for (const next of ['//elsewhere.example', '%ZZ', 'https%3A%2F%2Felsewhere.example']) {
      const elsewhere = visitPages(app);
      await elsewhere.open(`/sign-in/link?token=${await askForToken(app, mailbox, 'magic_link', email)}`);
      const inside = await elsewhere.send('main form', {}, { headers: { Cookie: `next=${next}` } });
      expect(inside.path).toBe('/my/listings');
    }
  });

  test('to confirm an address: the account says so afterwards', async () => {
    const { visitor } = await register();
    expect((await visitor.open('/my/account')).$('form:has([value=confirm-email])').length).toBe(1);
    const token = findToken(await mailbox(), 'verify_email');
    await visitor.open(`/sign-in/verify?token=${token}`);
    expect((await visitor.send('main form')).text).toContain('your address is confirmed');
    expect((await visitor.open('/my/account')).$('form:has([value=confirm-email])').length).toBe(0);
  });

  test('to set a password: a weak one is refused beside its field, and the link still works', async () => {
    const { email } = await register();
    const token = await askForToken(app, mailbox, 'password_reset', email);
    const visitor = visitPages(app);
    await visitor.open(`/sign-in/reset?token=${token}`);
    const weak = await visitor.send('main form', { password: 'short' });
    expect([weak.status, weak.$('#password-error').length]).toEqual([400, 1]);
    expect((await visitor.send('main form', { password: 'another fine phrase 7' })).text).toContain(
      'Your password is set',
    );
    await visitor.open('/sign-in');
    const wrong = await visitor.send('form:has([value=password])', { email, password });
    expect([wrong.status, wrong.$('[role=alert]').length, wrong.$('[name=email]').first().val()]).toEqual([
      401,
      1,
      email,
    ]);
    const inside = await visitor.send('form:has([value=password])', { email, password: 'another fine phrase 7' });
    expect(inside.path).toBe('/my/listings');
    await visitor.open(`/sign-in/reset?token=${token}`);
    expect((await visitor.send('main form', { password: 'yet another phrase 8' })).status).toBe(400);
  });

  test.each(['/sign-in/link', '/sign-in/verify', '/sign-in/reset', '/unsubscribe'])(
    'that is broken, at %s, says so',
    async (path) => {
      for (const token of ['', 'nonsense', 'a.b.c', 'x'.repeat(3_000)]) {
        const visitor = visitPages(app);
        const { status, $ } = await visitor.open(`${path}?token=${token}`);
        expect(status).toBeLessThan(500);
        if (path === '/unsubscribe') expect([status, $('[role=alert]').length]).toEqual([400, 1]);
        else {
          const answer = await visitor.send(
            'main form',
            path.endsWith('reset') ? { password: 'a fine phrase 99' } : {},
          );
          expect([[400, 401].includes(answer.status), answer.$('main h1').length]).toEqual([true, 1]);
        }
      }
    },
  );

  test.each(['saved_search', 'newsletter', 'notifications'] as const)(
    'to end mails (%s): one button, and a sentence that tells what has ended',
    async (kind) => {
      const user = await app.createUser();
      const { body } = await app
        .as(user)
        .post('/api/me/saved-searches', { name: 'x', query_params: {}, notify: 'daily' });
      const ids: Record<Subscription['kind'], string> = {
        saved_search: body.id,
        newsletter: '1',
        notifications: user.id,
      };
      const token = signUnsubscribe(app.services.config.jwtSecrets, { kind, id: ids[kind] });
      const visitor = visitPages(app);
      const asked = await visitor.open(`/unsubscribe?token=${token}&lang=de`);
      expect([asked.status, asked.$('main button').text()]).toEqual([200, 'Mails abbestellen']);
      expect((await app.as(user).get('/api/me/saved-searches')).body.results[0].notify).toBe('daily');
      const done = await visitor.send('main form');
      expect([done.status, done.$('h1').text()]).toEqual([200, 'Erledigt']);
      const { notify } = (await app.as(user).get('/api/me/saved-searches')).body.results[0];
      const { email_notifications: mails } = (await app.as(user).get('/api/me')).body.user;
      expect([notify, mails]).toEqual([kind === 'saved_search' ? 'off' : 'daily', kind !== 'notifications']);
    },
  );
});
