import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import sharp from 'sharp';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { DAY_MS } from '../../../shared/kit/clock.ts';
import { leaveAccount } from '../../../shared/leaving/leave.ts';
import type { Payload } from '../../../shared/queues/queues.ts';
import { templates } from '../../../workers/emails/templates.ts';
import { ask, movableClock, offer } from '../../api/rentals/fixture.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { createRun, createScraper } from '../../support/openapi-cases-things.ts';
import { newPhoto, formOf } from '../../support/pictures.ts';
import { codeOf, createPasskeyOf } from '../../support/recipes/sign-in.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

const clock = movableClock();
let app: TestApp;
let workers: TestWorkers;
let seller: TestUser;
let buyer: TestUser;
let restored: TestUser;
beforeAll(async () => {
  app = await startApp({ clock });
  workers = await startWorkers(app);
  [seller, buyer] = [await app.createUser({ name: 'Olga' }), await app.createUser({ name: 'Bo' })];
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const enqueue = (template: string, user_id: string, data: Record<string, unknown>) =>
  inTransaction(app.services.db, (tx) =>
    app.services.jobs.enqueue(tx, 'send-email', { message_id: `${template}.test`, template, user_id, data }),
  );

async function publish(): Promise<{ id: string; slug: string }> {
  const { body: image } = await app
    .as(seller)
    .post('/api/upload', undefined, { raw: formOf([['file', await newPhoto(640, 480)]]) });
  const { body, text } = await app.as(seller).post('/api/listings', listingBody({ images: [{ url: image.url }] }));
  expect((await app.as(seller).post(`/api/listings/${body.id}/publish`)).status, text).toBe(200);
  return body;
}

/** Does what each mail tells of, by the API where that is what causes it. */
async function causeEveryMail(): Promise<void> {
  const [merged, hidden] = [await publish(), await publish()];
  // That it is online is told no more once it is not.
  await workers.take('send-email');
  const [listing, sold] = [await publish(), await publish()];
  const path = `/api/listings/${listing.id}`;
  await app
    .as(buyer)
    .post('/api/me/saved-searches', { name: 'Boats', query_params: { type: 'sale' }, notify: 'instant' });
  await publish();
  await app.as().post(`${path}/contact`, { name: 'Ada', email: 'ada@example.com', message: 'Is she still for sale?' });
  await app.as(buyer).post('/api/conversations', { listing_id: listing.id, message: 'When can I see her?' });
  const { body: checkout } = await app.as(seller).post(`${path}/premium/checkout`, { plan: 'featured', duration: 7 });
  await app.as().post(`/api/payments/stub/${checkout.session_id}`);
  await app.as(seller).post(`/api/listings/${sold.id}/mark-sold`, { buyer_id: buyer.id });
  await app.as(buyer).post(`/api/listings/${sold.id}/reviews`, { rating: 5, comment: 'As described.' });
  await app.as().post('/api/newsletter/subscribe', { email: 'reader@example.com' });
  await app.as().post('/api/auth/magic-link', { email: buyer.email });
  await app.as().post('/api/auth/password-reset', { email: buyer.email });
  await app.as().post('/api/auth/register', { email: 'new@example.com', password: 'correct horse battery' });
  const { body: totp } = await app.as(buyer).post('/api/me/totp');
  await app.as(buyer).post('/api/me/totp/confirm', { code: codeOf(totp.secret, clock.now()) });
  await causeBookings();
  const [administrator, forgetful] = [await app.createUser({ role: 'admin' }), await app.createUser()];
  await createPasskeyOf(app.services, forgetful);
  await app.as(administrator).post(`/api/admin/users/${forgetful.id}/reset-second-factors`);
  await enqueue('listing-rejected', seller.id, { title: 'A boat', reason: 'No photo of it.' });
  await enqueue('password-changed', seller.id, {
    changed_at: clock.now().toISOString(),
    url: `${app.services.config.site.url}/sign-in/forgot`,
  });
  await app.as(seller).post('/api/me/export');
  await workers.work('export-account');
  const leaver = await app.createUser();
  await inTransaction(app.services.db, (tx) => leaveAccount(tx, app.services, leaver.id));
  await workers.work('erase-account');
  await app.database.pool.query(
    `update listings set status = 'deleted', deleted_at = $3, merged_into = $2 where id = $1`,
    [merged.id, listing.id, clock.now()],
  );
  await enqueue('listing-merged', seller.id, { listing_id: merged.id });
  const hook = { url: 'https://shop.example.com/hooks', failing_since: clock.now().toISOString() };
  await enqueue('webhook-gone', seller.id, hook);
  const [admin, scammer] = [await app.createUser({ role: 'admin' }), await app.createUser()];
  await app.as(admin).post(`/api/admin/users/${scammer.id}/suspend`, { reason: 'Boats that do not exist.' });
  const banned = await app.createUser();
  await app.as(admin).post(`/api/admin/users/${banned.id}/suspend`, { reason: 'A mistake.' });
  await app.as(admin).post(`/api/admin/users/${banned.id}/unsuspend`);
  restored = { ...banned, token: await app.services.tokens.sign({ id: banned.id, role: 'user', session_epoch: 1 }) };
  await app.as(buyer).post(`/api/listings/${hidden.id}/flag`, { reason: 'fraud' });
  const hide = { action: 'hide', facts: 'The photos show another boat.' };
  await app.as(admin).post(`/api/admin/reports/${hidden.id}/decide`, hide);
  const { body: appeal } = await app.as(seller).post(`/api/listings/${hidden.id}/appeal`, { text: 'She is mine.' });
  const other = await app.createUser({ role: 'moderator' });
  await app.as(other).post(`/api/admin/appeals/${appeal.id}/decide`, { outcome: 'refused' });
  await enqueue('webhook-disabled', seller.id, hook);
  const run = await createRun(app.services, await createScraper(app.services, seller), 'failed');
  await app.services.db.insertInto('run_findings').values({ run_id: run }).execute();
  await enqueue('scraper-quarantined', seller.id, {
    run_id: run,
    oddities: [{ kind: 'no_records', of: 9, before: 8 }],
  });
}

async function causeBookings(): Promise<void> {
  const rental = await offer(app.as(seller));
  const answer = (id: string, who: TestUser, verb: string) =>
    app.as(who).post(`/api/rentals/${rental}/bookings/${id}/${verb}`);
  const first = await ask(app.as(buyer), rental, '2027-05-01', '2027-05-08');
  await answer(first, seller, 'confirm');
  await answer(first, buyer, 'cancel');
  await answer(await ask(app.as(buyer), rental, '2027-06-01', '2027-06-08'), seller, 'decline');
  await enqueue('booking-lapsed', buyer.id, {
    booking_id: await ask(app.as(buyer), rental, '2027-07-01', '2027-07-08'),
  });
}

type Sent = {
  name: string;
  to: string;
  html: string;
  text: string;
  files: Map<string, { mimeType: string; content: ArrayBuffer | Uint8Array | string }>;
};

async function sendAll(): Promise<Sent[]> {
  await workers.readJournal();
  await workers.work('match-saved-searches');
  clock.move(DAY_MS);
  await inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, 'send-digests', {}));
  await workers.work('send-digests');
  await workers.work('mail-account-link');
  clock.move(22 * DAY_MS);
  await inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, 'notify-expiring', {}));
  await workers.work('notify-expiring');
  clock.move(-23 * DAY_MS);
  expect((await workers.work('send-email')).filter(({ status }) => status !== 'completed')).toEqual([]);
  const folder = join(app.dataDir, 'outbox');
  const mails = await Promise.all(
    readdirSync(folder).map((name) => PostalMime.parse(readFileSync(join(folder, name)))),
  );
  return mails.map(({ messageId = '', to, html = '', text = '', attachments }) => ({
    name: messageId.slice(1).split('.', 1).join(),
    to: to?.[0]?.address ?? '',
    html,
    text,
    files: new Map(attachments.map(({ contentId = '', mimeType, content }) => [contentId, { mimeType, content }])),
  }));
}

