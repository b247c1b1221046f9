import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type Json, type Reply, type TestApp, type TestUser } from '../../support/app.ts';
import { ask, movableClock, offer, rentalBody } from './fixture.ts';
import { waitFor } from '../../support/waiting.ts';

const clock = movableClock();
let app: TestApp;
let ownerUser: TestUser;
let [owner, renter]: Client[] = [];
beforeAll(async () => {
  app = await startApp({ clock });
  ownerUser = await app.createUser({ name: 'Mateu' });
  [owner, renter] = [app.as(ownerUser), app.as(await app.createUser())];
});
afterAll(async () => {
  await app.close();
});

const reader = () => app.as();
const errorOf = ({ status, body }: Reply<Json>) => [status, body.error?.code];
const pathsOf = ({ body }: Reply<Json>) => body.error.details.errors.map(({ path }: { path: string }) => path);
const idsOf = (reply: Reply<Json>): string[] => reply.body.results.map(({ id }: { id: string }) => id);

describe('offering a boat', () => {
  test('what is offered is public at once, under its id and its slug', async () => {
    const body = rentalBody({
      title: 'Lagoon 42 in Cala d’Or',
      location: { country: 'ES', city: 'Cala d’Or', region: 'Illes Balears' },
    });
    const created = await owner!.post('/api/rentals', body);
    const { description, ...shown } = body;
    expect([created.status, created.body]).toEqual([
      201,
      {
        ...shown,
        description,
        id: expect.stringMatching(/^rent_[0-9A-Z]{26}$/),
        slug: 'lagoon-42-in-cala-d-or',
        images: [],
        status: 'active',
        owner: { id: ownerUser.id, name: 'Mateu' },
        unavailable: [],
        created_at: '2027-03-01T12:00:00.000Z',
        updated_at: '2027-03-01T12:00:00.000Z',
      },
    ]);
    const { id, slug } = created.body;
    expect(created.headers.get('location')).toBe(`${app.url}/api/rentals/${id}`);
    expect((await reader().get(`/api/rentals/${id}`)).body).toEqual(created.body);
    expect((await reader().get(`/api/rentals/${slug}`)).body).toEqual(created.body);
    const listed = await reader().get('/api/rentals');
    const { description: _, owner: __, unavailable: ___, updated_at: ____, ...item } = created.body;
    expect(listed.body.results[0]).toEqual(item);
  });

  test.each([
    ['/body/currency', { currency: 'XYZ' }],
    ['/body/currency', { currency: 'ABC' }],
    ['/body/location/country', { location: { country: 'XX', city: 'Palma' } }],
    ['/body/availability/available_to', { availability: { available_from: '2027-05-02', available_to: '2027-05-01' } }],
    [
      '/body/availability/available_from',
      { availability: { available_from: '2027-02-30', available_to: '2027-05-01' } },
    ],
    ['/body/availability/available_to', { availability: { available_from: '2027-02-01', available_to: '2027-13-01' } }],
    ['/body/price_per_day', { price_per_day: -1 }],
    ['/body/title', { title: 'Boat' }],
    ['/body/description', { description: 'Too short.' }],
    ['/body/images/0/url', { images: [{ url: 'ftp://example.com/a.jpg' }] }],
  ])('400 that names %s for %j', async (path, fields) => {
    const reply = await owner!.post('/api/rentals', rentalBody(fields));
    expect([errorOf(reply), pathsOf(reply)]).toEqual([[400, 'validation_error'], [path]]);
  });

  test('a season of one day is one', async () => {
    const availability = { available_from: '2027-06-01', available_to: '2027-06-01' };
    const id = await offer(owner!, { availability });
    expect((await reader().get(`/api/rentals/${id}`)).body.availability).toEqual(availability);
  });

  test('400 moderation_rejected for what listings may not say either, new or changed', async () => {
    const description =
      'See http://a.example http://b.example http://c.example http://d.example http://e.example http://f.example';
    const refused = await owner!.post('/api/rentals', rentalBody({ description }));
    expect([errorOf(refused), refused.body.error.details.reasons]).toEqual([
      [400, 'moderation_rejected'],
      ['link_spam'],
    ]);
    const id = await offer(owner!);
    expect(errorOf(await owner!.patch(`/api/rentals/${id}`, { description }))).toEqual([400, 'moderation_rejected']);
    expect((await reader().get(`/api/rentals/${id}`)).body.description).not.toBe(description);
  });

  test('two of one title get two slugs, none of them that of another address', async () => {
    const titles = ['Availability', 'Availability', '!!!!!'];
    const slugs = [];
    for (const title of titles) slugs.push((await owner!.post('/api/rentals', rentalBody({ title }))).body.slug);
    expect(new Set(slugs).size).toBe(3);
    expect(slugs).not.toContain('availability');
  });
});

