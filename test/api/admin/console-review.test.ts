import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { offer, storeGroup } from '../../support/dedup-groups.ts';
import { listingBody } from '../../support/listing-bodies.ts';

const nasty = '<img src=x onerror=alert(1)>';
const nastyText = `A boat like any other ${nasty} <script>alert(2)</script> with a text that stays text.`;

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let app: TestApp;
  let seller: TestUser;
  let admin: TestUser;
  let open: ConsolePage;
  let page: Page;
  beforeAll(async () => {
    app = await startApp();
    seller = await app.createUser({ name: `Olga ${nasty}` });
    admin = await app.createUser({ role: 'admin' });
    open = await openConsole(app, admin);
    ({ page } = open);
  });
  afterAll(async () => {
    await open?.close();
    await app?.close();
  });
  beforeEach(() => {
    open.problems.length = 0;
  });

  const visit = (hash: string) => open.visit(hash);
  const told = (text: string) => page.getByRole('status').getByText(text).waitFor();
  const caseOf = (title: string) => page.getByRole('article', { name: title, exact: true });
  const statusOf = async (id: string) => (await app.as(admin).get(`/api/listings/${id}`)).body.status;

  describe('duplicates', () => {
    const groupOf = async (id: string) => (await app.as(admin).get(`/api/admin/nautical/dedup/${id}`)).body;
    const offerPair = async (title: string, description?: string) => {
      const twin = await app.createUser();
      const one = await offer(app, seller, { title, ...(description && { description }) });
      const other = await offer(app, twin, {
        title: `${title}, again`,
        price: { amount: 99_000, currency: 'EUR', negotiable: false },
        ...(description && { description }),
      });
      return { one, other, group: await storeGroup(app, [one.id, other.id]) };
    };

    test('by keys alone: the second listing is kept, the merge taken back, and the next group rejected for good', async () => {
      const first = await offerPair('Lagoon 380, owner version');
      const second = await offerPair('Dufour 43 with four cabins');
      await visit(`#/duplicates?id=${first.group}`);
      const members = page.getByRole('region', { name: 'Members side by side' }).getByRole('article');
      await members.nth(1).waitFor();
      const { members: found } = await groupOf(first.group);
      await page.keyboard.press('2');
      await members.nth(1).getByRole('button', { name: 'To keep' }).waitFor();
      expect(await members.nth(0).locator('mark').allTextContents()).toContain(
        found[0].listing.price.amount === 99_000 ? '€99,000' : '€129,000',
      );
      await page.keyboard.press('m');
      await told('Merged: ');
      expect(await groupOf(first.group)).toMatchObject({ status: 'merged', canonical_id: found[1].listing_id });
      expect(await statusOf(found[0].listing_id)).toBe('deleted');

      await page.keyboard.press('u');
      await told('Taken apart: ');
      expect((await groupOf(first.group)).status).toBe('detected');
      expect(await statusOf(found[0].listing_id)).toBe('active');

      await visit(`#/duplicates?id=${second.group}`);
      await members.nth(1).waitFor();
      await page.keyboard.press('r');
      await page.getByRole('dialog', { name: 'No duplicates?' }).waitFor();
      await page.keyboard.press('Enter');
      await told('Rejected: ');
      expect((await groupOf(second.group)).status).toBe('rejected');
      expect(await statusOf(second.one.id)).toBe('active');
      await page.getByRole('button', { name: /^Rejected/ }).click();
      await page.getByRole('region', { name: 'Groups' }).getByText('Dufour 43').waitFor();
      expect(open.problems).toEqual([]);
    });

    test('j and k go through the groups, and several chosen ones are merged at once', async () => {
      const [one, other] = [await offerPair('Kestrel 22 day sailer'), await offerPair('Osprey 31 motor cruiser')];
      await visit('#/duplicates');
      const list = page.getByRole('region', { name: 'Groups' });
      const current = list.locator('[aria-current=true]');
      await current.getByText('Osprey 31').waitFor();
      await page.keyboard.press('s');
      await page.keyboard.press('j');
      await current.getByText('Kestrel 22').waitFor();
      await page.keyboard.press('s');
      await page.keyboard.press('k');
      await current.getByText('Osprey 31').waitFor();
      await list.getByRole('button', { name: 'Merge chosen (2)' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click();
      await told('2 of 2 groups merged.');
      expect(await Promise.all([one, other].map(async ({ group }) => (await groupOf(group)).status))).toEqual([
        'merged',
        'merged',
      ]);
      expect(open.problems).toEqual([]);
    });

    test('titles, texts and names with markup stay text', async () => {
      const { group } = await offerPair(`${nasty} Kestrel`, nastyText);
      await visit(`#/duplicates?id=${group}`);
      const member = page.getByRole('region', { name: 'Members side by side' }).getByRole('article').first();
      await member.getByRole('heading').getByText(nasty).waitFor();
      await member.getByText('<script>alert(2)</script>').waitFor();
      expect(await page.locator('img[src="x"]').count()).toBe(0);
      expect(open.problems).toEqual([]);
    });

    test('a merge that comes too late is told, and nothing is merged twice', async () => {
      const { one, group } = await offerPair('Heron 27 with a new engine');
      await visit(`#/duplicates?id=${group}`);
      await page.getByRole('button', { name: 'Merge m' }).waitFor();
      await app.as(admin).post(`/api/admin/nautical/dedup/${group}/reject`);
      await page.keyboard.press('m');
      await page.getByRole('alert').getByText('rejected').waitFor();
      expect(await statusOf(one.id)).toBe('active');
      expect(open.problems).toEqual([]);
    });
  });

  describe('moderation', () => {
    const doubtful = { price: { amount: 123_456, currency: 'EUR', negotiable: false } };
    const draft = async (fields: Parameters<typeof listingBody>[0] = {}) =>
      (await app.as(seller).post('/api/listings', listingBody({ ...doubtful, ...fields }))).body;

    test('a draft is approved, and the next rejected with a reason, without a mouse', async () => {
      const [good, bad] = [await draft(), await draft({ title: `Bad ${nasty}`, description: nastyText })];
      await visit(`#/moderation?id=${good.id}`);
      await caseOf(good.title).getByText('placeholder').first().waitFor();
      await page.keyboard.press('a');
      await told(`Approved: ${good.title}`);
      expect(await statusOf(good.id)).toBe('active');

      await caseOf(bad.title).getByText('<script>alert(2)</script>').waitFor();
      await page.keyboard.press('x');
      const reason = page.getByRole('dialog').getByLabel('Reason for the owner');
      expect(await reason.inputValue()).toContain('placeholder');
      await reason.fill('Name a price, <please>.');
      await page.keyboard.press('Control+Enter');
      await told(`Rejected: ${bad.title}`);
      const { body } = await app.as(admin).get(`/api/listings/${bad.id}`);
      expect(body).toMatchObject({
        status: 'deleted',
        moderation: { reasons: [{ code: 'rejected', message: 'Name a price, <please>.' }] },
      });
      expect(open.problems).toEqual([]);
    });

    test('a key works from the very moment that its listing is shown', async () => {
      const { id } = await draft({ title: 'A draft for whoever is quick' });
      await visit('#/runs');
      await page.evaluate(`new MutationObserver((_, observer) => {
        if (!document.querySelector('article.case')) return;
        observer.disconnect();
        dispatchEvent(new KeyboardEvent('keydown', { key: 'x' }));
      }).observe(document.body, { childList: true, subtree: true })`);
      await visit(`#/moderation?id=${id}`);
      await page.getByRole('dialog').getByLabel('Reason for the owner').waitFor();
      await app.as(seller).delete(`/api/listings/${id}`);
      expect(open.problems).toEqual([]);
    });

    test('a listing that a check has taken off show tells each sign of a scam with its reason, there and on its own page', async () => {
      const title = 'Najad 343 with signs of a scam';
      const { id } = await offer(app, seller, { title });
      const evidence = [
        {
          signal: 'copied_images',
          weight: 50,
          reason: "A photo (mirrored) stood in another seller's listing before.",
          details: { listings: [id] },
          keys: ['image:copied:a'],
        },
        { signal: 'new_account', weight: 20, reason: 'The account is 3 days old.', details: {}, keys: ['account:new'] },
      ];
      await app.database.pool.query(`update listings set status = 'flagged' where id = $1`, [id]);
      await app.database.pool.query(
        `insert into scam_checks (listing_id, version, score, evidence, cleared, held_at, checked_at)
         values ($1, 1, 50, $2, '{account:new}', now(), now())`,
        [id, JSON.stringify(evidence)],
      );
      await visit(`#/moderation?tab=reports&id=${id}`);
      const signs = page.getByRole('region', { name: 'Signs of a scam' });
      await signs.getByText('A photo (mirrored) stood').waitFor();
      await signs.getByText('weighs 50').waitFor();
      await signs.getByText('approved by a moderator, does not count').waitFor();
      await visit(`#/listings/${id}`);
      await signs.getByText('A photo (mirrored) stood').waitFor();
      expect(open.problems).toEqual([]);
    });

    test('a reported listing shows who says what of it, and what else its seller offers', async () => {
      const other = await offer(app, seller, { title: 'Another boat of this seller' });
      const flagged = await offer(app, seller, { title: 'A boat that is reported' });
      const reporter = await app.createUser({ name: 'Jonas Lind' });
      await app
        .as(reporter)
        .post(`/api/listings/${flagged.id}/flag`, { reason: 'fraud', description: `Pay first? ${nasty}` });
      await visit('#/moderation');
      await page.getByRole('button', { name: /^Reported/ }).click();
      const shown = caseOf(flagged.title);
      await shown.getByText(`Pay first? ${nasty}`).waitFor();
      await shown.getByText('Jonas Lind').waitFor();
      await shown.getByText(other.title).waitFor();
      await page.keyboard.press('a');
      await told(`Approved: ${flagged.title}`);
      expect(await statusOf(flagged.id)).toBe('active');
      expect(open.problems).toEqual([]);
    });
  });

  test('rewriting: a text that failed is shown with the reason, beside the original, and written by hand instead', async () => {
    const { id, title } = await offer(app, seller, { title: 'A boat that is told in German' });
    await app.database.pool.query(
      `insert into listing_rewrites (listing_id, locale, status, attempts, error, title, description, updated_at)
       values ($1, 'de', 'failed', 3, 'The number 46 is missing.', null, null, now()),
              ($1, 'fr', 'completed', 1, null, 'Un bateau ${nasty}', 'Raconté en français.', now())`,
      [id],
    );
    await visit('#/rewriting');
    const row = page.getByRole('table', { name: 'Texts', exact: true }).getByRole('row', { name: title });
    await row.getByText('The number 46 is missing.').waitFor();
    await row.click();
    const dialog = page.getByRole('dialog', { name: 'Texts of a listing' });
    await dialog.getByRole('article', { name: 'Original in en' }).getByText(title).waitFor();
    await dialog.getByRole('article', { name: 'Rewritten in fr' }).getByText(`Un bateau ${nasty}`).waitFor();
    const german = dialog.getByRole('article', { name: 'Rewritten in de' });
    await german.getByRole('button', { name: 'Write by hand' }).click();
    await german.getByLabel('Title').fill('Ein Boot auf Deutsch');
    await german.getByRole('button', { name: 'Save' }).click();
    await german.getByText('Written by hand').waitFor();
    expect((await app.as().get(`/api/listings/${id}?lang=de`)).body.title).toBe('Ein Boot auf Deutsch');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(open.problems).toEqual([]);
  });

  test('on a phone the list and the entry take turns, and the page is not wider than the screen', async () => {
    await offer(app, seller, { title: 'Small screen, small boat' });
    const pair = await Promise.all(
      ['Narrow boat from Leeds', 'Narrowboat, from Leeds'].map((title) => offer(app, seller, { title })),
    );
    await storeGroup(
      app,
      pair.map(({ id }) => id),
    );
    await page.setViewportSize({ width: 360, height: 740 });
    try {
      await visit('#/duplicates');
      await page
        .getByRole('region', { name: 'Groups' })
        .getByRole('button', { name: /Narrow/ })
        .click();
      await page.getByRole('button', { name: 'Merge', exact: false }).first().waitFor();
      expect(await page.getByRole('region', { name: 'Groups' }).isVisible()).toBe(false);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await page.getByRole('button', { name: '‹ Groups' }).click();
      await page.getByRole('region', { name: 'Groups' }).waitFor();
      expect(open.problems).toEqual([]);
    } finally {
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });
});