/** Opens an address as a browser does; where it led, and what was there. */
async function open(url: string, cookie = '') {
  const response = await fetch(url, {
    headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', Cookie: cookie },
  });
  const { status, headers } = response;
  return { status, type: headers.get('content-type'), at: new URL(response.url), html: await response.text() };
}

test('every link of every mail leads to a page that works, if need be by signing in', async () => {
  await causeEveryMail();
  const mails = await sendAll();
  expect([...new Set(mails.map(({ name }) => name))].toSorted()).toEqual(Object.keys(templates).toSorted());
  const people = new Map([seller, buyer, restored].map((user) => [user.email, `session=${user.token}`]));
  for (const { name, to, html, text } of mails) {
    // Who has left has nothing to do any more, who is suspended answers the mail, and a welcome asks for nothing: its footer is how to end what it welcomes to.
    if (!['newsletter-welcome', 'account-left', 'account-suspended'].includes(name))
      expect(load(html)('main a[style]').length, `the button of ${name}`).toBe(1);
    for (const link of load(html)('a').toArray()) {
      const url = String(link.attribs.href);
      expect(text, name).toContain(url);
      const seen = await open(url);
      expect({ name, url, status: seen.status, type: seen.type }).toEqual({
        name,
        url,
        status: 200,
        type: 'text/html; charset=utf-8',
      });
      if (seen.at.pathname !== '/sign-in') continue;
      const { pathname, search } = new URL(url);
      expect(seen.at.searchParams.get('next'), name).toBe(pathname + search);
      expect(load(seen.html)('input[name=next]').attr('value')).toBe(pathname + search);
      const signedIn = await open(url, people.get(to));
      expect({ name, status: signedIn.status, path: signedIn.at.pathname }).toEqual({
        name,
        status: 200,
        path: pathname,
      });
    }
  }
});

test('a mail about a listing shows its photo, title and price on a card with the one button', async () => {
  const listing = await publish();
  const job: Payload<'send-email'> = {
    message_id: 'listing-approved.card',
    template: 'listing-approved',
    user_id: seller.id,
    data: { listing_id: listing.id, title: 'A boat', url: `${app.url}/listings/${listing.slug}` },
  };
  await inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, 'send-email', job));
  const mail = (await sendAll()).findLast(({ html }) => html.includes(`${app.url}/listings/${listing.slug}`));
  const card = load(mail?.html ?? '')('.card');
  expect(card.find('a[style]').attr('href')).toBe(`${app.url}/listings/${listing.slug}`);
  const [, cid] = /^cid:(.+)$/.exec(card.find('img').attr('src') ?? '') ?? [];
  const photo = mail?.files.get(`<${cid}>`);
  expect(photo?.mimeType).toBe('image/jpeg');
  const { format, width } = await sharp(photo?.content as ArrayBuffer).metadata();
  expect([format, width]).toEqual(['jpeg', 640]);
  expect(card.text()).toContain('€');
  expect(mail?.text).toMatch(/€[\d,]+ · /);
});
