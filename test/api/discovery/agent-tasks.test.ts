import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from '../listings/search-fixture.ts';

const MAX_TOKENS = 32_000;

let app: TestApp;
let seller: TestUser;
let buyer: TestUser;
beforeAll(async () => {
  app = await startApp();
  [seller, buyer] = [await app.createUser(), await app.createUser()];
  const boats = [
    ['Bavaria 36', 'Bavaria', 48_000, 2004, 11.4],
    ['Hanse 342', 'Hanse', 52_000, 2007, 10.35],
    ['Dehler 34', 'Dehler', 39_000, 1998, 10.2],
    ['Contest 33', 'Contest', 19_000, 1979, 10],
    ['Najad 440', 'Najad', 260_000, 2008, 13.65],
  ] as const;
  await storeListings(
    app,
    seller,
    boats.map(([title, brand, price, year, length]) => ({
      title,
      price_amount: price,
      year,
      length_m: length,
      attributes: { brand, year, length },
      images: [{ key: `images/ab/${'ab'.repeat(32)}.webp` }],
    })),
  );
});
afterAll(() => app.close());

/** What a page of the reference says about an operation. */
type Page = { method: string; address: string; body: Json; isIdempotent: boolean; text: string };

/** A client that knows the address of the map and a key, follows what it reads, and counts the tokens of all that passes. */
function createAgent(map: string, keys: { seller: string; buyer: string }) {
  const texts: string[] = [];
  const pages = new Map<string, Page>();
  const exchange = async (address: string, options: RequestInit = {}) => {
    const response = await fetch(address, options);
    const text = await response.text();
    texts.push(address, typeof options.body === 'string' ? options.body : '', text);
    return { status: response.status, text };
  };
  let known: string | undefined;
  const readMap = async () => (known ??= (await exchange(map)).text);
  /** The page that the map links in the line that speaks of the purpose. */
  const readPage = async (purpose: string): Promise<Page> => {
    const line = (await readMap()).split('\n').find((each) => each.includes(`: ${purpose}, `));
    const href = /\]\(([^()]+)\)/.exec(line ?? '')?.[1];
    if (href === undefined) throw new Error(`The map says nothing of: ${purpose}`);
    const found = pages.get(href);
    if (found) return found;
    const { text } = await exchange(href);
    const [, method, path] = /^`([A-Z]+) (\S+)`/m.exec(text) ?? [];
    const [, address] = /^curl (?:-X [A-Z]+ )?'([^']+)'/m.exec(text) ?? [];
    const [, example] = /-d '(.*)'$/m.exec(text) ?? [];
    const page = {
      method: method!,
      address: new URL(path!, address).href,
      body: example && JSON.parse(example.replaceAll(String.raw`'\''`, "'")),
      isIdempotent: /-H "Idempotency-Key/.test(text),
      text,
    };
    pages.set(href, page);
    return page;
  };
  return {
    tokens: () => Math.ceil(texts.join('').length / 4),
    readMap,
    readPage,
    read: async (address: string) => (await exchange(address)).text,
    /** Does what the page tells: its body with the fields replaced that it names, its placeholders filled in. */
    perform: async (
      purpose: string,
      who: 'seller' | 'buyer',
      { id = '', query = {}, body }: { id?: string; query?: Record<string, string>; body?: Json } = {},
    ) => {
      const page = await readPage(purpose);
      for (const name of [...Object.keys(query), ...Object.keys(body ?? {})])
        expect(page.text).toContain(`| ${name} |`);
      const address = new URL(decodeURI(page.address).replace('{id}', id));
      for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
      const { status, text } = await exchange(address.href, {
        method: page.method,
        headers: {
          Authorization: `Bearer ${keys[who]}`,
          ...(page.isIdempotent && { 'Idempotency-Key': randomUUID() }),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify({ ...page.body, ...body }) }),
      });
      expect(status, `${purpose}: ${text}`).toBeLessThan(300);
      return text === '' ? undefined : JSON.parse(text);
    },
  };
}

