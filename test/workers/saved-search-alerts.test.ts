import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/kit/clock.ts';
import { sendDigests } from '../../shared/saved-searches/digests.ts';
import { matchListings } from '../../shared/saved-searches/match.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { createListing } from '../support/openapi-cases-things.ts';
import { setRates } from '../support/rates.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let now = new Date('2026-03-04T12:00:00Z');
const clock = { now: () => now };
const pass = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

let app: TestApp;
let workers: TestWorkers;
let seller: TestUser;
let buyer: TestUser;
beforeAll(async () => {
  app = await startApp({ clock });
  workers = await startWorkers(app);
  [seller, buyer] = [await app.createUser(), await app.createUser()];
});
afterAll(async () => {
  await workers.close();
  await app.close();
});
beforeEach(async () => {
  await settle();
  await app.database.pool.query('truncate saved_searches cascade');
});

async function settle(): Promise<void> {
  await workers.readJournal();
  await workers.work('match-saved-searches');
}

async function save(
  query_params: object = { category: 'sailboats' },
  notify = 'instant',
  who = buyer,
): Promise<string> {
  const { status, body } = await app.as(who).post('/api/me/saved-searches', { name: 'Boats', query_params, notify });
  expect(status).toBe(201);
  return body.id;
}

async function publish(): Promise<string> {
  const { id } = await createListing(app.services, { ...seller }, 'draft');
  expect((await app.as(seller).post(`/api/listings/${id}/publish`)).status).toBe(200);
  return id;
}

const setPrice = async (id: string, amount: number, currency = 'EUR') => {
  const price = { amount, currency, negotiable: false };
  expect((await app.as(seller).put(`/api/listings/${id}`, { price })).status).toBe(200);
};
const setStatus = async (id: string, status: string) =>
  expect((await app.as(seller).patch(`/api/listings/${id}`, { status })).status).toBe(200);

const matches = async () =>
  app.services.db
    .selectFrom('saved_search_matches')
    .select(['saved_search_id', 'listing_id', 'reason', 'price', 'previous_price', 'notified_at'])
    .orderBy('matched_at')
    .orderBy('listing_id')
    .execute();

const events = async (subject: string) =>
  app.services.db
    .selectFrom('events')
    .select(['owner_id', 'data'])
    .where('type', '=', 'saved_search.matched')
    .where('subject', '=', subject)
    .execute();

/** Sends what is due, and answers the mails about saved searches so far. */
async function mails(): Promise<Email[]> {
  await workers.work('send-digests');
  await inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, 'send-digests', {}));
  await workers.work('send-digests');
  await workers.work('send-email');
  const folder = join(app.dataDir, 'outbox');
  const all = readdirSync(folder).map((name) => PostalMime.parse(readFileSync(join(folder, name))));
  return (await Promise.all(all)).filter((mail) => mail.text?.includes('/unsubscribe?token=saved_search.'));
}

test("a mail shows the title in its reader's language, also while a newer one is being made", async () => {
  const reader = await app.createUser();
  await app.database.pool.query(`update users set language = 'de' where id = $1`, [reader.id]);
  await save({ category: 'sailboats' }, 'instant', reader);
  const [done, underway, never] = [await publish(), await publish(), await publish()];
  await app.database.pool.query(
    `insert into listing_rewrites (listing_id, locale, status, title, description, source_hash, updated_at)
     select id, 'de', status, 'Titel ' || status, 'Auf Deutsch.', hash::bytea, $1
     from (values ($2, 'completed', null), ($3, 'processing', 'x'), ($4, 'pending', null)) as t (id, status, hash)`,
    [now, done, underway, never],
  );
  await settle();
  pass(MINUTE_MS * 10);
  const texts = (await mails()).filter(({ to }) => to?.[0]?.address === reader.email).map(({ text }) => text ?? '');
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain('Titel completed');
  expect(texts[0]).toContain('Titel processing');
  expect(texts[0]).not.toContain('Titel pending');
});

