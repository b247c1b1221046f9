import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { offer as offerListing, storeGroup } from '../../support/dedup-groups.ts';
import { draftAnswer, startDrafting, type Drafting } from '../../support/drafting.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { movableClock, offer as offerRental } from '../rentals/fixture.ts';

afterAll(closeApps);

describe.each(['nautical', 'general'] as const)('in the profile %s', (profile) => {
  let app: TestApp;
  let user: TestUser;
  let admin: TestUser;
  beforeAll(async () => {
    app = await startApp({ profile, clock: movableClock() });
    user = await app.createUser({ name: 'Ada' });
    admin = await app.createUser({ role: 'admin' });
  });

  test('a boat is found for a time and requested, once that is confirmed', async () => {
    const owner = await app.createUser();
    const rental_id = await offerRental(app.as(owner));
    const { call } = await connectMcp(app, user.token);
    const period = { date_from: '2027-06-01', date_to: '2027-06-08' };
    expect((await call('search_rentals', { ...period, location: 'Palma' })).data.results).toMatchObject([
      { id: rental_id },
    ]);
    expect((await call('request_booking', { rental_id, ...period })).text).toContain('costs money');
    expect((await call('list_bookings')).data.total).toBe(0);
    const requested = await call('request_booking', { rental_id, ...period, confirm: true });
    expect(requested.data, requested.text).toMatchObject({ total_price: 7 * 480, status: 'requested' });
    expect((await call('list_bookings')).data.results).toMatchObject([{ id: requested.data.id }]);
  });

  test('a request is found by the owner and confirmed, the time is taken, and the booking is cancelled', async () => {
    const owner = await app.createUser();
    const rental_id = await offerRental(app.as(owner), { location: { country: 'IT', city: 'Olbia' } });
    const [renting, offering] = [await connectMcp(app, user.token), await connectMcp(app, owner.token)];
    const period = { date_from: '2027-07-01', date_to: '2027-07-08' };
    const ask = async () =>
      (await renting.call('request_booking', { rental_id, ...period, confirm: true })).data.id as string;
    const [booking_id, other] = [await ask(), await ask()];
    expect((await offering.call('list_my_rentals')).data.results).toMatchObject([
      { id: rental_id, place: 'Olbia, IT' },
    ]);
    const { data } = await offering.call('list_bookings', { rental_id });
    expect(data.results.map(({ id }: { id: string }) => id).toSorted()).toEqual([booking_id, other].toSorted());
    const answer = (by: typeof renting, id: string, input: Record<string, unknown>) =>
      by.call('answer_booking', { rental_id, booking_id: id, ...input });
    expect((await answer(offering, booking_id, { answer: 'confirm' })).text).toContain('confirmation_required');
    expect((await answer(renting, booking_id, { answer: 'confirm', confirm: true })).text).toMatch(/^forbidden/);
    const confirmed = await answer(offering, booking_id, { answer: 'confirm', confirm: true });
    expect(confirmed.data, confirmed.text).toMatchObject({ status: 'confirmed' });
    expect((await answer(offering, other, { answer: 'confirm', confirm: true })).text).toMatch(/^conflict/);
    expect((await answer(offering, other, { answer: 'decline', confirm: true })).data.status).toBe('declined');
    const taken = await renting.call('check_availability', { rental_id, ...period });
    expect(taken.data).toMatchObject({
      available: false,
      days: 7,
      conflicts: [{ from: '2027-07-01', to: '2027-07-08' }],
    });
    expect((await answer(renting, booking_id, { answer: 'cancel', confirm: true })).data.status).toBe('cancelled');
    expect((await renting.call('check_availability', { rental_id, ...period })).data.available).toBe(true);
  });

  test('a draft is made from text alone, with what has to be asked for, and stored as it is', async () => {
    const { body } = await app.as(user).post('/api/api-keys', { name: 'agent', scopes: ['listings:write'] });
    const { call } = await connectMcp(app, body.key);
    const text = 'Bavaria 46 Cruiser sailboat, built in 2006, LOA 14.27 m.\nPrice: 115,000 EUR\nLocation: Palma, Spain';
    const { data, text: told } = await call('draft_listing', { text });
    expect(data, told).toMatchObject({
      attributes: { brand: 'Bavaria', year: 2006, length: 14.27 },
      price: { amount: 115_000, currency: 'EUR' },
      location: { country: 'ES', city: 'Palma' },
      missing: ['condition'],
    });
    expect(told).toMatch(/Next: ask the seller for condition, then create_listing\.$/);
    expect(data).not.toHaveProperty('condition');
    const { title, description, category_id, attributes } = data;
    const created = await call('create_listing', {
      ...{ title, description, category_id, attributes, condition: 'good' },
      price: { ...data.price, negotiable: false },
      location: { ...data.location, shipping: false },
    });
    expect(created.data, created.text).toMatchObject({ status: 'draft', listing: { year: 2006 } });
    expect((await call('draft_listing', {})).text).toMatch(/^validation_error: Name text, photos, or both\./);
  });

  test('duplicates are merged, once that is confirmed, and come back', async () => {
    const ids = [await offerListing(app, user), await offerListing(app, user)].map(({ id }) => id);
    const id = await storeGroup(app, ids);
    const { call } = await connectMcp(app, admin.token);
    expect((await call('list_duplicates')).data.results).toMatchObject([{ id, status: 'detected', confidence: 0.9 }]);
    expect((await call('merge_duplicates', { id })).isError).toBe(true);
    const merged = await call('merge_duplicates', { id, canonical_id: ids[1], confirm: true });
    expect(merged.data, merged.text).toMatchObject({ status: 'merged', canonical_id: ids[1] });
    expect((await call('undo_merge', { id, confirm: true })).data.status).not.toBe('merged');
  });

  test('a listing that users have reported is reviewed and taken down', async () => {
    const { id } = await offerListing(app, user);
    const reporter = await app.createUser();
    const flagged = await app.as(reporter).post(`/api/listings/${id}/flag`, { reason: 'spam' });
    expect(flagged.status).toBe(201);
    const { call } = await connectMcp(app, admin.token);
    const { data } = await call('review_next', { queue: 'reported' });
    expect(data.results.map((each: { listing: { id: string } }) => each.listing.id)).toContain(id);
    const decided = await call('decide', { id, decision: 'reject', reason: 'Spam.', confirm: true });
    expect(decided.data, decided.text).toMatchObject({ id });
    expect((await app.as().get(`/api/listings/${id}`)).status).toBe(404);
  });

  test('a scraper is run, once that is confirmed, and its run is told', async () => {
    const fields = { name: 'Boats', start_urls: ['https://boats.example.com/'], link_pattern: '/ads/' };
    const { body: scraper } = await app.as(admin).post('/api/admin/scrapers', fields);
    const { call } = await connectMcp(app, admin.token);
    expect((await call('run_scraper', { scraper_id: scraper.id })).text).toContain('confirmation_required');
    const run = await call('run_scraper', { scraper_id: scraper.id, confirm: true });
    expect(run.data, run.text).toMatchObject({ scraper_id: scraper.id, status: 'queued' });
    expect((await call('run_status', { scraper_id: scraper.id })).data).toMatchObject({
      runs: [{ id: run.data.id }],
      scrapers: [{ name: 'Boats' }],
    });
  });
});

