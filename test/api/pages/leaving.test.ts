import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken } from '../../../shared/accounts/account-tokens.ts';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { browserPath, openPage } from '../../support/browser.ts';
import { visitPages } from '../../support/page-visitor.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

afterAll(closeApps);

const password = 'correct horse battery staple';
const profiles = ['nautical', 'general'] as const;

type Market = { app: TestApp; workers: TestWorkers };

async function start(profile: (typeof profiles)[number]): Promise<Market> {
  const app = await startApp({ profile, host: 'localhost' });
  return { app, workers: await startWorkers(app) };
}

/** The session of a new account. */
async function register({ app }: Market, email: string): Promise<string> {
  const { body } = await app.as().post('/api/auth/register', { email, password });
  return body.token as string;
}

/** Sends the mails that are due, and answers the address in the last one of that name. */
async function linkInMail({ app, workers }: Market, name: string) {
  await workers.work('mail-account-link');
  await workers.work('send-email');
  const folder = join(app.dataDir, 'outbox');
  const mails = await Promise.all(
    readdirSync(folder).map((file) => PostalMime.parse(readFileSync(join(folder, file)))),
  );
  const mail = mails.findLast(({ messageId }) => messageId?.startsWith(`<${name}.`));
  return /https?:\S+token=\S+/.exec(mail?.text ?? '')?.[0] ?? `no mail ${name}`;
}

describe.each(profiles)('in the profile %s', (profile) => {
  let market: Market;
  beforeAll(async () => {
    market = await start(profile);
  });
  afterAll(() => market.workers.close());

  test('somebody takes their data along, and leaves by password, by the forms of the account page', async () => {
    const { app, workers } = market;
    const token = await register(market, 'ada@example.com');
    const visitor = visitPages(app, { token });
    await visitor.open('/my/account');
    const asked = await visitor.send('form:has([value=export])');
    expect(asked.$('#data [role=status]').text()).toContain('being gathered');
    await workers.work('export-account');
    const ready = await visitor.open('/my/account');
    const link = await linkInMail(market, 'export-ready');
    expect(new URL(String(ready.$('#data form').attr('action')), app.url).href).toBe(link);
    const stranger = visitPages(app);
    expect((await stranger.open(link)).status).toBe(200);
    expect(JSON.parse((await stranger.send('main form')).text).profile[0].email).toBe('ada@example.com');
    expect((await stranger.open(link)).$('[role=alert]').text()).toContain('This link has been used');
    expect((await stranger.open('/my/export?token=made-up')).status).toBe(400);

    await visitor.open('/my/account');
    const refused = await visitor.send('form:has([value=leave])', { leave_password: 'not this one' });
    expect([refused.status, refused.$('#leave_password-error').text()]).toEqual([
      400,
      'This is not the password of your account.',
    ]);
    const left = await visitor.send('form:has([value=leave])', { leave_password: password });
    expect(left.$('[role=status]').text()).toContain('Your account is closed');
    expect(visitor.cookie()).toBe('');
    expect((await app.as(token).get('/api/me')).status).toBe(401);
  });

  test('a link by mail closes the account of the person it was mailed to, and no other', async () => {
    const { app } = market;
    const token = await register(market, 'grace@example.com');
    const visitor = visitPages(app, { token });
    await visitor.open('/my/account');
    const asked = await visitor.send('form:has([value=leave-link])');
    expect(asked.$('main > [role=status]').text()).toContain('choose “Close account” there');
    const link = await linkInMail(market, 'magic-link');
    expect((await visitPages(app).open(link)).$('main a').length).toBe(0);
    const linked = await visitor.open(link);
    const address = String(linked.$('main a').attr('href'));
    const stranger = visitPages(app, await app.createUser());
    await stranger.open(address);
    const refused = await stranger.send('main form');
    expect([refused.status, refused.$('[role=alert]').text()]).toEqual([400, expect.stringContaining('has been used')]);
    expect((await visitPages(app).open(address)).path).toContain('/sign-in?next=');
    expect((await visitor.open(address)).text).toContain('Your account ends at once and for good');
    const left = await visitor.send('main form');
    expect(left.$('[role=status]').text()).toContain('Your account is closed');
    expect((await app.as(token).get('/api/me')).status).toBe(401);
  });

  test('a link by mail takes the place of a password that was never set', async () => {
    const { app } = market;
    const person = await app.createUser({ verified: true });
    const now = app.services.clock.now();
    const token = await createAccountToken(app.database.db, { purpose: 'magic_link', user: person }, now);
    const stranger = await app.createUser();
    expect((await app.as(stranger).delete('/api/me', { body: { token } })).status).toBe(400);
    expect((await app.as(person).delete('/api/me', { body: { token } })).status).toBe(200);
    expect((await app.as(person).get('/api/me')).status).toBe(401);
  });
});

test.skipIf(browserPath === undefined)(
  'in a browser, the link of the mail saves the archive as a file, and a link by mail closes the account',
  async () => {
    const market = await start('nautical');
    const { app, workers } = market;
    const token = await register(market, 'ada@example.com');
    const { page, problems, close } = await openPage(app);
    await page.context().addCookies([{ name: 'session', value: token, url: app.url }]);
    await page.goto(`${app.url}/my/account`);
    await page.getByRole('button', { name: 'Prepare my data' }).click();
    await page.locator('main > [role=status]').waitFor();
    await workers.work('export-account');
    await page.goto(await linkInMail(market, 'export-ready'));
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download my data' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^export-\w+\.json$/);
    expect(JSON.parse(readFileSync(await file.path(), 'utf8')).profile[0].email).toBe('ada@example.com');

    await page.goto(`${app.url}/my/account`);
    await page.locator('#leave').getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByText('A mail with a link is on its way').waitFor();
    await page.goto(await linkInMail(market, 'magic-link'));
    await page.getByRole('link', { name: 'Close account' }).click();
    await page.getByRole('button', { name: 'Close my account for good' }).click();
    await page.getByText('Your account is closed').waitFor();
    expect(problems).toEqual([]);
    await close();
    await workers.close();
  },
);