describe('changing it', () => {
  test('changes what is sent and nothing else; the same again changes nothing at all', async () => {
    const id = await offer(owner!);
    const before = (await reader().get(`/api/rentals/${id}`)).body;
    clock.move(60_000);
    const fields = { price_per_day: 333.5, currency: 'GBP', location: { country: 'HR', city: 'Split' } };
    const changed = await owner!.patch(`/api/rentals/${id}`, fields);
    expect(changed.body).toEqual({ ...before, ...fields, updated_at: '2027-03-01T12:01:00.000Z' });
    clock.move(60_000);
    expect((await owner!.patch(`/api/rentals/${id}`, fields)).body).toEqual(changed.body);
    expect((await owner!.patch(`/api/rentals/${id}`, {})).body).toEqual(changed.body);
    expect(idsOf(await reader().get('/api/rentals?location=split'))).toEqual([id]);
  });

  test('changes made at the same time are all there afterwards, and were judged together', async () => {
    const id = await offer(owner!);
    const texts = { title: 'Another title for her', description: 'Another description of the same old boat.' };
    const changes = [{ title: texts.title }, { description: texts.description }, { price_per_day: 12 }];
    const replies = await Promise.all(changes.map((change) => owner!.patch(`/api/rentals/${id}`, change)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await reader().get(`/api/rentals/${id}`)).body).toMatchObject({ ...texts, price_per_day: 12 });
  });

  test('403 for somebody else, 404 once it is deleted, and nothing is changed', async () => {
    const id = await offer(owner!);
    expect(errorOf(await renter!.patch(`/api/rentals/${id}`, { price_per_day: 1 }))).toEqual([403, 'forbidden']);
    expect(errorOf(await renter!.delete(`/api/rentals/${id}`))).toEqual([403, 'forbidden']);
    expect((await reader().get(`/api/rentals/${id}`)).body.price_per_day).toBe(480);
    expect((await owner!.delete(`/api/rentals/${id}`)).body).toEqual({ deleted: true, id });
    for (const reply of [
      await owner!.get(`/api/rentals/${id}`),
      await owner!.patch(`/api/rentals/${id}`, {}),
      await owner!.delete(`/api/rentals/${id}`),
      await owner!.get(`/api/rentals/availability?id=${id}&date_from=2027-06-01&date_to=2027-06-02`),
    ])
      expect(errorOf(reply)).toEqual([404, 'not_found']);
  });

  test('a paused rental can be read but is in no list but its owner’s, until it is active again', async () => {
    const id = await offer(owner!, { location: { country: 'GR', city: 'Lefkada' } });
    const listed = async () => idsOf(await reader().get('/api/rentals?location=lefkada'));
    expect((await owner!.patch(`/api/rentals/${id}`, { status: 'paused' })).body.status).toBe('paused');
    expect([await listed(), (await reader().get(`/api/rentals/${id}`)).body.status]).toEqual([[], 'paused']);
    expect(idsOf(await owner!.get('/api/me/rentals?status=paused'))).toEqual([id]);
    expect(idsOf(await renter!.get('/api/me/rentals'))).toEqual([]);
    expect(errorOf(await owner!.patch(`/api/rentals/${id}`, { status: 'deleted' }))).toEqual([400, 'validation_error']);
    await owner!.patch(`/api/rentals/${id}`, { status: 'active' });
    expect(await listed()).toEqual([id]);
  });
});

