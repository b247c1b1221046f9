import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { connectMcp } from '../../support/mcp-client.ts';

afterAll(closeApps);

type Connection = Awaited<ReturnType<typeof connectMcp>>;

describe.each(['nautical', 'general'] as const)('in the profile %s', (profile) => {
  const category = profile === 'nautical' ? 'cruising' : 'boats';
  let app: TestApp;
  let seller: TestUser;
  let buyer: TestUser;
  let anyone: Connection;
  let own: Connection;
  let id: string;

  const keyWith = async (user: TestUser, scopes: string[]) =>
    (await app.as(user).post('/api/api-keys', { name: 'agent', scopes })).body.key as string;

  beforeAll(async () => {
    app = await startApp({ profile });
    seller = await app.createUser({ name: 'Ada' });
    buyer = await app.createUser({ name: 'Bo' });
    for (let count = 0; count < 12; count += 1) {
      const attributes = { brand: 'Bavaria', model: 'Cruiser 46', year: 2006 + count, length: 14.27 };
      const body = listingBody({
        category_id: category,
        attributes,
        price: { amount: 110_000 + count * 1_000, currency: 'EUR', negotiable: true },
      });
      ({ id } = (await app.as(seller).post('/api/listings', body)).body);
      await app.as(seller).post(`/api/listings/${id}/publish`);
    }
    anyone = await connectMcp(app);
    own = await connectMcp(app, await keyWith(seller, ['listings:write', 'messages', 'publish']));
  });

  describe('anybody', () => {
    test('filters by price and attributes, and reads the next page', async () => {
      const filters = { max_price: 115_000, attributes: { brand: 'bavaria', min_year: 2008 }, sort: 'price_asc' };
      const { data } = await anyone.call('search_listings', { ...filters, limit: 3 });
      expect(data).toMatchObject({ total: 4, has_more: true });
      expect(data.results.map(({ price }: { price: number }) => price)).toEqual([112_000, 113_000, 114_000]);
      const next = await anyone.call('search_listings', { ...filters, limit: 3, page: 2 });
      expect(next.data.results).toMatchObject([{ price: 115_000, year: 2011 }]);
    });

    test('reads a listing, what is like it, its seller, and compares', async () => {
      const { data } = await anyone.call('get_listing', { id });
      expect(data).toMatchObject({ listing: { id, make: 'Bavaria', year: 2017 }, seller: { name: 'Ada' } });
      const similar = await anyone.call('similar_listings', { id });
      expect(similar.data.results).toHaveLength(4);
      const ids = [id, similar.data.results[0].id];
      const compared = await anyone.call('compare_listings', { ids });
      expect(compared.data.attributes).toContainEqual({ key: 'year', values: ['2017', '2016'] });
      expect((await anyone.call('get_seller', { id: data.seller.id })).data).toMatchObject({ listing_count: 12 });
    });

    test('learns categories, their attributes, completions and prices', async () => {
      const { data } = await anyone.call('list_categories');
      expect(data.categories.length).toBeGreaterThan(0);
      const attributes = (await anyone.call('category_attributes', { category })).data.attributes;
      expect(attributes.map(({ key }: { key: string }) => key)).toContain('year');
      expect((await anyone.call('suggest', { q: 'bavaria' })).data.suggestions.length).toBeGreaterThan(0);
      const price = await anyone.call('price_guidance', { category, currency: 'EUR', price: 50_000 });
      expect(price.isError, price.text).toBe(false);
      expect(price.data).toMatchObject({ currency: 'EUR', sample_size: 12 });
    });

    test('is told how to get a key by a tool that needs an account', async () => {
      const answer = await anyone.call('list_favorites');
      expect(answer.isError).toBe(true);
      expect(answer.text).toMatch(/^unauthorized: .*\nNext: .*POST .*\/api\/api-keys.*"scopes": \["read"\]/s);
    });

    test('reads listings and guides to categories as resources', async () => {
      const read = async (uri: string) => (await anyone.client.readResource({ uri })).contents[0] as { text: string };
      expect((await read(`quayside://listings/${id}`)).text).toContain('Bavaria');
      expect((await read(`quayside://categories/${category}`)).text).toContain('year');
      expect((await read('quayside://categories')).text).toContain(category);
      await expect(read('quayside://listings/no-such-boat')).rejects.toThrow('not_found');
    });

    test('is offered the prompts of a seller and of a buyer', async () => {
      const { prompts } = await anyone.client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(['sell_my_boat', 'find_me_a_boat']);
      const { messages } = await anyone.client.getPrompt({
        name: 'find_me_a_boat',
        arguments: { wish: '12 m, Baltic' },
      });
      expect(JSON.stringify(messages)).toContain('12 m, Baltic');
    });
  });

  describe('an account', () => {
    const draft = () => {
      const { title, description, condition, price, location } = listingBody();
      return { title, description, condition, price, location, category_id: category };
    };

    test('creates, changes, publishes once it confirms, and sells a listing', async () => {
      const created = await own.call('create_listing', { ...draft(), idempotency_key: `create-${profile}` });
      expect(created.data, created.text).toMatchObject({ status: 'draft' });
      const listing = { id: created.data.listing.id as string };
      const changed = await own.call('update_listing', { ...listing, attributes: { year: 2011 } });
      expect(changed.data.listing).toMatchObject({ year: 2011 });
      const asked = await own.call('publish_listing', listing);
      expect(asked).toMatchObject({ isError: true, text: expect.stringContaining('confirm: true') });
      expect((await own.call('list_my_listings', { limit: 1 })).data.results).toMatchObject([{ status: 'draft' }]);
      expect((await own.call('publish_listing', { ...listing, confirm: true })).data).toMatchObject({
        status: 'active',
      });
      expect((await own.call('mark_sold', listing)).data).toMatchObject({ status: 'sold' });
    });

    test('is given its first answer again for a repetition with the same idempotency key', async () => {
      const input = { ...draft(), idempotency_key: `again-${profile}` };
      const first = await own.call('create_listing', input);
      expect((await own.call('create_listing', input)).data.listing.id).toBe(first.data.listing.id);
      const other = await own.call('create_listing', { ...input, title: 'Quite another boat' });
      expect(other.text).toMatch(/^idempotency_mismatch: /);
    });

    test('is told which field is wrong, with the code of the API', async () => {
      const answer = await own.call('create_listing', { ...draft(), category_id: 'no-such-category' });
      expect(answer.isError).toBe(true);
      expect(answer.text).toMatch(/^validation_error: .*category.*\nNext: correct/s);
    });

    test('writes to a seller and is answered, once each confirms', async () => {
      const { call } = await connectMcp(app, buyer.token);
      expect((await call('send_message', { listing_id: id, content: 'Is it there?' })).text).toContain(
        'nothing was done',
      );
      const sent = await call('send_message', { listing_id: id, content: 'Is it there?', confirm: true });
      const { conversation_id } = sent.data;
      const listed = (await own.call('list_conversations')).data.results;
      expect(listed).toMatchObject([{ id: conversation_id, unread: 1, last_message: 'Is it there?' }]);
      await own.call('send_message', { conversation_id, content: 'It is.', confirm: true });
      const { data } = await call('get_conversation', { id: conversation_id });
      expect(data.messages).toMatchObject([{ from: 'Ada', content: 'It is.' }, { from: 'Bo' }]);
      expect((await call('send_message', { content: 'To whom?', confirm: true })).text).toMatch(/^validation_error/);
    });

    test('keeps searches and favorites', async () => {
      const saved = await own.call('save_search', {
        name: 'Bavarias',
        filters: { q: 'bavaria', max_price: 120_000, attributes: { min_year: 2008 } },
      });
      expect(saved.data, saved.text).toMatchObject({ notify: 'daily', filters: { q: 'bavaria' } });
      expect((await own.call('list_saved_searches')).data.results).toHaveLength(1);
      expect((await own.call('delete_saved_search', { id: saved.data.id })).data.deleted).toBe(true);
      await own.call('set_favorite', { listing_id: id, favorite: true });
      expect((await own.call('list_favorites')).data.results).toMatchObject([{ id }]);
      const dropped = await own.call('set_favorite', { listing_id: id, favorite: false });
      expect(dropped.data).toEqual({ listing_id: id, favorited: false });
    });

    test('with a key that only reads is refused what changes something, and told the scope', async () => {
      const { call } = await connectMcp(app, await keyWith(seller, ['read']));
      const answer = await call('publish_listing', { id, confirm: true });
      expect(answer.text).toMatch(/^forbidden: .*\nNext: .*'publish'/s);
    });
  });

  describe('an administrator', () => {
    test('has the tools of administration by a session, and by a key of the scope admin alone', async () => {
      const admin = await app.createUser({ role: 'admin', name: 'Root' });
      for (const token of [admin.token, await keyWith(admin, ['admin'])]) {
        const { call } = await connectMcp(app, token);
        expect((await call('review_next')).data, profile).toMatchObject({ waiting: 0 });
        expect((await call('queue_health')).data.queues.length).toBeGreaterThan(0);
        expect((await call('run_status')).data).toEqual({ runs: [], scrapers: [] });
        expect((await call('list_duplicates')).data).toMatchObject({ total: 0 });
        expect((await call('decide', { id, decision: 'reject' })).text).toContain('confirmation_required');
      }
      const { client } = await connectMcp(app, await keyWith(admin, ['publish']));
      expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('decide');
    });
  });
});
