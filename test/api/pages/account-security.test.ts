import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wordsIn } from '../../../api/pages/words/words.ts';
import { createAccountToken } from '../../../shared/accounts/account-tokens.ts';
import { MINUTE_MS } from '../../../shared/kit/clock.ts';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { createPerson, password } from '../../support/openapi-cases-things.ts';
import { visitPages, type PageVisitor } from '../../support/page-visitor.ts';
import { codeOf } from '../../support/recipes/sign-in.ts';
import { movableClock } from '../rentals/fixture.ts';

const clock = movableClock();
const en = wordsIn('en');
let app: TestApp;
let strict: TestApp;
beforeAll(async () => {
  app = await startApp({ clock });
  strict = await startApp({ clock, database: app.database, env: { REQUIRE_SECOND_FACTOR: 'true' } });
});
afterAll(closeApps);

const signInForm = 'form:has([name=way][value=password])';
const formOf = (action: string) => `form:has([name=action][value=${action}])`;

async function signIn(email: string, at = app, visitor = visitPages(at)): Promise<PageVisitor> {
  await visitor.open('/sign-in?next=/my/account');
  await visitor.send(signInForm, { email, password });
  return visitor;
}

/** Sets up an app by the page; its secret, and the recovery codes that are shown. */
async function enrol(visitor: PageVisitor) {
  await visitor.open('/my/account');
  const { $ } = await visitor.send(formOf('start-totp'));
  const secret = new URL(String($('[name=otpauth_url]').attr('value'))).searchParams.get('secret') ?? '';
  expect($('svg.qr-code path').attr('d')?.length).toBeGreaterThan(1_000);
  expect($('code.key').text().replaceAll(' ', '')).toBe(secret);
  clock.move(MINUTE_MS);
  const page = await visitor.send(formOf('confirm-totp'), { code: codeOf(secret, clock.now()) });
  clock.move(MINUTE_MS);
  const codes = page
    .$('.codes code')
    .toArray()
    .map((each) => page.$(each).text());
  expect(codes).toHaveLength(10);
  return { secret, codes };
}

describe('without script', () => {
  test('devices are listed and signed out, also this one', async () => {
    const { email } = await createPerson(app.services, 'user');
    const [here, there] = [await signIn(email), await signIn(email)];
    const { $ } = await here.open('/my/account');
    expect($('#sessions li').length).toBe(2);
    expect($('#sessions li:has(strong)').length).toBe(1);
    await here.send('#sessions li:not(:has(strong)) form');
    expect(here.page().$('[role=status]').text()).toBe(en.done.sessionEnded);
    expect((await there.open('/my/account')).path).toMatch(/^\/sign-in/);
    await here.open('/my/account');
    await here.send('#sessions li:has(strong) form');
    expect(here.cookie()).toBe('');
  });

  test('signing out ends the token itself, not the cookie alone', async () => {
    const { email } = await createPerson(app.services, 'user');
    const visitor = await signIn(email);
    const token = visitor.cookie().replace('session=', '');
    expect((await app.as(token).get('/api/me')).status).toBe(200);
    await visitor.open('/my/account');
    await visitor.send('form[action$="/sign-out"]');
    expect((await app.as(token).get('/api/me')).status).toBe(401);
  });

  test('an app is set up, asked for at sign-in, and removed', async () => {
    const { email } = await createPerson(app.services, 'user');
    const { secret, codes } = await enrol(await signIn(email));
    const visitor = await signIn(email);
    expect(visitor.page().$('h1').text()).toBe(en.security.codeTitle);
    expect(visitor.page().$('[role=alert]').length).toBe(0);
    expect(visitor.page().text).not.toContain(password);
    for (const totp of ['000000', 'nonsense!', 'x']) {
      const wrong = await visitor.send('main form', { totp });
      expect([wrong.status >= 400, wrong.$('[role=alert]').text()]).toEqual([true, en.faults.wrongCode]);
    }
    const { path } = await visitor.send('main form', { totp: codeOf(secret, clock.now()) });
    expect(path).toBe('/my/account');
    const wrong = await visitor.send(formOf('remove-totp'), { proof: 'not this one' });
    expect(wrong.$('#proof-error').text()).toBe(en.faults.wrongOwnPassword);
    await visitor.send(formOf('remove-totp'), { proof: codes[0] });
    expect(visitor.page().$('[role=status]').text()).toBe(en.done.totpRemoved);
    expect((await signIn(email)).page().path).toBe('/my/account');
  });

  test('a wrong first code shows the same QR code again', async () => {
    const { email } = await createPerson(app.services, 'user');
    const visitor = await signIn(email);
    await visitor.send(formOf('start-totp'));
    const drawn = visitor.page().$('svg.qr-code path').attr('d');
    const { $ } = await visitor.send(formOf('confirm-totp'), { code: '000000' });
    expect([$('svg.qr-code path').attr('d'), $('#code-error').text()]).toEqual([drawn, en.faults.wrongCode]);
  });

  test('what the form of the code holds is good for ten minutes, and no other sealed text is', async () => {
    const { email } = await createPerson(app.services, 'user');
    const { secret } = await enrol(await signIn(email));
    const visitor = await signIn(email);
    clock.move(11 * MINUTE_MS);
    expect((await visitor.send('main form', { totp: codeOf(secret, clock.now()) })).status).toBe(403);
    for (const held of ['', 'x', 'A'.repeat(200)]) {
      const other = await signIn(email);
      expect((await other.send('main form', { held, totp: '000000' })).status).toBe(403);
    }
  });

  test('a mailed link asks for the code as well', async () => {
    const user = await createPerson(app.services, 'user');
    const { secret } = await enrol(await signIn(user.email));
    const token = await createAccountToken(app.services.db, { purpose: 'magic_link', user }, clock.now());
    const visitor = visitPages(app);
    await visitor.open(`/sign-in/link?token=${token}`);
    await visitor.send('main form');
    expect(visitor.page().$('h1').text()).toBe(en.security.codeTitle);
    await visitor.send('main form', { totp: '000000' });
    expect(visitor.page().$('[role=alert]').text()).toBe(en.faults.wrongCode);
    expect((await visitor.send('main form', { totp: codeOf(secret, clock.now()) })).path).toBe('/my/listings');
  });

  test('an administrator who needs a second factor is led to the account page, which offers nothing else', async () => {
    const { email } = await createPerson(app.services, 'admin');
    const visitor = await signIn(email, strict);
    const { $, path } = await visitor.open('/my/listings', {});
    expect([path, $('#sessions').length]).toEqual(['/my/account', 1]);
    expect($('[role=alert]').text()).toBe(en.security.enrol);
    expect($(formOf('create-key')).length).toBe(0);
    await enrol(visitor);
    expect((await visitor.open('/my/listings')).path).toBe('/my/listings');
  });
});