describe('news', () => {
  test('a published listing is new to those who look for it, and to nobody else, once', async () => {
    const mine = await save();
    const others = await save({ category: 'engines' });
    const own = await save({}, 'instant', seller);
    const id = await publish();
    await settle();
    await settle();
    expect(await matches()).toMatchObject([
      { saved_search_id: mine, listing_id: id, reason: 'new', price: 12_345, previous_price: null, notified_at: null },
    ]);
    expect(await events(mine)).toEqual([
      {
        owner_id: buyer.id,
        data: {
          saved_search_id: mine,
          name: 'Boats',
          matches: [
            {
              listing_id: id,
              slug: expect.any(String),
              title: expect.any(String),
              reason: 'new',
              price: { amount: 12_345, currency: 'EUR' },
            },
          ],
        },
      },
    ]);
    expect([...(await events(others)), ...(await events(own))]).toEqual([]);
  });

  test('what comes back at the same price is no news again, at another price it is', async () => {
    await save();
    const id = await publish();
    await settle();
    await setStatus(id, 'paused');
    await setStatus(id, 'active');
    await settle();
    expect(await matches()).toHaveLength(1);
    await setStatus(id, 'paused');
    await setPrice(id, 13_000);
    await settle();
    expect(await matches()).toHaveLength(1);
    await setStatus(id, 'active');
    await settle();
    expect(await matches()).toMatchObject([{ price: 12_345 }, { price: 13_000, reason: 'new' }]);
  });

  test('a lower price is news with the price before, in another currency by the exchange rates, and a higher one is none', async () => {
    const id = await publish();
    await settle();
    await save();
    await setPrice(id, 12_000);
    await settle();
    await setPrice(id, 12_500);
    await settle();
    await setPrice(id, 12_000);
    await settle();
    await setRates(app, { USD: 1.25 });
    await setPrice(id, 15_001, 'USD');
    await settle();
    await setPrice(id, 11_999);
    await settle();
    await setPrice(id, 14_000, 'USD');
    await settle();
    await setPrice(id, 0, 'USD');
    await settle();
    expect(await matches()).toMatchObject([
      { reason: 'price_drop', price: 12_000, previous_price: 12_345 },
      { reason: 'price_drop', price: 11_999, previous_price: 12_000.8 },
      { reason: 'price_drop', price: 14_000, previous_price: 14_998.75 },
    ]);
  });

  test('several drops before anybody looked are one', async () => {
    const id = await publish();
    await settle();
    await save();
    for (const amount of [12_000, 11_000, 10_000]) await setPrice(id, amount);
    await settle();
    expect(await matches()).toMatchObject([{ reason: 'price_drop', price: 10_000, previous_price: 12_345 }]);
  });

  test('what is not public any more when it is looked at is no news', async () => {
    await save();
    const id = await publish();
    await setStatus(id, 'sold');
    await settle();
    expect(await matches()).toEqual([]);
  });

  test('a search that is off finds nothing, and nothing of that time when it is on again', async () => {
    const search = await save({}, 'off');
    await publish();
    await settle();
    await app.as(buyer).patch(`/api/me/saved-searches/${search}`, { notify: 'daily' });
    await settle();
    expect(await matches()).toEqual([]);
    const id = await publish();
    await settle();
    expect(await matches()).toMatchObject([{ listing_id: id }]);
  });
});

describe('at the same time', () => {
  const match = (id: string) =>
    inTransaction(app.services.db, (tx) =>
      matchListings(tx, workers.services, now, [{ listing_id: id, reason: 'new' }]),
    );

  test('several workers with the same listing find it once, with one event', async () => {
    const search = await save();
    const id = await publish();
    const found = await Promise.all([match(id), match(id), match(id), match(id)]);
    expect(found.reduce((sum, each) => sum + each)).toBe(1);
    expect([(await matches()).length, (await events(search)).length]).toEqual([1, 1]);
  });

  test('a digest leaves a search alone that news is being found for, and mails all of it afterwards', async () => {
    await save();
    const [first, second] = [await publish(), await publish()];
    await match(first);
    pass(MINUTE_MS);
    const send = () => inTransaction(app.services.db, (tx) => sendDigests(tx, app.services, now, 10));
    await inTransaction(app.services.db, async (tx) => {
      await matchListings(tx, workers.services, now, [{ listing_id: second, reason: 'new' }]);
      expect(await send()).toBe(0);
    });
    expect(await send()).toBe(1);
    expect((await matches()).map(({ notified_at }) => notified_at)).toEqual([now, now]);
    await workers.take('send-email');
  });

  test('many listings and many searches in any order end without a deadlock', async () => {
    for (let index = 0; index < 8; index += 1) await save();
    const ids = [await publish(), await publish(), await publish()];
    const found = await Promise.all([...ids, ...ids.toReversed()].map(match));
    expect(found.reduce((sum, each) => sum + each)).toBe(24);
  });
});

