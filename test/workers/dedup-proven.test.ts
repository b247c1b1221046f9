import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { ingestAll, photoOf, runMergingJob } from '../support/dealer-stock.ts';
import { forgetDuplicates } from '../support/dedup-setup.ts';
import { startSite, type Site } from '../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

// Pages come in through POST /api/ingest, their photos through the job that fetches them; the background job merges.
let app: TestApp;
let workers: TestWorkers;
let admin: TestUser;
let site: Site;
const names = ['bow', 'helm', 'cabin', 'sails', 'brochure1', 'brochure2', 'brochure3', 'banner'];

beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app, { env: { fetchAllow: ['127.0.0.1'] } });
  admin = await app.createUser({ role: 'admin' });
  // Each portal stores its own copy of a photo, more or less compressed.
  const photos = names.flatMap((name) =>
    [90, 60].map(async (q) => [`/${q}/${name}.jpg`, await photoOf(name, q)] as const),
  );
  site = await startSite(Object.fromEntries(await Promise.all(photos)));
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await site.close();
});
beforeEach(() => forgetDuplicates(app));

type Fields = { photos?: string[]; seller?: unknown } & Record<string, unknown>;

let pages = 0;
const own =
  'Seestern lies in Kiel, one owner from new. The engine has run 1,240 hours, the sails are from 2019 and the standing ' +
  'rigging was renewed two winters ago; the survey can be seen at any time.';

/** A page of a used boat on one of two portals, unless fields say otherwise. */
function page(portal: number, { photos = [], seller, ...fields }: Fields = {}) {
  pages += 1;
  const record = {
    url: `https://portal${portal}.example.com/boats/${pages}`,
    title: 'Bavaria 37 Cruiser 2004',
    description: `Bavaria 37 Cruiser, offered on portal ${portal}. Three cabins, two heads and a folding table in the cockpit.`,
    category_hint: 'Sailboats > Cruisers',
    condition: 'good',
    price: { amount: 79_000, currency: 'EUR' },
    location: { country: 'DE', city: 'Kiel' },
    attributes: { brand: 'Bavaria', model: '37 Cruiser', year: 2004, length: 11.35 },
    images: photos.map((name) => `${site.url}/${portal === 1 ? 90 : 60}/${name}.jpg`),
    ...fields,
  };
  return { ...record, raw_record: { ...record, seller } };
}

/** How many listings are left of those that these pages make, at the lowest threshold: the proof alone decides. */
async function mergedInto(...records: ReturnType<typeof page>[]): Promise<number> {
  await ingestAll(app, admin, records);
  await workers.work('localize-images');
  expect(await runMergingJob(app, workers, admin, 0.5)).toMatchObject({ state: 'completed', last_error: null });
  const { rows } = await app.database.pool.query(`select count(*)::int as n from listings where status <> 'deleted'`);
  return rows[0].n;
}

const groups = async () =>
  (await app.as(admin).get('/api/admin/nautical/dedup')).body.results as { status: string; members: unknown[] }[];
const hull = (hull_id: string) => ({ boat: { type: 'boat', hull_id } });