describe('finding one', () => {
  const found = new Map<string, string>();
  beforeAll(async () => {
    const places = [
      ['palma', { country: 'ES', city: 'Pálma de Mallorca', region: 'Illes Balears' }, 100, 'Catamaran'],
      ['genova', { country: 'IT', city: 'Génova' }, 50, 'sailboat'],
      ['venice', { country: 'IT', city: 'Venice' }, 250.5, 'sailboat'],
      ['nice', { country: 'FR', city: 'Nice', region: 'Côte d’Azur' }, 0, 'RIB'],
      ['busan', { country: 'KR', city: '부산광역시' }, 400, 'sailboat'],
    ] as const;
    for (const [name, location, price_per_day, boat_type] of places) {
      clock.move(1_000);
      found.set(await offer(owner!, { title: `Quest ${name}`, location, price_per_day, boat_type }), name);
    }
  });
  const search = async (query: string) =>
    idsOf(await reader().get(`/api/rentals?limit=100&${query}`)).flatMap((id) => found.get(id) ?? []);

  test.each([
    ['location=palma', ['palma']],
    ['location=PÁLM', ['palma']],
    ['location=mallorca,%20illes', ['palma']],
    ['location=balears', ['palma']],
    ['location=genova', ['genova']],
    ['location=nice', ['nice']],
    ['location=cote%20azur', ['nice']],
    ['location=Italia', ['venice', 'genova']],
    ['location=venice,%20italy', ['venice']],
    ['location=부산', ['busan']],
    ['location=광역', ['busan']],
    ['location=%25', []],
    ['location=_____', []],
    ['location=!', []],
    ['country=it', ['venice', 'genova']],
    ['country=IT&price_per_day_min=250', ['venice']],
    ['boat_type=rib', ['nice']],
    ['boat_type=SailBoat&price_per_day_max=250.5&sort=price_desc', ['venice', 'genova']],
    ['price_per_day_min=500&price_per_day_max=5', []],
    ['location=it&sort=oldest', ['genova', 'venice']],
    ['location=it&sort=price_asc', ['genova', 'venice']],
  ])('%s finds %j', async (query, expected) => {
    expect(await search(query)).toEqual(expected);
  });

  test('pages are of the same order and hold everything once', async () => {
    const pages = await Promise.all(
      [1, 2, 3].map((page) => reader().get(`/api/rentals?sort=oldest&limit=5&page=${page}`)),
    );
    const all = await reader().get('/api/rentals?sort=oldest&limit=100');
    expect(pages.flatMap(idsOf)).toEqual(idsOf(all).slice(0, 15));
    const total = all.body.results.length;
    expect(pages[0]!.body.pagination).toEqual({ page: 1, limit: 5, total, pages: Math.ceil(total / 5) });
    const past = await reader().get('/api/rentals?page=1000000');
    expect([past.body.results, past.body.pagination.total]).toEqual([[], total]);
  });

  test.each([
    'date_from=2027-02-30',
    'date_from=2027-06-10&date_to=2027-06-10',
    'date_from=2027-01-01&date_to=2028-01-02',
    'country=Spain',
    'sort=dearest',
    'price_per_day_min=-1',
    'colour=red',
  ])('400 for %s', async (query) => {
    expect(errorOf(await reader().get(`/api/rentals?${query}`))).toEqual([400, 'validation_error']);
  });
});

