import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { McpAgent } from '../../support/mcp-agent.ts';
import { storeListings } from '../listings/search-fixture.ts';
import { movableClock, offer as offerRental } from '../rentals/fixture.ts';

const MAX_TOKENS = 32_000;

afterAll(closeApps);

describe.each(['nautical', 'general'] as const)('in the profile %s', (profile) => {
  let app: TestApp;
  let seller: TestUser;
  let key: { buyer: string; seller: string };
  const used: Record<string, number> = {};

  beforeAll(async () => {
    app = await startApp({ profile, clock: movableClock() });
    seller = await app.createUser({ name: 'Ada' });
    const buyer = await app.createUser({ name: 'Bo' });
    await storeListings(
      app,
      seller,
      Array.from({ length: 15 }, (_, index) => boat(index)),
    );
    await offerRental(app.as(seller));
    const createKey = async (user: TestUser) =>
      (await app.as(user).post('/api/api-keys', { name: 'agent', scopes: ['listings:write', 'messages', 'publish'] }))
        .body.key as string;
    key = { buyer: await createKey(buyer), seller: await createKey(seller) };
  });

  const boat = (index: number) => ({
    title: `Bavaria Cruiser ${36 + index}, well kept sailing yacht from first hand with new sails`,
    category_id: profile === 'nautical' ? 'cruising' : 'sailboats',
    price_amount: 40_000 + index * 1_500,
    city: 'Palma',
    description:
      'She was sailed in the Baltic by one family, and has had a new engine, new sails and a new deck. '.repeat(8),
    attributes: { brand: 'Bavaria', model: `Cruiser ${36 + index}`, year: 2000 + index, length: 10.5 + index / 10 },
    images: [{ key: `images/ab/${'ab'.repeat(32)}.webp` }],
  });

  /** Does a task with a context of its own, which begins at llms.txt, and counts its tokens. */
  const perform = async (
    task: string,
    who: 'buyer' | 'seller' | undefined,
    work: (agent: McpAgent) => Promise<void>,
  ) => {
    const agent = await McpAgent.connect(`${app.url}/llms.txt`, who && key[who]);
    const read = agent.tokens;
    await work(agent);
    used[task] = agent.tokens - read;
    return agent.tokens;
  };

  const findBoats = async (agent: McpAgent) => {
    let category: string | undefined;
    for (let isLeaf = false; !isLeaf;) {
      const { categories } = await agent.call('categories with their numbers', category ? { below: category } : {});
      const found = categories.find(({ count }: { count: number }) => count > 0);
      [category, isLeaf] = [found.id, found.subcategories === 0];
    }
    const { attributes } = await agent.call('attributes of listings', { category });
    const range = attributes.find(
      ({ key, filter }: { key: string; filter?: string }) => key === 'year' && filter === 'range',
    );
    expect(range).toBeDefined();
    return agent.call('find listings by words and filters', {
      words: 'bavaria',
      category,
      'max price': 60_000,
      attributes: { [`min_${range.key}`]: 2003 },
      sort: 'price_asc',
    });
  };

  const tasks: [string, 'buyer' | 'seller' | undefined, (agent: McpAgent) => Promise<void>][] = [
    [
      'finds three boats and compares them, without an account',
      undefined,
      async (agent) => {
        const { results } = await findBoats(agent);
        const ids = results.slice(0, 3).map(({ id }: { id: string }) => id);
        const { listings, attributes } = await agent.call('listings side by side', { ids });
        expect(listings).toHaveLength(3);
        expect(listings[0].image).toMatch(/^http/);
        expect(attributes).toContainEqual({ key: 'year', values: ['2003', '2004', '2005'] });
      },
    ],
    [
      'reads a boat and tells whether its price is good',
      undefined,
      async (agent) => {
        const { results } = await findBoats(agent);
        const { listing, category_id } = await agent.call('one listing with its description', { id: results[0].id });
        const told = await agent.call('what like listings cost', {
          category: category_id,
          price: listing.price,
          currency: listing.currency,
          attributes: { brand: listing.make },
        });
        expect(told).toMatchObject({ assessment: expect.any(String), sample_size: expect.any(Number) });
      },
    ],
    [
      'tells who sells a boat, and which ones are like it',
      undefined,
      async (agent) => {
        const { results } = await agent.call('find listings by words and filters', { words: 'cruiser 40', limit: 3 });
        const { seller: found } = await agent.call('one listing with its description', { id: results[0].id });
        expect((await agent.call('who a seller is', { id: found.id })).name).toBe('Ada');
        expect((await agent.call('listings like one', { id: results[0].id })).results.length).toBeGreaterThan(0);
      },
    ],
    [
      'writes to the seller of a boat',
      'buyer',
      async (agent) => {
        const { results } = await agent.call('find listings by words and filters', { words: 'cruiser 41', limit: 1 });
        const sent = await agent.call('writes to the seller', {
          'listing id': results[0].id,
          content: 'Is she still for sale? I could come on Saturday.',
        });
        expect(sent.conversation_id).toBeDefined();
      },
    ],
    [
      'follows up a message, as the seller who was written to',
      'seller',
      async (agent) => {
        const { results } = await agent.call('conversations, the latest first');
        const { id } = results.find(({ unread }: { unread: number }) => unread > 0);
        const { messages } = await agent.call('messages of a conversation', { id });
        expect(messages[0].content).toContain('Saturday');
        await agent.call('answers in a conversation', { 'conversation id': id, content: 'She is. Saturday at ten?' });
      },
    ],
    [
      'drafts an ad from the words of its seller, and publishes it',
      'seller',
      async (agent) => {
        const draft = await agent.call('proposes fields, and what like things cost', {
          text: 'Hanse 342 sailing yacht. Built in 2007, LOA 10.35 m, one owner, new sails and a sound engine.\nPrice: 52,000 EUR',
        });
        expect(draft).toMatchObject({ attributes: { year: 2007, length: 10.35 }, missing: ['location', 'condition'] });
        const location = { country: 'DE', city: 'Kiel' };
        const created = await agent.callFrom('stores a listing as a draft', draft, { location, condition: 'good' });
        expect(created.status).toBe('draft');
        const { status } = await agent.call('publishes an own draft', { id: created.listing.id });
        expect(status).toBe('active');
      },
    ],
    [
      'lowers the price of an own ad, and marks it as sold',
      'seller',
      async (agent) => {
        const { results } = await agent.call('listings of the account, drafts included', { limit: 5 });
        const own = results.find(({ title }: { title: string }) => title.startsWith('Hanse 342'));
        const price = { amount: own.price - 2_000, currency: own.currency, negotiable: true };
        const changed = await agent.call('changes fields of an own listing', { id: own.id, price });
        expect(changed.listing.price).toBe(50_000);
        expect((await agent.call('ends an own listing as sold', { id: own.id, 'sale price': 49_000 })).status).toBe(
          'sold',
        );
      },
    ],
    [
      'saves a search, so that news are mailed',
      'buyer',
      async (agent) => {
        const filters = { q: 'bavaria', max_price: 50_000 };
        const names = Object.keys(agent.find('find listings by words and filters').inputSchema.properties!);
        expect(names).toEqual(expect.arrayContaining(Object.keys(filters)));
        const saved = await agent.call('saves a search', { name: 'Bavarias', 'search listings filters': filters });
        const { results } = await agent.call('searches that the account is told news of');
        expect(results).toMatchObject([{ id: saved.id, filters }]);
      },
    ],
    [
      'keeps a boat among the favorites',
      'buyer',
      async (agent) => {
        const { results } = await agent.call('find listings by words and filters', { words: 'cruiser 42', limit: 1 });
        await agent.call('adds a listing to the favorites', { 'listing id': results[0].id, favorite: true });
        expect((await agent.call('listings that the account keeps')).results).toMatchObject([{ id: results[0].id }]);
      },
    ],
    [
      'books a boat to rent, when it is free',
      'buyer',
      async (agent) => {
        const period = { date_from: '2027-06-01', date_to: '2027-06-08' };
        const { results } = await agent.call('boats to rent, by time', { ...period, location: 'Palma' });
        const rental = { 'rental id': results[0].id };
        const free = await agent.call('rental is free for a time', { ...rental, ...period });
        expect(free).toMatchObject({ available: true, days: 7, total_price: 7 * 480 });
        expect((await agent.call('asks the owner of a rental', { ...rental, ...period })).status).toBe('requested');
      },
    ],
    [
      'confirms what was asked of an own rental',
      'seller',
      async (agent) => {
        const { results: rentals } = await agent.call('offers for rent');
        const { results } = await agent.call('asked to book', { 'rental id': rentals[0].id });
        const [{ id, rental_id }] = results;
        const booking = { 'rental id': rental_id, 'booking id': id, answer: 'confirm' };
        expect((await agent.call('owner confirms or declines a request', booking)).status).toBe('confirmed');
      },
    ],
  ];

  test.each(tasks)('an agent %s', async (task, who, work) => {
    expect(await perform(task, who, work)).toBeLessThan(MAX_TOKENS);
  });

  test('all of these tasks fit into one context of 32,000 tokens, with llms.txt and the list of tools read once', async () => {
    const begun = await McpAgent.connect(`${app.url}/llms.txt`, key.buyer);
    expect(Object.keys(used)).toHaveLength(tasks.length);
    expect(begun.tokens + Object.values(used).reduce((sum, each) => sum + each, 0)).toBeLessThan(MAX_TOKENS);
  });
});