describe('one hull number', () => {
  test('on two portals is one boat, however the texts read', async () => {
    const other = {
      title: 'Segelyacht aus erster Hand',
      description: 'Gepflegtes Schiff, liegt in Kiel, Besichtigung jederzeit.',
    };
    expect(await mergedInto(page(1, hull('DE-BAV37F1K304')), page(2, { ...hull('de bav37f1k304'), ...other }))).toBe(1);
  });

  test('in the attributes of other goods is one thing, too', async () => {
    const vin = (brand: string) => ({
      attributes: { brand, model: 'Transporter', year: 2004, vin: 'WV1ZZZ7HZ8H123456' },
    });
    expect(await mergedInto(page(1, vin('Volkswagen')), page(2, vin('Volkswagen')))).toBe(1);
  });

  test('proves nothing when prices differ by more than 3 %, and the group waits', async () => {
    const price = { amount: 74_500, currency: 'EUR' };
    expect(await mergedInto(page(1, hull('DE-BAV37F1K304')), page(2, { ...hull('DE-BAV37F1K304'), price }))).toBe(2);
  });

  test.each(['N/A', '000000', 'TBD', 'see description'])(
    'that is a placeholder proves nothing: %s',
    async (placeholder) => {
      expect(await mergedInto(page(1, hull(placeholder)), page(2, hull(placeholder)))).toBe(2);
    },
  );

  test('that stands in a listing of another make, too, proves nothing', async () => {
    const stray = {
      attributes: { brand: 'Zodiac', model: 'Open', year: 2015, length: 5.5 },
      title: 'Zodiac Open 2015',
    };
    const number = hull('DE-BAV37F1K304');
    expect(await mergedInto(page(1, number), page(2, number), page(1, { ...number, ...stray }))).toBe(3);
  });

  test('of new stock that two sellers offer proves nothing', async () => {
    const stock = { ...hull('DE-BAV37F1K304'), condition: 'new' };
    const [one, other] = [{ telephone: '+49 431 5550100' }, { telephone: '+49 461 5550199' }];
    expect(await mergedInto(page(1, { ...stock, seller: one }), page(2, { ...stock, seller: other }))).toBe(2);
  });
});

describe('one seller, used goods and one text', () => {
  const told = { description: own, seller: 'Yachthafen Kiel GmbH' };

  test('is the repost of one boat', async () => {
    expect(
      await mergedInto(page(1, told), page(1, { ...told, title: 'Bavaria 37 Cruiser 2004, price on the water' })),
    ).toBe(1);
  });

  test('is known across portals by a telephone number', async () => {
    const [one, other] = ['+49 431 5550100', '0431 / 555 0100'].map((telephone) => ({ name: 'Privat', telephone }));
    expect(await mergedInto(page(1, { ...told, seller: one }), page(2, { ...told, seller: other }))).toBe(1);
  });

  test.each([
    ['nobody says who sells', {}, { seller: undefined }, { seller: undefined }],
    ['a portal prints the same of anybody', {}, { seller: 'Private seller' }, { seller: 'Private seller' }],
    ['two sell', {}, { seller: 'Anna Hansen' }, { seller: 'Ben Jensen' }],
    ['it is new', { condition: 'new' }, {}, {}],
    ['the prices are two', {}, {}, { price: { amount: 84_000, currency: 'EUR' } }],
    [
      'the condition is not told, and it is this year’s',
      { condition: undefined, attributes: { year: 2026, brand: 'Bavaria' } },
      {},
      {},
    ],
  ])('proves nothing where %s', async (_, both, one, other) => {
    expect(await mergedInto(page(1, { ...told, ...both, ...one }), page(1, { ...told, ...both, ...other }))).toBe(2);
  });

  test('proves nothing where the seller says the same of another boat', async () => {
    const banner =
      'Our yard in Kiel has been chosen yard of the year 2019. Every boat is cleaned, washed and handed over on the water, with a full tank.';
    const another = { title: 'Dufour 34 2006', attributes: { brand: 'Dufour', model: '34', year: 2006, length: 10.3 } };
    const said = { ...told, description: banner };
    expect(
      await mergedInto(
        page(1, said),
        page(1, { ...said, title: 'Bavaria 37 Cruiser' }),
        page(1, { ...said, ...another }),
      ),
    ).toBe(3);
  });
});

