import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { offer } from '../../support/dedup-groups.ts';
import { createSoldListing } from '../../support/recipes/reviews.ts';
import { visitPages, type PageVisitor } from '../../support/page-visitor.ts';

afterAll(closeApps);

describe('reports, decisions, blocks and traders on the pages', () => {
  let app: TestApp;
  let seller: TestUser;
  let buyer: TestUser;
  let admin: TestUser;
  let mine: PageVisitor;
  let theirs: PageVisitor;
  beforeAll(async () => {
    app = await startApp();
    seller = await app.createUser({ name: 'Olga' });
    buyer = await app.createUser({ name: 'Bo' });
    admin = await app.createUser({ role: 'admin' });
    mine = visitPages(app, seller);
    theirs = visitPages(app, buyer);
  });

  const decide = (id: string, body: object) => app.as(admin).post(`/api/admin/reports/${id}/decide`, body);
  const start = async (): Promise<string> => {
    const listing = await offer(app, seller);
    const { body } = await app.as(buyer).post('/api/conversations', { listing_id: listing.id, message: 'Is she dry?' });
    return body.id;
  };

  test('a person is reported from their page, and what came of it stands among my reports', async () => {
    await theirs.open(`/sellers/${seller.id}`);
    const link = theirs.page().$('main a[href*="/report?"]').attr('href')!;
    expect((await theirs.open(link)).$('h1').text()).toContain('Person');
    const sent = await theirs.send('main form:has([name=reason])', { reason: 'fraud', text: 'Pay <b>first</b>?' });
    expect(sent.path).toBe('/my/reports?done=reported');
    expect(sent.$('main .rows').text()).toContain('Pay <b>first</b>?');
    expect(sent.$('main .rows').text()).toContain('A moderator will look at it.');
    await theirs.open(link);
    const again = await theirs.send('main form:has([name=reason])', { reason: 'fraud' });
    expect([again.status, again.$('[role=alert]').text()]).toEqual([409, 'You have reported this already.']);
    await decide(seller.id, { action: 'dismiss' });
    expect((await theirs.open('/my/reports')).$('main .rows').text()).toContain('nothing that we would have to act on');
  });

  test('a review and a message are reported where they stand, and nobody is offered to report their own', async () => {
    const sold = await createSoldListing(app.services, seller, buyer);
    await app
      .as(buyer)
      .post(`/api/listings/${sold}/reviews`, { rating: 1, comment: 'Never again, all of it was wrong.' });
    const review = (await mine.open(`/sellers/${seller.id}`)).$('main a[href*="type=review"]').attr('href')!;
    await mine.open(review);
    expect((await mine.send('main form:has([name=reason])', { reason: 'other' })).path).toContain('/my/reports');
    expect((await theirs.open(`/sellers/${seller.id}`)).$('main a[href*="type=review"]').length).toBe(0);

    const conversation = await start();
    expect((await theirs.open(`/inbox/${conversation}`)).$('main a[href*="type=message"]').length).toBe(0);
    const message = (await mine.open(`/inbox/${conversation}`)).$('main a[href*="type=message"]').attr('href')!;
    await mine.open(message);
    expect((await mine.send('main form:has([name=reason])', { reason: 'spam' })).path).toContain('/my/reports');
    await decide(new URL(message, app.url).searchParams.get('id')!, { action: 'remove', facts: 'It was an insult.' });
    const read = await mine.open(`/inbox/${conversation}`);
    expect(read.$('main .messages').text()).toContain('Moderators have removed this message.');
    expect(read.text).not.toContain('Is she dry?');
  });

  test('a decision is told with its reasons in the language of the reader, appealed by a button, and answered', async () => {
    const { id, title } = await offer(app, seller);
    await app.as(buyer).post(`/api/listings/${id}/flag`, { reason: 'fraud' });
    await decide(id, {
      action: 'hide',
      ground: 'law',
      facts: 'The hull number is on a list.',
      explanation: 'Section 259.',
    });
    const german = await mine.open('/my/notices?lang=de');
    expect(german.$('main').text()).toContain(`Wir haben Ihre Anzeige „${title}“ ausgeblendet.`);
    expect(german.$('main').text()).toContain('Ein Mensch hat entschieden.');
    const page = await mine.open('/my/notices');
    for (const text of ['The hull number is on a list.', 'Section 259.', 'against the law', 'appeal free of charge'])
      expect(page.$('main .rows li').first().text()).toContain(text);
    const sent = await mine.send('main .rows li:first-child form', { text: 'The list is of another boat.' });
    expect(sent.path).toBe('/my/notices?done=appealed');
    expect(sent.$('main .rows li').first().text()).toContain('You have appealed on');
    const { body } = await app.as(admin).get('/api/admin/appeals');
    await app
      .createUser({ role: 'moderator' })
      .then((moderator) =>
        app
          .as(moderator)
          .post(`/api/admin/appeals/${body.results[0].id}/decide`, { outcome: 'granted', answer: 'Sorry.' }),
      );
    const answered = (await mine.open('/my/notices')).$('main .rows li').first().text();
    for (const text of ['Your appeal was granted', 'Sorry.', 'Over since']) expect(answered).toContain(text);
  });

  test('somebody is blocked and unblocked from their page and from the conversation with them', async () => {
    const conversation = await start();
    await mine.open(`/inbox/${conversation}`);
    expect((await mine.send('form:has([value=block])')).$('[role=status]').text()).toContain('can no longer write');
    expect(
      (await app.as(buyer).post(`/api/conversations/${conversation}/messages`, { content: 'Hello?' })).status,
    ).toBe(403);
    await mine.open(`/sellers/${buyer.id}`);
    expect((await mine.send('form:has([value=unblock])')).$('[role=status]').text()).toContain(
      'can write to you again',
    );
    expect(
      (await app.as(buyer).post(`/api/conversations/${conversation}/messages`, { content: 'Hello?' })).status,
    ).toBe(201);
    expect((await mine.open(`/sellers/${seller.id}`)).$('form:has([value=block])').length).toBe(0);
  });

  test('a trader says who they are, which stands on listings and on their page; of private sellers nothing does', async () => {
    const listing = await offer(app, seller);
    expect((await theirs.open(`/listings/${listing.slug}`)).$('.imprint').length).toBe(0);
    await mine.open('/my/account');
    const filled = {
      trader_name: 'Werft Nord GmbH',
      trader_address: 'Hafenstraße 1, 24376 Kappeln',
      trader_country: 'DE',
      trader_register: 'Amtsgericht Flensburg',
      trader_register_number: 'HRB 12345',
      trader_email: 'info@werft.example.com',
      trader_phone: '+49 4642 123456',
    };
    const refused = await mine.send('form:has([value=trader])', filled);
    expect([refused.status, refused.$('[name=trader_name]').attr('value')]).toEqual([400, 'Werft Nord GmbH']);
    const saved = await mine.send('form:has([value=trader])', { ...filled, trader_certified: 'true' });
    expect([saved.status, saved.$('[role=status]').first().text()]).toEqual([200, 'Saved.']);
    for (const path of [`/listings/${listing.slug}`, `/sellers/${seller.id}`]) {
      const { $ } = await visitPages(app).open(path);
      for (const text of ['Trader', 'Werft Nord GmbH', 'Kappeln, Germany', 'HRB 12345', 'info@werft.example.com'])
        expect($('main').text(), path).toContain(text);
    }
    expect((await app.as().get(`/api/users/${seller.id}`)).body.trader).toMatchObject({ register_number: 'HRB 12345' });
    expect((await app.as().get(`/api/listings/${listing.id}`)).body.seller.trader).toMatchObject({ country: 'DE' });
    expect((await app.as().get('/api/listings')).text).not.toContain('Werft Nord');
    await mine.open('/my/account');
    await mine.send('form:has([value=withdraw-trader])');
    expect((await app.as().get(`/api/users/${seller.id}`)).body).not.toHaveProperty('trader');
    expect((await app.as().get(`/api/listings/${listing.id}`)).text).not.toContain('Werft Nord');
  });
});
