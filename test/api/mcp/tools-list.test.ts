import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { storeListings } from '../listings/search-fixture.ts';

afterAll(closeApps);

const READING = [
  'search_listings',
  'get_listing',
  'compare_listings',
  'similar_listings',
  'suggest',
  'list_categories',
  'category_attributes',
  'price_guidance',
  'get_seller',
  'search_rentals',
  'check_availability',
];
const OF_ANY_KEY = [
  'list_my_listings',
  'list_conversations',
  'get_conversation',
  'list_saved_searches',
  'list_favorites',
  'list_bookings',
  'list_my_rentals',
  'why_not_published',
];

describe.each(['nautical', 'general'] as const)('the list of tools in the profile %s', (profile) => {
  let app: TestApp;
  let user: TestUser;
  let admin: TestUser;
  beforeAll(async () => {
    app = await startApp({ profile });
    user = await app.createUser();
    admin = await app.createUser({ role: 'admin' });
  });

  const listFor = async (token?: string) => (await (await connectMcp(app, token)).client.listTools()).tools;
  const keyOf = async (owner: TestUser, scopes: string[]) =>
    (await app.as(owner).post('/api/api-keys', { name: 'agent', scopes })).body.key as string;
  const sortedNames = async (token?: string) => (await listFor(token)).map(({ name }) => name).toSorted();

  test('costs fewer than 3,000 tokens without an account, 5,000 with one, 6,000 for an administrator', async () => {
    const costOf = async (token?: string) => countTokens(JSON.stringify(await listFor(token)));
    expect(await costOf()).toBeLessThan(3_000);
    expect(await costOf(user.token)).toBeLessThan(5_000);
    expect(await costOf(admin.token)).toBeLessThan(6_000);
  });

  test('holds what the caller can use: without an account what reads, with a key what its scopes allow', async () => {
    expect(await sortedNames()).toEqual(READING.toSorted());
    expect(await sortedNames(await keyOf(user, ['read']))).toEqual([...READING, ...OF_ANY_KEY].toSorted());
    const messaging = [...READING, ...OF_ANY_KEY, 'send_message', 'request_booking', 'answer_booking'];
    expect(await sortedNames(await keyOf(user, ['messages']))).toEqual(messaging.toSorted());
    expect(await sortedNames(await keyOf(user, ['publish']))).toContain('publish_listing');
    expect(await sortedNames(user.token)).not.toContain('decide');
    expect(await sortedNames(admin.token)).toContain('decide');
    expect(await sortedNames(await keyOf(admin, ['admin']))).toContain('decide');
  });

  test('tells without an account how to get one, and with one that the user is asked first', async () => {
    const told = async (token?: string) => (await connectMcp(app, token)).client.getInstructions();
    expect(await told()).toContain(`POST ${app.url}/api/api-keys`);
    expect(await told(user.token)).toContain('confirm: true');
  });

  test('names for every tool what it does, its fields with their types, and what it changes', async () => {
    for (const { name, title, description, inputSchema, outputSchema, annotations } of await listFor(admin.token)) {
      expect(title, name).toBeTruthy();
      expect(description, name).toBeTruthy();
      for (const [field, schema] of Object.entries(inputSchema.properties ?? {}))
        expect(schema, `${name}.${field}`).toMatchObject({ type: expect.any(String) });
      expect(Object.keys(outputSchema?.properties ?? {}).length, name).toBeGreaterThan(0);
      expect(annotations, name).toMatchObject({ readOnlyHint: expect.any(Boolean) });
      expect('confirm' in (inputSchema.properties ?? {}), name).toBe(/Needs confirm: true/.test(description ?? ''));
      if (annotations?.readOnlyHint !== true) expect(inputSchema.properties, name).toHaveProperty('idempotency_key');
    }
  });

  test('what publishes, sends, books, merges or decides needs confirm: true, and does nothing without it', async () => {
    const asking = ['publish_listing', 'send_message', 'request_booking', 'answer_booking', 'decide'];
    const asked = (await listFor(admin.token)).filter(({ inputSchema }) => 'confirm' in (inputSchema.properties ?? {}));
    const admins = ['merge_duplicates', 'run_scraper', 'undo_merge'];
    expect(asked.map(({ name }) => name).toSorted()).toEqual([...asking, ...admins].toSorted());
    const { call } = await connectMcp(app, user.token);
    const answer = await call('publish_listing', { id: 'lst_of_nobody' });
    expect(answer.text).toMatch(/^confirmation_required: nothing was done\. .*\nNext: ask the user, .*confirm: true/s);
  });

  test('a tool that is not listed still says what it needs, before anything else', async () => {
    const { call } = await connectMcp(app);
    expect((await call('publish_listing', { id: 'x' })).text).toMatch(/^unauthorized: .*Next: .*"publish"/s);
    expect((await call('decide', {})).text).toMatch(/^unauthorized: /);
    const own = await connectMcp(app, await keyOf(user, ['read']));
    expect((await own.call('send_message', {})).text).toMatch(/^forbidden: .*Next: .*'messages'/s);
    const session = await connectMcp(app, user.token);
    expect((await session.call('decide', { id: 'x', decision: 'approve' })).text).toMatch(
      /^forbidden: .*administrators/,
    );
    await expect(call('no_such_tool')).rejects.toThrow("There is no tool 'no_such_tool'");
  });

  const costOfSearch = async (titles: string[], brand: string) => {
    const category_id = profile === 'nautical' ? 'cruising' : 'sailboats';
    const rows = titles.map((title, index) => ({
      title,
      category_id,
      price_amount: 129_500 + index,
      city: 'La Rochelle',
      attributes: { brand, model: 'Océanis Clipper', year: 1999 + index, length: 14.27 },
      images: [{ key: `images/ab/${'ab'.repeat(32)}.webp` }],
    }));
    await storeListings(app, user, rows);
    const { client } = await connectMcp(app);
    const input = { q: brand, category: category_id };
    const answer = await client.callTool({ name: 'search_listings', arguments: input });
    expect((answer.structuredContent as { results: unknown[] }).results).toHaveLength(10);
    return countTokens(JSON.stringify(answer));
  };

  test('ten found listings cost fewer than 1,500 tokens, as text and as data together', async () => {
    const titles = Array.from({ length: 11 }, (_, index) => `Hanse 34${index} sailing yacht, one owner, new sails`);
    expect(await costOfSearch(titles, 'Hanse')).toBeLessThan(1_500);
  });

  test('ten with titles as long as they may be cost fewer than 1,600', async () => {
    const long =
      'très bien équipé, première main, prêt à naviguer, visible à la marina tous les jours, prix à débattre';
    const titles = Array.from({ length: 11 }, (_, index) => `Bénéteau Océanis ${index}: ${long}`);
    expect(await costOfSearch(titles, 'Bénéteau')).toBeLessThan(1_600);
  });
});
