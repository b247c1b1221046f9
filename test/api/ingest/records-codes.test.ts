import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type Json, type TestApp } from '../../support/app.ts';
import { ingestBody } from '../../support/listing-bodies.ts';

describe.each(['nautical', 'general'] as const)('%s', (profile) => {
  let app: TestApp;
  let scout: Client;
  beforeAll(async () => {
    app = await startApp({ profile });
    scout = app.as(await app.createUser());
  });
  afterAll(() => app.close());
  const ingest = async (...records: object[]) => (await scout.post('/api/ingest', { records })).body;

  test('a country is read by its codes and by its name, in seven languages and as people call it', async () => {
    const spellings: Record<string, string[]> = {
      TR: [
        'TR',
        'tr',
        'TUR',
        'tur',
        'Turkey',
        'TURKEY',
        'Türkiye',
        'Turquía',
        'Turquie',
        'Türkei',
        'Turchia',
        '튀르키예',
        'トルコ',
      ],
      DE: ['DE', 'DEU', 'Germany', 'Alemania', 'Allemagne', 'Deutschland', 'Germania', '독일', 'ドイツ', ' germany '],
      US: [
        'US',
        'USA',
        'United States',
        'The United States',
        'U.S.A.',
        'Estados Unidos',
        'États-Unis',
        'Etats-Unis',
        '미국',
      ],
      GB: ['UK', 'GBR', 'United Kingdom', 'Great Britain', 'England', 'Royaume-Uni', 'Regno Unito', 'イギリス'],
      KR: ['South Korea', '대한민국', 'Corea del Sur', 'Republic of Korea'],
      NL: ['Netherlands', 'The Netherlands', 'Holland', 'Niederlande', 'Pays-Bas', 'Paesi Bassi'],
      CZ: ['Czech Republic', 'Czechia', 'Tschechien'],
      VC: ['Saint Vincent and the Grenadines', 'St. Vincent & Grenadines'],
      CI: ["Côte d'Ivoire", 'Ivory Coast'],
    };
    const cases = Object.entries(spellings).flatMap(([code, names]) => names.map((country) => ({ code, country })));
    const records = cases.map(({ country }) => ingestBody({ location: { country, city: 'Somewhere' } }));
    const { created, failed, ids } = await ingest(...records);
    expect({ created, failed }).toEqual({ created: cases.length, failed: [] });
    const { rows } = await app.database.pool.query('select id, country from listings where id = any($1)', [
      Object.values(ids),
    ]);
    const countryOf = new Map(rows.map(({ id, country }) => [id, country]));
    const read = records.map(({ url }, index) => [cases[index]!.country, countryOf.get(ids[url])]);
    expect(read).toEqual(cases.map(({ code, country }) => [country, code]));
  });

  test('what is no country is told with what is, and so are other codes and addresses', async () => {
    const wrong: [string, Record<string, unknown>, string][] = [
      ['location/country', { location: { country: 'Atlantis' } }, 'like "TR", its alpha-3 code or its name'],
      ['location/country', { location: { country: 'QQ' } }, 'like "TR", its alpha-3 code or its name'],
      ['price/currency', { price: { amount: 1, currency: 'euro' } }, 'like "EUR"'],
      ['price/currency', { price: { amount: 1, currency: 'ZZZ' } }, 'like "EUR"'],
      ['language', { language: 'english' }, 'like "en"'],
      ['language', { language: 'qq' }, 'like "en"'],
      ['images/0', { images: ['boat.jpg'] }, 'like "https://example.com/boats/1"'],
      ['images/0', { images: ['ftp://a.example/1.jpg'] }, 'like "https://example.com/boats/1"'],
      ['scraped_at', { scraped_at: 'yesterday' }, 'like "2026-03-31T08:00:00Z"'],
      ['url', { url: 'ftp://a.example/1' }, 'like "https://example.com/boats/1"'],
    ];
    const { created, failed } = await ingest(...wrong.map(([, fields]) => ingestBody(fields)));
    expect(created).toBe(0);
    const told = failed.map(({ details }: Json) => details.errors[0]);
    expect(told).toEqual(
      wrong.map(([path, , words], index) => ({
        path: `/body/records/${index}/${path}`,
        message: expect.stringContaining(words),
      })),
    );
  });

  test('a category id that does not exist fails its record and names those that do; free text is a hint', async () => {
    const unknown = ingestBody({ category_id: 'sail-boats' });
    const { created, failed } = await ingest(unknown, ingestBody({ category_id: '' }), ingestBody());
    expect(created).toBe(2);
    expect(failed).toEqual([
      {
        url: unknown.url,
        reason: "There is no category 'sail-boats'.",
        details: {
          errors: [{ path: '/body/records/0/category_id', message: expect.stringContaining('category_hint') }],
          valid_categories: expect.arrayContaining(['sailboats', 'boats'].slice(0, profile === 'general' ? 2 : 1)),
        },
      },
    ]);
    const { body } = await scout.get('/api/categories/flat');
    expect(failed[0].details.valid_categories.toSorted()).toEqual(body.categories.map(({ id }: Json) => id).toSorted());
  });
});
