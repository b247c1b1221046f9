import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ratingOf } from '../../../shared/reviews/rating.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { createListing } from '../../support/openapi-cases-things.ts';
import { startWorkers } from '../../support/workers.ts';

let now = new Date('2026-05-04T09:00:00.000Z');
let app: TestApp;
let seller: TestUser;
let buyer: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  seller = await app.createUser({ name: 'Annika Berg' });
  buyer = await app.createUser({ name: 'Jonas Lind' });
  stranger = await app.createUser();
});
afterAll(async () => {
  await app.close();
});

const minutesPass = (minutes = 1) => {
  now = new Date(now.getTime() + minutes * 60_000);
  return now.toISOString();
};
const publicListing = (owner = seller) => createListing(app.services, owner, 'active');
const ask = async (who: TestUser, listing_id: string) =>
  (await app.as(who).post('/api/conversations', { listing_id, message: 'Is she still for sale?' })).body.id as string;
const answer = (id: string, who = seller) =>
  app.as(who).post(`/api/conversations/${id}/messages`, { content: 'She is.' });
const review = (who: TestUser, listing: string, body: object = { rating: 5 }) =>
  app.as(who).post(`/api/listings/${listing}/reviews`, body);
const reply = (who: TestUser, listing: string, reviewId: string, text = 'Thank you.') =>
  app.as(who).post(`/api/listings/${listing}/reviews/${reviewId}/reply`, { reply: text });
/** A listing that this buyer has bought. */
async function bought(who = buyer, owner = seller) {
  const listing = await publicListing(owner);
  await app.as(owner).post(`/api/listings/${listing.id}/mark-sold`, { buyer_id: who.id });
  return listing;
}

test('201 for a buyer whom the seller has answered; the review is read with the listing and with the seller', async () => {
  const { id, slug } = await publicListing();
  await answer(await ask(buyer, id));
  const created_at = minutesPass();
  const { status, body } = await review(buyer, slug, { rating: 4, comment: 'Sound boat, fair seller.' });
  expect([status, body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^rev_/),
      listing_id: id,
      seller_id: seller.id,
      reviewer: { id: buyer.id, name: 'Jonas Lind' },
      rating: 4,
      comment: 'Sound boat, fair seller.',
      created_at,
      reply: null,
    },
  ]);
  const page = { results: [body], pagination: { page: 1, limit: 20, total: 1, pages: 1 } };
  expect((await app.as().get(`/api/listings/${id}/reviews`)).body).toEqual(page);
  expect((await app.as().get(`/api/listings/${slug}/reviews`)).body).toEqual(page);
  expect((await app.as().get(`/api/users/${seller.id}/reviews`)).body.results).toEqual([body]);
});

describe('who may review', () => {
  test('the buyer whom the seller has named, without any conversation; a comment is not needed', async () => {
    const { id } = await bought();
    const { status, body } = await review(buyer, id, { rating: 5, comment: null });
    expect([status, body.comment, body.rating]).toEqual([201, null, 5]);
  });

  test('403 for who has never asked, and for who has asked without an answer, however often', async () => {
    const { id } = await publicListing();
    expect((await review(stranger, id)).status).toBe(403);
    await ask(stranger, id);
    await ask(stranger, id);
    expect((await review(stranger, id)).status).toBe(403);
    await answer(await ask(buyer, id));
    expect((await review(stranger, id)).status).toBe(403);
  });

  test('403 for the seller; an answer about another listing counts for nothing', async () => {
    const [one, other] = [await publicListing(), await publicListing()];
    await answer(await ask(buyer, one.id));
    const replies = [await review(seller, one.id), await review(buyer, other.id)];
    expect(replies.map(({ status }) => status)).toEqual([403, 403]);
  });

  test('403 again when the sale is taken back', async () => {
    const { id } = await bought();
    await app.as(seller).patch(`/api/listings/${id}`, { status: 'active' });
    expect((await review(buyer, id)).status).toBe(403);
  });

  test('404 for a listing that never was, and for one that the caller has never seen', async () => {
    const { id } = await createListing(app.services, seller, 'draft');
    expect((await review(buyer, 'no-such-listing')).status).toBe(404);
    expect((await review(buyer, id)).status).toBe(404);
  });
});