describe('a draft from photos', () => {
  let drafting: Drafting;
  beforeAll(async () => {
    drafting = await startDrafting();
  });
  afterAll(() => drafting.close());

  test('is made for a key that may write listings, with the words of the seller', async () => {
    const { app, url, workers } = drafting;
    drafting.useProvider({ json: draftAnswer });
    const user = await app.createUser();
    const { body } = await app.as(user).post('/api/api-keys', { name: 'agent', scopes: ['listings:write'] });
    const { call } = await connectMcp(app, body.key);
    const text = 'A Bavaria that we have sailed for ten years.';
    const drafted = call('draft_listing', { photos: [url], text });
    let isAnswered = false;
    void drafted.finally(() => (isAnswered = true));
    await expect
      .poll(async () => {
        await workers.work('draft-listing');
        return isAnswered;
      })
      .toBe(true);
    expect((await drafted).data, (await drafted).text).toMatchObject({ description: text });
  });

  test('is refused to a key that only reads', async () => {
    const { app, url } = drafting;
    const user = await app.createUser();
    const { body } = await app.as(user).post('/api/api-keys', { name: 'agent', scopes: ['read'] });
    const { call } = await connectMcp(app, body.key);
    expect((await call('draft_listing', { photos: [url] })).text).toMatch(/^forbidden: .*'listings:write'/s);
  });
});