async function createKey(user: TestUser, scopes: string[]): Promise<string> {
  const { body, status, text } = await app.as(user).post('/api/api-keys', { name: 'agent', scopes });
  expect(status, text).toBe(201);
  return body.key;
}

/** The entries of a Markdown list: title, address and facts. */
const readEntries = (text: string) =>
  text
    .split('\n## ')
    .slice(1)
    .map((entry) => ({
      title: /^\[(.+?)\]/.exec(entry)?.[1],
      address: /\]\((.+?)\)/.exec(entry)![1]!,
      facts: new Map([...entry.matchAll(/^- \*\*(\w+)\*\*: (.+)$/gm)].map(([, name, value]) => [name, value])),
    }));

test('ten tasks are done from what the service says of itself, starting at the map, with 32,000 tokens read and sent in all', async () => {
  const agent = createAgent(`${app.url}/llms.txt`, {
    seller: await createKey(seller, ['read', 'listings:write', 'publish', 'messages']),
    buyer: await createKey(buyer, ['read', 'listings:write', 'messages']),
  });

  // 1. Find three boats and compare them: the list alone tells enough.
  const [, search = ''] = /Search: `GET (\S+?)\?/.exec(await agent.readMap()) ?? [];
  const query = new URLSearchParams({ max_price: '60000', 'attr[min_year]': '1995', sort: 'price_asc', limit: '3' });
  const boats = readEntries(await agent.read(`${search}?${query.toString()}`));
  expect(boats.map(({ title }) => title)).toEqual(['Dehler 34', 'Bavaria 36', 'Hanse 342']);
  const table = boats.map(({ facts }) => ['Price', 'Year', 'Length', 'Make'].map((name) => facts.get(name)));
  expect(table[0]).toEqual(['39000 EUR', '1998', '10.2 m', 'Dehler']);
  for (const { facts } of boats) expect(facts.get('Photo')).toMatch(/^<http.+-thumb\.webp>$/);

  // 2. Read the one that was chosen.
  const chosen = await agent.read(boats[0]!.address);
  const listingId = /^id: "?(lst_\w+)/m.exec(chosen)?.[1];
  expect(listingId).toBeDefined();

  // 3. Draft an ad of one's own, 4. publish it, 5. lower its price.
  const draft = await agent.perform('Create a listing', 'seller', {
    body: { title: 'Optimist dinghy with trolley', description: 'A sound dinghy with sail, trolley and cover.' },
  });
  expect(draft.status).toBe('draft');
  const published = await agent.perform('Publish a draft', 'seller', { id: draft.id });
  expect(published.status).toBe('active');
  const price = { ...draft.price, amount: draft.price.amount - 100 };
  const changed = await agent.perform('Change a listing', 'seller', { id: draft.id, body: { price } });
  expect(changed.price.amount).toBe(price.amount);

  // 6. Write to the seller, 7. follow it up as the seller.
  const begun = await agent.perform('Write to the seller of a listing', 'buyer', {
    body: { listing_id: listingId, message: 'Is she still for sale? I could come on Saturday.' },
  });
  expect(begun.id).toBeDefined();
  const { results } = await agent.perform('List your conversations', 'seller', { query: { limit: '5' } });
  const conversation = await agent.perform('Read a conversation', 'seller', { id: results[0].id });
  expect(JSON.stringify(conversation)).toContain('I could come on Saturday.');
  await agent.perform('Write in a conversation', 'seller', {
    id: results[0].id,
    body: { content: 'She is. Saturday at ten?' },
  });

  // 8. Keep a listing, 9. and a search.
  await agent.perform('Keep a listing among your favorites', 'buyer', { body: { listing_id: listingId } });
  const saved = await agent.perform('Save a search', 'buyer', { body: { name: 'Small cruisers' } });
  expect(saved.name).toBe('Small cruisers');

  // 10. The ad is sold.
  const sold = await agent.perform('Mark a listing as sold', 'seller', { id: draft.id });
  expect(sold.status).toBe('sold');

  expect(agent.tokens()).toBeLessThan(MAX_TOKENS);
});