describe('free times', () => {
  let id: string;
  beforeAll(async () => {
    id = await offer(owner!, {
      price_per_day: 99.99,
      location: { country: 'SE', city: 'Marstrand' },
      availability: { available_from: '2027-02-01', available_to: '2027-08-31' },
    });
    const booking = await ask(renter!, id, '2027-07-10', '2027-07-17');
    await owner!.post(`/api/rentals/${id}/bookings/${booking}/confirm`);
    await ask(renter!, id, '2027-06-01', '2027-06-08');
  });

  test.each([
    ['2027-07-17', '2027-07-24', true, []],
    ['2027-07-03', '2027-07-10', true, []],
    ['2027-06-01', '2027-06-08', true, []],
    ['2027-08-31', '2027-09-01', true, []],
    ['2027-03-01', '2027-03-02', true, []],
    ['2027-07-16', '2027-07-20', false, [{ from: '2027-07-10', to: '2027-07-17' }]],
    ['2027-07-11', '2027-07-12', false, [{ from: '2027-07-10', to: '2027-07-17' }]],
    ['2027-08-31', '2027-09-02', false, [{ from: '2027-09-01', to: '2027-09-02' }]],
    ['2027-02-27', '2027-03-03', false, [{ from: '2027-02-27', to: '2027-03-01' }]],
    ['2020-01-01', '2020-01-03', false, [{ from: '2020-01-01', to: '2020-01-03' }]],
    ['9999-12-30', '9999-12-31', false, [{ from: '9999-12-30', to: '9999-12-31' }]],
  ])('%s to %s: free %s', async (from, to, available, conflicts) => {
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
    const { body } = await reader().get(`/api/rentals/availability?id=${id}&date_from=${from}&date_to=${to}`);
    const total_price = Number((days * 99.99).toFixed(2));
    expect(body).toEqual({
      id,
      date_from: from,
      date_to: to,
      available,
      days,
      conflicts,
      total_price,
      currency: 'EUR',
    });
    const listed = await reader().get(`/api/rentals?location=marstrand&date_from=${from}&date_to=${to}`);
    expect(idsOf(listed)).toEqual(available ? [id] : []);
  });

  test('one date alone asks for its day: the first one, or the last before the boat is given back', async () => {
    const listed = async (query: string) => idsOf(await reader().get(`/api/rentals?location=marstrand&${query}`));
    expect(await listed('date_from=2027-07-16')).toEqual([]);
    expect(await listed('date_from=2027-07-17')).toEqual([id]);
    expect(await listed('date_to=2027-07-17')).toEqual([]);
    expect(await listed('date_to=2027-07-18')).toEqual([id]);
    expect(await listed('date_from=9999-12-31')).toEqual([]);
    expect(await listed('date_to=0001-01-01')).toEqual([]);
  });

  test('yen have no cents, dinars have a thousand fils', async () => {
    const priceOf = async (currency: string, price_per_day: number) => {
      const rental = await offer(owner!, { currency, price_per_day });
      return (await reader().get(`/api/rentals/availability?id=${rental}&date_from=2027-06-01&date_to=2027-06-04`)).body
        .total_price;
    };
    expect(await Promise.all([priceOf('JPY', 100.5), priceOf('KWD', 0.3335), priceOf('EUR', 0.005)])).toEqual([
      302, 1.001, 0.02,
    ]);
  });

  test('what is booked and not over stands in the rental; a paused one is never free', async () => {
    expect((await reader().get(`/api/rentals/${id}`)).body.unavailable).toEqual([
      { from: '2027-07-10', to: '2027-07-17' },
    ]);
    await owner!.patch(`/api/rentals/${id}`, { status: 'paused' });
    const { body } = await reader().get(`/api/rentals/availability?id=${id}&date_from=2027-06-01&date_to=2027-06-03`);
    expect([body.available, body.conflicts]).toEqual([false, [{ from: '2027-06-01', to: '2027-06-03' }]]);
  });

  test.each([
    '',
    'id=x',
    'id=x&date_from=2027-06-01',
    'id=x&date_from=2027-06-01&date_to=2027-06-01',
    'id=x&date_from=2027-06-31&date_to=2027-07-01',
  ])('400 for ?%s', async (query) => {
    expect(errorOf(await reader().get(`/api/rentals/availability?${query}`))).toEqual([400, 'validation_error']);
  });
});

test('a change is seen by the next reader of the process that made it, and by those of another one soon', async () => {
  const twin = await app.twin();
  try {
    const id = await offer(owner!, { location: { country: 'PT', city: 'Lagos' } });
    const listing = (process: TestApp) => process.as().get('/api/rentals?location=lagos');
    const detail = (process: TestApp) => process.as().get(`/api/rentals/${id}`);
    const booking = await ask(renter!, id, '2027-06-10', '2027-06-12');
    // What was done before this reaches the caches first.
    const isKept = async (read: typeof detail, process: TestApp) =>
      expect((await read(process)).headers.get('x-cache')).toBe('HIT');
    for (const process of [app, twin]) {
      for (const read of [listing, detail]) await waitFor(() => isKept(read, process));
    }
    await owner!.post(`/api/rentals/${id}/bookings/${booking}/confirm`);
    expect((await detail(app)).body.unavailable).toHaveLength(1);
    await waitFor(async () => expect((await detail(twin)).body.unavailable).toHaveLength(1), 5_000);
    await owner!.delete(`/api/rentals/${id}`);
    expect([idsOf(await listing(app)), (await detail(app)).status]).toEqual([[], 404]);
    await waitFor(
      async () => expect([idsOf(await listing(twin)), (await detail(twin)).status]).toEqual([[], 404]),
      5_000,
    );
  } finally {
    await twin.close();
  }
});
