import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { wordsIn } from '../../../api/pages/words/words.ts';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { browserPath, openPage } from '../../support/browser.ts';
import { createPerson, password } from '../../support/openapi-cases-things.ts';

const { security, done, faults } = wordsIn('en');
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ host: 'localhost' });
});
afterAll(closeApps);

/** An authenticator of the browser itself, as a phone or a laptop has one: discoverable credentials, the person is verified. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  };
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${app.url}/sign-in?next=/my/account`);
  const form = page.locator('form:has([name=way][value=password])');
  await form.locator('[name=email]').fill(email);
  await form.locator('[name=password]').fill(password);
  await form.getByRole('button').click();
  await page.waitForURL(`${app.url}/my/account`);
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByLabel(security.passkeyName).fill(name);
  await page.getByRole('button', { name: security.addPasskey }).click();
  await page.getByText(done.passkeyAdded).waitFor();
}

describe.skipIf(browserPath === undefined)('passkeys in chromium', () => {
  test('are made on the account page, listed by name, and sign in without a word typed', async () => {
    const { email } = await createPerson(app.services, 'user');
    const { page, problems, close } = await openPage(app);
    const authenticator = await addAuthenticator(page);
    await signIn(page, email);
    await addPasskey(page, 'This laptop');
    expect(await page.locator('#passkeys li').allInnerTexts()).toEqual([expect.stringContaining('This laptop')]);
    const [credential] = await authenticator.credentials();
    expect(credential).toMatchObject({ isResidentCredential: true, rpId: 'localhost' });
    await page.locator('form[action$="/sign-out"] button').click();
    await page.getByText(done.signedOut).waitFor();
    // The browser offers the passkey in the field of the address, and this authenticator takes what is offered.
    await page.goto(`${app.url}/sign-in?next=/my/account`, { waitUntil: 'commit' });
    await page.waitForURL(`${app.url}/my/account`);
    expect(await page.locator('#sessions li').count()).toBe(1);
    await page.getByRole('button', { name: `${security.deletePasskey}: This laptop` }).click();
    await page.getByText(done.passkeyDeleted).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  test('that were deleted meanwhile sign nobody in, and the page says so; its button asks once more', async () => {
    const { id, email } = await createPerson(app.services, 'user');
    const { page, problems, close } = await openPage(app);
    await addAuthenticator(page);
    await signIn(page, email);
    await addPasskey(page, 'This laptop');
    await page.context().clearCookies();
    await app.database.pool.query(`update passkeys set credential_id = 'x' || credential_id where user_id = $1`, [id]);
    await page.goto(`${app.url}/sign-in?next=/my/account`, { waitUntil: 'commit' });
    await page.getByText(faults.passkey).waitFor();
    await app.database.pool.query('update passkeys set credential_id = substr(credential_id, 2) where user_id = $1', [
      id,
    ]);
    await page.getByRole('button', { name: security.byPasskey }).click();
    await page.waitForURL(`${app.url}/my/account`);
    expect(problems).toEqual([`401: ${app.url}/sign-in`]);
    await close();
  });
});

test('the pages hold a form for passkeys', async () => {
  const text = await (await fetch(`${app.url}/sign-in`, { headers: { Accept: 'text/html' } })).text();
  expect(text).toMatch(/<form method="post" action="[^"]+" data-passkey="get"/);
  expect(text).toContain('autocomplete="username webauthn"');
});
