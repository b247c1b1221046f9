import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { offer } from '../../support/dedup-groups.ts';
import { createConversation } from '../../support/recipes/conversations.ts';
import { createSoldListing } from '../../support/recipes/reviews.ts';
import { movableClock, offer as offerRental } from '../rentals/fixture.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ clock: movableClock() });
});
afterAll(() => app.close());

test('whoever is blocked can neither write, nor ask to book, nor review; others can, and so can they once it ends', async () => {
  const [seller, pest, buyer] = [await app.createUser(), await app.createUser(), await app.createUser()];
  const listing = await offer(app, seller);
  const conversation = await createConversation(app.services, pest, seller);
  const rental = await offerRental(app.as(seller));
  const person = (user: typeof seller) => ({ ...user });
  const sold = await createSoldListing(app.services, person(seller), person(pest));
  const contact = { name: 'Pest', email: 'pest@elsewhere.example', message: 'Is she still for sale?' };
  const tries = (who: typeof seller) => {
    const client = app.as(who);
    return {
      start: () => client.post('/api/conversations', { listing_id: listing.id, message: 'Hello?' }),
      send: () => client.post(`/api/conversations/${conversation}/messages`, { content: 'Hello?' }),
      contact: () => client.post(`/api/listings/${listing.id}/contact`, contact),
      contactByAddress: () => app.as().post(`/api/listings/${listing.id}/contact`, { ...contact, email: who.email }),
      book: () => client.post(`/api/rentals/${rental}/bookings`, { date_from: '2027-06-01', date_to: '2027-06-08' }),
      review: () => client.post(`/api/listings/${sold}/reviews`, { rating: 1, comment: 'Never answers.' }),
    };
  };
  const block = await app.as(seller).post('/api/me/blocks', { user_id: pest.id });
  expect(block.body).toMatchObject({ user_id: pest.id, name: pest.id ? 'Test User' : '' });
  for (const [name, attempt] of Object.entries(tries(pest)))
    expect([name, (await attempt()).status]).toEqual([name, 403]);
  const { start, contact: write, book } = tries(buyer);
  expect([(await start()).status, (await write()).status, (await book()).status]).toEqual([201, 201, 201]);
  expect((await app.as(pest).get(`/api/conversations/${conversation}`)).status).toBe(200);
  await app.as(seller).delete(`/api/me/blocks/${pest.id}`);
  for (const [name, attempt] of Object.entries(tries(pest)))
    expect([name, (await attempt()).status < 300]).toEqual([name, true]);
});

test('blocks are listed, the last first; again changes nothing, oneself and nobody are 400', async () => {
  const [me, first, second] = [await app.createUser(), await app.createUser(), await app.createUser()];
  for (const user_id of [first.id, second.id, first.id]) await app.as(me).post('/api/me/blocks', { user_id });
  const { body } = await app.as(me).get('/api/me/blocks');
  expect(body.results.map(({ user_id }: { user_id: string }) => user_id).toSorted()).toEqual(
    [first.id, second.id].toSorted(),
  );
  for (const user_id of [me.id, newId('user')])
    expect((await app.as(me).post('/api/me/blocks', { user_id })).status).toBe(400);
  expect((await app.as(me).delete(`/api/me/blocks/${newId('user')}`)).status).toBe(404);
  expect((await app.as(me).delete(`/api/me/blocks/${second.id}`)).status).toBe(200);
  expect((await app.as(me).delete(`/api/me/blocks/${second.id}`)).status).toBe(200);
  expect((await app.as(first).get('/api/me/blocks')).body.results).toEqual([]);
});