test('409 for the second review of a listing; of 10 parallel ones exactly one is stored', async () => {
  const { id } = await bought();
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) => review(buyer, id, { rating: 1 + (index % 5) })),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(9).fill(409)]);
  expect((await review(buyer, id)).status).toBe(409);
  expect((await app.as().get(`/api/listings/${id}/reviews`)).body.pagination.total).toBe(1);
  const stored = await app.database.pool.query(
    `select from events where type = 'review.created' and data->>'listing_id' = $1`,
    [id],
  );
  expect(stored.rowCount).toBe(1);
});

describe('400', () => {
  test.each([
    [{ rating: 0 }],
    [{ rating: 6 }],
    [{ rating: 4.5 }],
    [{ rating: null }],
    [{}],
    [{ rating: 5, comment: '' }],
    [{ rating: 5, comment: ' \n' }],
    [{ rating: 5, comment: 'x'.repeat(2_001) }],
    [{ rating: 5, reply: 'x' }],
  ])('for %j', async (body) => {
    const { id } = await bought();
    const { status, body: answered } = await review(buyer, id, body);
    expect([status, answered.error.code]).toEqual([400, 'validation_error']);
  });

  test('moderation_rejected for a review or a reply full of links; a few strange signs are a review', async () => {
    const { id } = await bought();
    const spam = `Look at ${Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com/x`).join(' ')}`;
    const refused = await review(buyer, id, { rating: 1, comment: spam });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'moderation_rejected']);
    expect(refused.body.error.details.reasons).toEqual(['link_spam']);
    const { status, body } = await review(buyer, id, { rating: 5, comment: '👍 10/10' });
    expect(status).toBe(201);
    const answered = await reply(seller, id, body.id, spam);
    expect([answered.status, answered.body.error.code]).toEqual([400, 'moderation_rejected']);
    expect((await reply(seller, id, body.id, '🙏')).status).toBe(201);
  });
});

describe('a reply', () => {
  test('201 for the seller, once, and it is read with the review', async () => {
    const { id, slug } = await bought();
    const { body } = await review(buyer, id);
    const created_at = minutesPass();
    const replied = await reply(seller, slug, body.id, 'Fair winds!');
    expect([replied.status, replied.body]).toEqual([201, { ...body, reply: { text: 'Fair winds!', created_at } }]);
    expect((await app.as().get(`/api/listings/${id}/reviews`)).body.results).toEqual([replied.body]);
    const again = await reply(seller, id, body.id, 'And more.');
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
    expect((await app.as().get(`/api/listings/${id}/reviews`)).body.results).toEqual([replied.body]);
  });

  test('of 10 parallel ones exactly one is stored', async () => {
    const { id } = await bought();
    const { body } = await review(buyer, id);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => reply(seller, id, body.id, `Reply ${index}`)),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(9).fill(409)]);
    const [stored] = (await app.as().get(`/api/listings/${id}/reviews`)).body.results;
    expect(stored.reply).toEqual(replies.find(({ status }) => status === 201)?.body.reply);
  });

  test('403 for anybody else, the reviewer too; 404 for another review or under another listing', async () => {
    const [one, other] = [await bought(), await bought()];
    const { body } = await review(buyer, one.id);
    const replies = [
      await reply(buyer, one.id, body.id),
      await reply(stranger, one.id, body.id),
      await reply(seller, other.id, body.id),
      await reply(seller, 'no-such-listing', body.id),
      await reply(seller, one.id, 'rev_01K6QD4M5N6P7Q8R9S0T1V2W3X'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([403, 403, 404, 404, 404]);
  });
});

test('reviews come newest first, page by page, and the rating counts the stars of all of them', async () => {
  const owner = await app.createUser();
  const stars = [5, 4, 5, 2];
  for (const rating of stars) {
    minutesPass();
    await review(buyer, (await bought(buyer, owner)).id, { rating });
  }
  const page = async (query: string) => {
    const { results, pagination } = (await app.as().get(`/api/users/${owner.id}/reviews${query}`)).body;
    return [results.map(({ rating }: { rating: number }) => rating), pagination];
  };
  expect(await page('?limit=3')).toEqual([[2, 5, 4], { page: 1, limit: 3, total: 4, pages: 2 }]);
  expect(await page('?limit=3&page=2')).toEqual([[5], { page: 2, limit: 3, total: 4, pages: 2 }]);
  expect(await page('?page=1000000&limit=100')).toEqual([[], expect.objectContaining({ total: 4 })]);
  expect((await app.as().get(`/api/users/${owner.id}/rating`)).body).toEqual({
    user_id: owner.id,
    avg_rating: 4,
    total_reviews: 4,
    distribution: { 1: 0, 2: 1, 3: 0, 4: 1, 5: 2 },
  });
  await review(buyer, (await bought(buyer, owner)).id, { rating: 4 });
  await review(buyer, (await bought(buyer, owner)).id, { rating: 3 });
  expect((await app.as().get(`/api/users/${owner.id}/rating`)).body.avg_rating).toBe(3.83);
  expect(await ratingOf(app.services.db, owner.id)).toEqual({ avg_rating: 3.83, total_reviews: 6 });
});

test('a user without reviews has zeros, one who does not exist is 404', async () => {
  expect((await app.as().get(`/api/users/${buyer.id}/rating`)).body).toEqual({
    user_id: buyer.id,
    avg_rating: 0,
    total_reviews: 0,
    distribution: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
  });
  expect((await app.as().get(`/api/users/${buyer.id}/reviews`)).body.results).toEqual([]);
  for (const path of ['rating', 'reviews'])
    expect((await app.as().get(`/api/users/usr_nobody/${path}`)).status).toBe(404);
});

test('reviews of a listing that was deleted for good stay with its seller, and its buyers can still write and be answered', async () => {
  const owner = await app.createUser();
  const { id } = await publicListing(owner);
  const [late, unanswered] = [await app.createUser(), await app.createUser()];
  for (const who of [buyer, late]) await answer(await ask(who, id), owner);
  await ask(unanswered, id);
  const { body } = await review(buyer, id);
  expect((await app.as(owner).delete(`/api/listings/${id}`)).status).toBe(200);
  expect((await app.as().get(`/api/listings/${id}/reviews`)).status).toBe(404);
  expect((await app.as().get(`/api/users/${owner.id}/reviews`)).body.results).toEqual([body]);
  expect((await reply(owner, id, body.id)).status).toBe(201);
  const replies = [
    await review(late, id, { rating: 1 }),
    await review(unanswered, id),
    await review(stranger, id),
    await review(buyer, id),
  ];
  expect(replies.map(({ status }) => status)).toEqual([201, 403, 404, 409]);
  expect((await app.as().get(`/api/users/${owner.id}/rating`)).body).toMatchObject({ avg_rating: 3, total_reviews: 2 });
});

test('the reviews of a listing are as public as the listing', async () => {
  const { id } = await bought();
  await review(buyer, id);
  await app.services.db.updateTable('listings').set({ status: 'flagged' }).where('id', '=', id).execute();
  expect((await app.as().get(`/api/listings/${id}/reviews`)).status).toBe(404);
  expect((await app.as(buyer).get(`/api/listings/${id}/reviews`)).status).toBe(404);
  expect((await app.as(seller).get(`/api/listings/${id}/reviews`)).body.pagination.total).toBe(1);
});

test('the seller is told of a review by event and by mail, and the job holds nothing of what was written', async () => {
  const workers = await startWorkers(app);
  try {
    await workers.take('send-email');
    const owner = await app.createUser();
    const { id } = await bought(buyer, owner);
    await workers.take('send-email');
    const { body } = await review(buyer, id, { rating: 3, comment: 'Late, but <b>sound</b>.' });
    const { rows } = await app.database.pool.query('select owner_id, data from events where subject = $1', [body.id]);
    const data = { review_id: body.id, listing_id: id, seller_id: owner.id, reviewer_id: buyer.id, rating: 3 };
    expect(rows).toEqual([{ owner_id: owner.id, data }]);
    const jobs = await app.database.pool.query(
      `select data::text as text from pgboss.job where data->'data'->>'review_id' = $1`,
      [body.id],
    );
    expect(jobs.rows).toHaveLength(1);
    expect(jobs.rows[0].text).not.toContain('sound');
    expect(await workers.work('send-email')).toMatchObject([{ output: { sent: 'new-review' } }]);
    const folder = join(app.dataDir, 'outbox');
    const mails = await Promise.all(
      readdirSync(folder).map((name) => PostalMime.parse(readFileSync(join(folder, name)))),
    );
    const mail = mails.find(({ to }) => to?.[0]?.address === owner.email);
    expect(mail?.text).toContain('Jonas Lind has given you 3 of 5 stars');
    expect(mail?.text).toContain('> Late, but <b>sound</b>.');
    expect(mail?.html).toContain('&lt;b&gt;sound&lt;/b&gt;');
    expect(mail?.headers.some(({ key }) => key === 'list-unsubscribe')).toBe(true);
  } finally {
    await workers.close();
  }
});