describe('mail', () => {
  test('instant: what came within seconds is one mail, with a link that ends it', async () => {
    const before = (await mails()).length;
    const search = await save({ category: 'sailboats', max_price: 20_000 });
    const [first, second] = [await publish(), await publish()];
    await settle();
    await setPrice(second, 11_000);
    await settle();
    expect(await mails()).toHaveLength(before);
    pass(MINUTE_MS);
    const sent = await mails();
    expect(sent).toHaveLength(before + 1);
    const mail = sent.find(({ text }) => text?.includes(first.slice(4).toLowerCase()));
    expect(mail?.to).toEqual([{ address: buyer.email, name: '' }]);
    expect(mail?.subject).toBe('2 new matches for "Boats"');
    expect(mail?.text).toContain('€11,000, reduced from €12,345 · Kappeln');
    expect(mail?.text).toContain('/search?category=sailboats&max_price=20000');
    const header = mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const token = /token=([^>]+)/.exec(header)?.[1];
    expect((await app.as().post(`/api/unsubscribe?token=${token}`)).body).toEqual({
      unsubscribed: true,
      kind: 'saved_search',
    });
    await publish();
    await settle();
    pass(DAY_MS);
    expect(await mails()).toHaveLength(before + 1);
    const { body } = await app.as(buyer).get('/api/me/saved-searches');
    expect(body.results).toMatchObject([{ id: search, notify: 'off' }]);
  });

  test('instant: a job is due within 15 s of the match, one for all that are; others wait for the clock', async () => {
    const waiting = async () =>
      (
        await app.database.pool.query(
          `select start_after from pgboss.job where name = 'send-digests' and state = 'created'`,
        )
      ).rows;
    await workers.take('send-digests');
    await save({}, 'daily');
    await publish();
    await settle();
    expect(await waiting()).toEqual([]);
    await save();
    await save();
    await publish();
    await settle();
    const [{ start_after: due }, ...others] = await waiting();
    expect(others).toEqual([]);
    expect(due.getTime() - now.getTime()).toBeGreaterThanOrEqual(10_000);
    expect(due.getTime() - now.getTime()).toBeLessThanOrEqual(15_000);
    await workers.take('send-digests');
  });

  test('daily: one mail at seven, whatever came before it', async () => {
    now = new Date('2026-03-05T08:00:00Z');
    const before = (await mails()).length;
    await save({}, 'daily');
    await publish();
    await settle();
    pass(6 * 3_600_000);
    await publish();
    await settle();
    expect(await mails()).toHaveLength(before);
    now = new Date('2026-03-06T06:59:59Z');
    expect(await mails()).toHaveLength(before);
    now = new Date('2026-03-06T07:00:00Z');
    expect(await mails()).toHaveLength(before + 1);
    pass(2 * DAY_MS);
    expect(await mails()).toHaveLength(before + 1);
  });

  test('weekly news become instant ones when the user asks for them', async () => {
    const before = (await mails()).length;
    const search = await save({}, 'weekly');
    await publish();
    await settle();
    await app.as(buyer).patch(`/api/me/saved-searches/${search}`, { notify: 'instant' });
    pass(MINUTE_MS);
    expect(await mails()).toHaveLength(before + 1);
  });

  test('what is sold before the mail goes out is not told, and a mail about nothing else is not sent', async () => {
    const before = (await mails()).length;
    await save();
    const id = await publish();
    await settle();
    pass(MINUTE_MS);
    await inTransaction(app.services.db, (tx) => sendDigests(tx, app.services, now, 10));
    await setStatus(id, 'sold');
    expect(await workers.work('send-email')).toContainEqual(
      expect.objectContaining({ status: 'completed', output: { skipped: 'there is nothing left to tell' } }),
    );
    expect(await mails()).toHaveLength(before);
  });

  test('a digest that was killed is made up for, and two at once mail each match once', async () => {
    await save();
    await save({}, 'instant');
    await publish();
    await settle();
    pass(MINUTE_MS);
    const died = inTransaction(app.services.db, async (tx) => {
      expect(await sendDigests(tx, app.services, now, 10)).toBe(2);
      throw new Error('killed');
    });
    await expect(died).rejects.toThrow('killed');
    expect((await matches()).map(({ notified_at }) => notified_at)).toEqual([null, null]);
    const send = () => inTransaction(app.services.db, (tx) => sendDigests(tx, app.services, now, 10));
    const counts = await Promise.all([send(), send(), send()]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(2);
    expect((await matches()).map(({ notified_at }) => notified_at)).toEqual([now, now]);
    expect(
      (await workers.take('send-email')).filter(({ data }) => data.template === 'saved-search-matches'),
    ).toHaveLength(2);
  });
});
