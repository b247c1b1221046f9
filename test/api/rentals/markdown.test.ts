import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { ask, movableClock, offer } from './fixture.ts';

let app: TestApp;
let owner: Client;
beforeAll(async () => {
  app = await startApp({ profile: 'general', clock: movableClock() });
  owner = app.as(await app.createUser({ name: '- Mateu: # "x"' }));
});
afterAll(async () => {
  await app.close();
});

const markdown = { headers: { Accept: 'text/markdown' } };

test('a rental by its .md address and by the header are the same bytes: facts, description, booked times', async () => {
  const id = await offer(owner, {
    title: 'Boat # 1: [click](javascript:x)',
    description: '# Not a heading\n<script>alert(1)</script> and *stars*',
    boat_type: 'yes',
    location: { country: 'NO', city: 'no', region: '012' },
  });
  const booking = await ask(app.as(await app.createUser()), id, '2027-07-10', '2027-07-17');
  await owner.post(`/api/rentals/${id}/bookings/${booking}/confirm`);
  const [byAddress, byHeader] = [
    await app.as().get(`/api/rentals/${id}.md`),
    await app.as().get(`/api/rentals/${id}`, markdown),
  ];
  expect(byAddress.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(byHeader.text).toBe(byAddress.text);
  const [, facts = '', text = ''] = byAddress.text.split(/^---$/m);
  const { body } = await app.as().get(`/api/rentals/${id}`);
  const { description: _, unavailable: __, created_at: ___, updated_at: ____, ...shown } = body;
  expect(parse(facts)).toEqual(shown);
  expect(parse(facts, { version: '1.1' })).toEqual(shown);
  expect(text).toBe(
    '\n\n## Description\n\n\\# Not a heading\n\\<script\\>alert(1)\\</script\\> and \\*stars\\*\n\n## Booked times\n\n- 2027-07-10 to 2027-07-17\n',
  );
});

test('a catalog links to each rental and, with every filter, to its neighbours', async () => {
  for (const n of [1, 2, 3])
    await offer(owner, { title: `Boat [${n}] for rent`, location: { country: 'SE', city: 'Ö & ]( x' } });
  const query = 'location=%C3%96+%26&limit=1&sort=oldest';
  const [byAddress, byHeader] = [
    await app.as().get(`/api/rentals.md?${query}&page=2`),
    await app.as().get(`/api/rentals?${query}&page=2`, markdown),
  ];
  expect(byHeader.text).toBe(byAddress.text);
  const { body } = await app.as().get(`/api/rentals?${query}&page=2`);
  const address = (page: number) => `${app.url}/api/rentals.md?location=%C3%96+%26&limit=1&sort=oldest&page=${page}`;
  const [, facts = '', catalog = ''] = byAddress.text.split(/^---$/m);
  expect(parse(facts)).toEqual({
    title: 'Boats for rent',
    query: { location: 'Ö &', sort: 'oldest' },
    total: 3,
    page: 2,
    pages: 3,
    limit: 1,
    previous: expect.stringContaining('page=1'),
    next: expect.stringContaining('page=3'),
  });
  expect(catalog.trim().split('\n\n')).toEqual([
    '# Boats for rent',
    'Page 2 of 3, 3 rentals in all.',
    `## [Boat \\[2\\] for rent](${app.url}/api/rentals/${body.results[0].slug}.md)`,
    '- **Price**: 480 EUR per day\n- **Boat type**: catamaran\n- **Location**: Ö & \\]( x, SE\n- **Available**: 2027-05-01 to 2027-09-30',
    expect.stringMatching(/^\[Previous page\]/),
  ]);
  const links = [...byAddress.text.matchAll(/\[(\w+) page\]\(([^)]*)\)/g)].map(([, name, url = '']) => [
    name,
    new URL(url),
  ]);
  const expected = [
    ['Previous', new URL(address(1))],
    ['Next', new URL(address(3))],
  ] as const;
  const sorted = (url: URL) => [...url.searchParams].map(String).toSorted().join();
  expect(links.map(([name, url]) => [name, sorted(url as URL)])).toEqual(
    expected.map(([name, url]) => [name, sorted(url)]),
  );
  const [, , none] = (await app.as().get('/api/rentals.md?location=nowhere')).text.split(/^---$/m);
  expect(none).toBe('\n\n# Boats for rent\n\nNo rentals match.\n');
});
