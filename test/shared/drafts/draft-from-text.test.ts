import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { draftFromText } from '../../../shared/drafts/draft-from-text.ts';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { storeListings } from '../../api/listings/search-fixture.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  const prices = [50_000, 52_000, 54_000, 56_000, 58_000];
  await storeListings(
    app,
    await app.createUser(),
    prices.map((price_amount, index) => ({
      title: `Hanse 342, hull ${index}`,
      price_amount,
      attributes: { brand: 'Hanse', model: '342', year: 2007 },
    })),
  );
});
afterAll(closeApps);

const draft = (text: string) => draftFromText(app.services, text, new Date('2027-01-01T00:00:00Z'));

describe('a draft from text', () => {
  test('reads facts that are labelled, line by line, and what like things cost', async () => {
    const lines = [
      'Hanse 342',
      'Year: 2007',
      'Length: 10.35 m',
      'Condition: like new',
      'Location: Kiel, Germany',
      'Price: 52.000 € VB',
    ];
    expect(await draft([...lines, 'A quick cruiser with new sails.'].join('\n'))).toMatchObject({
      title: 'Hanse 342',
      category: 'cruising',
      condition: 'like_new',
      attributes: { brand: 'Hanse', model: '342', year: 2007, length: 10.35 },
      price: { amount: 52_000, currency: 'EUR', negotiable: true },
      location: { country: 'DE', city: 'Kiel' },
      estimatedPriceRange: { currency: 'EUR', min: expect.any(Number), max: expect.any(Number) },
      missing: [],
    });
  });

  test('reads year, length, maker and price from prose, and names what has to be asked for', async () => {
    const prose =
      'Ich verkaufe mein Motorboot Quicksilver 555, Baujahr 2018, Länge 5,29 m, Mercury 100 PS. Mit Trailer. Preis 24.900 €.';
    const told = await draft(prose);
    expect(told).toMatchObject({
      category: 'motorboats',
      attributes: { brand: 'Quicksilver', model: '555', year: 2018, length: 5.29 },
      price: { amount: 24_900, currency: 'EUR' },
      missing: ['location', 'condition'],
    });
    expect(told.description).toBe(prose);
  });

  test('does not take the letter and number of a model for money', async () => {
    const cases: [string, object | undefined][] = [
      ['Canon EOS R6 camera with lens, very good condition, 1200 EUR', { amount: 1_200, currency: 'EUR' }],
      [
        'Canon EOS R6 camera. Comes with the R6 manual and a strap. Asking 1200 EUR.',
        { amount: 1_200, currency: 'EUR' },
      ],
      ['BMW R1200 GS, 2009, 54000 km, 6.900 € VB', { amount: 6_900, currency: 'EUR', negotiable: true }],
      ['Ford F150 pickup in good condition, lying in Austin, Texas', undefined],
      ['Catamaran for sale in Cape Town, South Africa. R950 000 negotiable.', { amount: 950_000, currency: 'ZAR' }],
      ['Kayak for sale in Cape Town, South Africa, asking R4500', { amount: 4_500, currency: 'ZAR' }],
    ];
    const read = await Promise.all(cases.map(async ([text]) => [text, (await draft(text)).price]));
    expect(read).toEqual(cases.map(([text, price]) => [text, price && expect.objectContaining(price)]));
  });

  test('reads condition, length and place from clauses of prose, and none of them from what is said of a part', async () => {
    const inKiel = { country: 'DE', city: 'Kiel' };
    const told = await draft(
      'Hanse 345 from 2012, 10.5 m, fair condition, 78000 EUR. She is lying in Kiel Germany and can be seen any day.',
    );
    expect(told).toMatchObject({
      condition: 'fair',
      attributes: { brand: 'Hanse', model: '345', year: 2012, length: 10.5 },
      price: { amount: 78_000, currency: 'EUR' },
      location: inKiel,
      missing: [],
    });
    const clauses: [string, string, object][] = [
      ['Segelyacht Dehler 34, in gutem Zustand. Liegt in Kiel, Deutschland.', 'good', inKiel],
      ['Voilier Dufour 34, très bon état. Visible à Brest, France.', 'good', { country: 'FR', city: 'Brest' }],
      ['Velero Bavaria 34, estado: como nuevo. Amarrado en Vigo, España.', 'like_new', { country: 'ES', city: 'Vigo' }],
      ['Barca Comet 34, ottime condizioni. Visibile a Genova, Italia.', 'like_new', { country: 'IT', city: 'Genova' }],
      ['Mountain bike Trek Marlin 7, like new, 650 EUR, located in Lyon, France', 'like_new', { city: 'Lyon' }],
      ['Fahrrad Trek Marlin 7, wie neu, 650 €. Steht in Kiel, Deutschland.', 'like_new', inKiel],
      ['The boat is in very good condition, berthed at Port Solent, United Kingdom.', 'good', { country: 'GB' }],
    ];
    for (const [text, condition, location] of clauses) {
      const read = await draft(text);
      expect([text, read.condition, read.missing.includes('condition')]).toEqual([text, condition, false]);
      expect(read.location).toMatchObject(location);
    }
    const parts = await draft('Bavaria 34 with sails in good condition and air condition. Bought at a fair in 2019.');
    expect(parts.missing).toEqual(expect.arrayContaining(['condition', 'location']));
  });

  test('takes no number for a price that has no currency beside it, and none of the title while the text has one', async () => {
    expect((await draft('Optimist dinghy, sail number 4711, two sails and a trolley')).price).toBeUndefined();
    const camera = await draft('Canon EOS R6 camera with 24-105 lens. Bought 2022, few scratches. 1200 EUR');
    expect(camera.price).toMatchObject({ amount: 1_200, currency: 'EUR' });
  });

  test('of a text that says nothing everything is missing', async () => {
    expect((await draft('?! '.repeat(20))).missing).toEqual(['title', 'category', 'price', 'location', 'condition']);
    expect((await draft(' '.repeat(5_000))).missing).toContain('title');
  });

  test('is made of names that objects have of their own without taking them for facts', async () => {
    const { attributes } = await draft('Sailing yacht for sale\n__proto__: x\nconstructor: y\ntoString: z');
    expect(Object.keys(attributes)).toEqual([]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