describe('three photos of its own, with price, year and place agreeing', () => {
  const photos = ['bow', 'helm', 'cabin'];

  test('are one boat on two portals, each with its own copy of them', async () => {
    expect(await mergedInto(page(1, { photos }), page(2, { photos: ['sails', ...photos] }))).toBe(1);
  });

  test.each([
    ['two photos', { photos: photos.slice(1) }, {}],
    ['another town', { photos }, { location: { country: 'DE', city: 'Konstanz' } }],
    ['no town', { photos }, { location: { country: 'DE' } }],
    ['another price', { photos }, { price: { amount: 84_000, currency: 'EUR' } }],
    ['another year', { photos }, { attributes: { brand: 'Bavaria', model: '37 Cruiser', year: 2005, length: 11.35 } }],
    ['new stock', { photos, condition: 'new' }, {}],
  ])('%s: two', async (_, both, other) => {
    expect(await mergedInto(page(1, both), page(2, { ...both, ...other }))).toBe(2);
  });

  test('photos that stand in the listing of another boat, too, do not count', async () => {
    const brochure = ['brochure1', 'brochure2', 'brochure3', 'bow'];
    const other = { price: { amount: 61_000, currency: 'EUR' }, location: { country: 'DE', city: 'Konstanz' } };
    expect(
      await mergedInto(
        page(1, { photos: brochure }),
        page(2, { photos: brochure }),
        page(1, { photos: brochure, ...other }),
      ),
    ).toBe(3);
    expect((await groups()).every(({ status }) => status === 'detected')).toBe(true);
  });

  test('a banner beside two photos is no third one', async () => {
    const shown = { photos: ['bow', 'helm', 'banner'] };
    const stranger = { title: 'Zodiac Open 2015', photos: ['banner'], attributes: { brand: 'Zodiac', year: 2015 } };
    expect(await mergedInto(page(1, shown), page(2, shown), page(2, stranger))).toBe(3);
  });
});

describe('a group of three', () => {
  test('is merged where each is proven to be one with the kept one', async () => {
    const number = hull('DE-BAV37F1K304');
    expect(await mergedInto(page(1, number), page(2, number), page(3, number))).toBe(1);
  });

  test('waits where one is proven to be one with another, and not with the kept one', async () => {
    const photos = ['bow', 'helm', 'cabin'];
    const both = page(1, { ...hull('DE-BAV37F1K304'), photos });
    const kept = page(2, { photos: [...photos, 'sails', 'banner'] });
    const numbered = page(3, hull('DE-BAV37F1K304'));
    expect(await mergedInto(both, kept, numbered)).toBe(3);
    expect(await groups()).toMatchObject([{ status: 'detected', members: [{}, {}, {}] }]);
  });

  test('whose kept listing is deleted waits where nothing proves the others to be one', async () => {
    const photos = ['bow', 'helm', 'cabin'];
    const kept = page(1, { ...hull('DE-BAV37F1K304'), photos: [...photos, 'sails'] });
    const records = [kept, page(2, { photos }), page(3, hull('DE-BAV37F1K304'))];
    const ids = await ingestAll(app, admin, records);
    await workers.work('localize-images');
    expect(await runMergingJob(app, workers, admin, 0.5)).toMatchObject({ groups_merged: 1 });
    await workers.readJournal();
    await workers.work('dedup-reelect');
    expect((await app.as(admin).delete(`/api/listings/${ids[0]}`)).status).toBe(200);
    await workers.readJournal();
    expect(await workers.work('dedup-reelect')).toMatchObject([{ status: 'completed' }]);
    expect(await groups()).toMatchObject([{ status: 'detected', members: [{}, {}] }]);
    const { rows } = await app.database.pool.query('select status, merged_into from listings order by id');
    expect(rows).toEqual([0, 1].map(() => ({ status: 'draft', merged_into: null })));
  });

  test('that nothing proves is merged when an administrator says so', async () => {
    expect(await mergedInto(page(1), page(2))).toBe(2);
    const [group] = (await app.as(admin).get('/api/admin/nautical/dedup?status=detected')).body.results;
    expect((await app.as(admin).post(`/api/admin/nautical/dedup/${group.id}/merge`, {})).body.status).toBe('merged');
  });
});

test('an image that a dozen ads show is not told as a rare one', async () => {
  const titles = ['Bavaria 37 Cruiser 2004', 'Segelyacht Seestern in Kiel', 'Cruiser, three cabins, one owner'];
  const ads = Array.from({ length: 12 }, (_, n) =>
    page(1 + n, { photos: ['bow'], title: titles[n % 3], description: `${own} Berth ${n}.` }),
  );
  await mergedInto(...ads);
  const told = (await groups()).flatMap(({ members }) =>
    (members as { evidence: { reasons: { signal: string }[] }[] }[]).flatMap(({ evidence }) =>
      evidence.flatMap(({ reasons }) => reasons.map(({ signal }) => signal)),
    ),
  );
  expect(told.length).toBeGreaterThan(0);
  expect(told).not.toContain('picture_rare');
});
