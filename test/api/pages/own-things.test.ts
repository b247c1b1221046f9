import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { visitPages, type PageVisitor } from '../../support/page-visitor.ts';
import { startStripeServer } from '../../support/stripe-server.ts';
import { movableClock, offer } from '../rentals/fixture.ts';

afterAll(closeApps);

describe.each(['nautical', 'general'] as const)('in the profile %s', (profile) => {
  let app: TestApp;
  let owner: TestUser;
  let other: TestUser;
  let mine: PageVisitor;
  let theirs: PageVisitor;
  beforeAll(async () => {
    app = await startApp({ profile, clock: movableClock() });
    owner = await app.createUser({ name: 'Olga' });
    other = await app.createUser({ name: 'Bo' });
    mine = visitPages(app, owner);
    theirs = visitPages(app, other);
  });

  async function publish(): Promise<{ id: string; slug: string }> {
    const category_id = profile === 'nautical' ? 'cruising' : 'boats';
    const { body } = await app.as(owner).post('/api/listings', listingBody({ category_id }));
    await app.as(owner).post(`/api/listings/${body.id}/publish`);
    return body;
  }

  test('a promotion is bought from its page to the way back to the listing, and no step is JSON', async () => {
    const { id, slug } = await publish();
    await mine.open(`/my/listings/${id}/promote`);
    const checkout = await mine.send('form:has([value=featured-7])', {}, { button: '[value=featured-7]' });
    expect([checkout.status, checkout.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const paid = await mine.send('form');
    expect(paid.text).toContain('your listing is promoted');
    const back = new URL(String(paid.$('main a').attr('href'))).pathname;
    expect(back).toBe(`/listings/${slug}`);
    const shown = await mine.open(back);
    expect([shown.status, shown.$('.marks .promoted').text()]).toEqual([200, 'Featured']);
    expect(shown.$('form[action$=favorite]').length).toBe(0);
    expect((await mine.open(`/my/listings/${id}/promote`)).$('main .note').text()).toContain('Featured');
    const returned = await mine.open(`/api/payments/return?listing=${slug}&paid=true`);
    expect(new URL(String(returned.$('main a').attr('href'))).pathname).toBe(back);
  });

  test('a booking is asked for on the page of the boat, and accepted or declined by its owner', async () => {
    const rental = await offer(app.as(owner));
    const { slug } = (await app.as().get(`/api/rentals/${rental}`)).body;
    for (const [from, to, action, status] of [
      ['2027-06-01', '2027-06-05', 'confirm', 'Confirmed'],
      ['2027-07-01', '2027-07-05', 'decline', 'Declined'],
    ] as const) {
      await theirs.open(`/rentals/${slug}`);
      const fields = { date_from: from, date_to: to, message: 'Two <b>adults</b>' };
      const asked = await Promise.all([1, 2].map(async () => theirs.send('form:has([name=date_from])', fields)));
      expect(asked.some((page) => page.text.includes('Requested'))).toBe(true);
      const received = await mine.open('/my/bookings');
      expect(received.$('form:has([value=confirm])').length).toBe(1);
      expect(received.$('main .prose').text()).toContain('Two <b>adults</b>');
      await mine.send(`form:has([value=${action}])`, {}, { button: `[value=${action}]` });
      expect((await theirs.open('/my/bookings')).text).toContain(status);
    }
    const calendar = (await theirs.open(`/rentals/${slug}`)).$('table.month').first().text();
    expect(calendar).toContain('2027');
  });

  test('a booking that cannot be had is refused on the page of the boat, with the days still there', async () => {
    const rental = await offer(app.as(owner));
    const { slug } = (await app.as().get(`/api/rentals/${rental}`)).body;
    await theirs.open(`/rentals/${slug}`);
    const { status, $ } = await theirs.send('form:has([name=date_from])', {
      date_from: '2027-06-09',
      date_to: '2027-06-02',
    });
    expect([status, $('[role=alert]').length, $('[name=date_from]').val()]).toEqual([400, 1, '2027-06-09']);
  });

  test('a favorite is kept, seen as one, and taken away on the page of the listing', async () => {
    const { slug } = await publish();
    const label = async () => (await theirs.open(`/listings/${slug}`)).$('form[action$=favorite] button').text();
    expect(await label()).toContain('Add');
    await theirs.send('form[action$=favorite]', {}, { button: 'button' });
    expect(await label()).toContain('Remove');
    expect((await theirs.open('/my/favorites')).$(`a[href="/listings/${slug}"]`).length).toBe(1);
    await theirs.open(`/listings/${slug}`);
    await theirs.send('form[action$=favorite]', {}, { button: 'button' });
    expect(await label()).toContain('Add');
  });

  test('a conversation: unread is counted, an answer ends that, and the buyer reviews and is answered', async () => {
    const { slug } = await publish();
    await theirs.open(`/listings/${slug}`);
    const empty = await theirs.send('form[action$=message]', { message: ' ' });
    expect([empty.status, empty.$('[name=message]').attr('aria-invalid')]).toEqual([400, 'true']);
    const begun = await theirs.send('form[action$=message]', { message: 'Is it there?' });
    const [path = ''] = begun.path.split(/[?#]/);
    const inbox = await mine.open('/inbox');
    expect(inbox.$('.count').first().text()).toBe('1');
    await mine.open(path);
    expect((await mine.open('/inbox')).$(`li:has(a[href="${path}"]) .count`).length).toBe(0);
    expect((await theirs.open(path)).$('form:has([value=review])').length).toBe(0);
    await mine.open(path);
    await mine.send('form:has([name=content])', { content: 'Yes, come.' });
    await theirs.open(path);
    await theirs.send('form:has([value=review])', { rating: '4', comment: 'Honest.' });
    expect((await theirs.open(path)).$('form:has([value=review])').length).toBe(0);
    await mine.open('/my/reviews');
    expect((await mine.send('form:has([name=reply])', { reply: 'Thanks!' })).text).toContain('Thanks!');
    const stranger = visitPages(app, await app.createUser());
    expect((await stranger.open(path)).status).toBeGreaterThanOrEqual(403);
  });

  test('a saved search opens as it was, is renamed, told of otherwise, and deleted', async () => {
    const person = visitPages(app, await app.createUser());
    const asked = '/search?q=boat&min_price=1000&condition=good,fair';
    await person.open(asked);
    const list = await person.send('form[action^="/my/searches"]', { action: 'save' });
    const open = new URL(String(list.$('main h2 a').attr('href')), app.url);
    expect(Object.fromEntries(open.searchParams)).toEqual({ q: 'boat', min_price: '1000', condition: 'good,fair' });
    await person.send('form:has([value=change])', { name: 'My boat', notify: 'off' }, { button: '[value=change]' });
    expect(person.page().$('[name=name]').val()).toBe('My boat');
    expect(person.page().$('[name=notify] [selected]').attr('value')).toBe('off');
    const gone = await person.send('form:has([value=delete])', {}, { button: '[value=delete]' });
    expect(gone.$('[name=name]').length).toBe(0);
  });

  test('an account: its name, keys that end, and the end of all sessions', async () => {
    const user = await app.createUser({ name: 'Before' });
    const person = visitPages(app, user);
    await person.open('/my/account');
    expect((await person.send('form:has([value=profile])', { name: '' })).$('#name-error').length).toBe(1);
    expect((await person.send('form:has([value=profile])', { name: 'After' })).$('[name=name]').val()).toBe('After');
    const key = (await person.send('form:has([value=create-key])', { key_name: 'agent' })).$('code.key').text();
    expect((await app.as(key).get('/api/me')).status).toBe(200);
    expect((await person.send('form:has([value=revoke-key])')).$('form:has([value=revoke-key])').length).toBe(0);
    expect((await app.as(key).get('/api/me')).status).toBe(401);
    const out = await person.send('form:has([value=end-sessions])');
    expect([out.path, person.cookie()]).toEqual(['/?done=signedOut', '']);
    expect((await app.as(user).get('/api/me')).status).toBe(401);
  });
});

test('a checkout on another site is gone on to from a page: the policy lets no form lead there', async () => {
  const stripe = await startStripeServer();
  const app = await startApp({
    env: { STRIPE_SECRET_KEY: 'sk_test_of_the_tests', STRIPE_API_BASE: stripe.url },
  });
  const owner = await app.createUser();
  const { body } = await app.as(owner).post('/api/listings', listingBody());
  await app.as(owner).post(`/api/listings/${body.id}/publish`);
  const visitor = visitPages(app, owner);
  await visitor.open(`/my/listings/${body.id}/promote`);
  const { status, headers, $ } = await visitor.send('form:has([value=urgent-7])', {}, { button: '[value=urgent-7]' });
  const checkout = String($('main a.button').attr('href'));
  expect([status, headers.get('refresh')]).toEqual([200, `0; url=${checkout}`]);
  expect(new URL(checkout).origin).not.toBe(app.url);
  await stripe.close();
});
