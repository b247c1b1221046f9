import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { escapeBlock, escapeLine } from '../../../api/listings/markdown-escape.ts';
import { renderListing } from '../../../api/listings/markdown.ts';
import type { Listing } from '../../../api/listings/present.ts';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings, type StoredListing } from './search-fixture.ts';

const nautical = profileOf('nautical');

let app: TestApp;
let seller: TestUser;
let listing: StoredListing;

beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser({ name: 'no' });
  [listing] = (await storeListings(app, seller, [
    {
      title: 'Yes: *the* 40-footer [for] sale #1',
      description: 'First line.\n---\n# not a heading\n\n- not a list\n1. nor this\n<script>alert(1)</script> & 5 > 3',
      attributes: { brand: 'Bavaria', year: 2006, length: 11.99, trailer_included: false, winch_count: 4 },
      boat: { specs: { engine: { engine_power_hp: 40, fuel_type: 'diesel' }, tanks: { water_capacity_l: 300 } } },
      tags: ['1e3', 'on', 'a, b'],
      images: [{ key: `images/ab/${'ab'.repeat(32)}.webp`, alt: 'null' }, { url: 'https://elsewhere.example/1.jpg' }],
      price_amount: 48_500.5,
    },
  ])) as [StoredListing];
});
afterAll(() => app.close());

/** The front matter as a reader of either YAML version has it, and the text behind it. */
function split(text: string) {
  const [, yaml = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const [old, current] = [parse(yaml, { version: '1.1' }), parse(yaml, { version: '1.2' })];
  expect(old).toEqual(current);
  return { facts: current, body };
}

describe('a listing', () => {
  test('has exactly the keys of the interface, safe for every reader of YAML', async () => {
    const { status, headers, text } = await app.as().get(`/api/listings/${listing.id}.md`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(split(text).facts).toEqual({
      id: listing.id,
      slug: listing.slug,
      title: 'Yes: *the* 40-footer [for] sale #1',
      price: 48_500.5,
      currency: 'EUR',
      negotiable: false,
      condition: 'good',
      type: 'sale',
      status: 'active',
      category: { id: 'cruising', name: 'Cruising sailboats', path: ['Sailboats', 'Cruising sailboats'] },
      location: { country: 'DE', city: 'Kiel', shipping: false },
      seller: {
        id: seller.id,
        name: 'no',
        type: 'human',
        verified: true,
        member_since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
      images: [
        { url: `${app.url}/static/images/ab/${'ab'.repeat(32)}.webp`, alt: 'null' },
        { url: 'https://elsewhere.example/1.jpg' },
      ],
      tags: ['1e3', 'on', 'a, b'],
    });
  });

  test('has the sections Description and Specifications, with labels and units, and no markup of the seller', async () => {
    const { text } = await app.as().get(`/api/listings/${listing.id}.md`);
    expect(split(text).body).toBe(
      [
        '',
        '## Description',
        '',
        'First line.',
        '\\---',
        '\\# not a heading',
        '',
        '\\- not a list',
        '1\\. nor this',
        '\\<script\\>alert(1)\\</script\\> & 5 \\> 3',
        '',
        '## Specifications',
        '',
        '- **Brand**: Bavaria',
        '- **Year**: 2006',
        '- **Length**: 11.99 m',
        '- **Trailer included**: no',
        '- **Winch count**: 4',
        '- **Fuel type**: diesel',
        '- **Engine power**: 40 hp',
        '- **Water capacity**: 300 l',
        '',
      ].join('\n'),
    );
  });

  test('is the same bytes by its suffix and by Accept, by id and by slug', async () => {
    const accept = { headers: { Accept: 'text/markdown' } };
    const answers = await Promise.all([
      app.as().get(`/api/listings/${listing.id}.md`),
      app.as().get(`/api/listings/${listing.slug}.md`),
      app.as().get(`/api/listings/${listing.id}`, accept),
      app.as().get(`/api/listings/${listing.slug}`, { headers: { Accept: 'application/json;q=0.5, text/markdown' } }),
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.get('content-type')))).toEqual(
      new Set(['text/markdown; charset=utf-8']),
    );
  });

  test('stays JSON for every other Accept', async () => {
    for (const Accept of [
      '*/*',
      'text/html',
      'application/json',
      'text/markdown;q=0, */*',
      'application/json, text/markdown;q=0.1',
      'text/markdown;q=0.5, application/json',
      '*/*, text/markdown;q=0.9',
      'text/*',
      'text/markdownish',
      'nonsense/;;,text/markdown;q=x',
    ]) {
      const { headers } = await app.as().get(`/api/listings/${listing.id}`, { headers: { Accept } });
      expect([Accept, headers.get('content-type')]).toEqual([Accept, 'application/json; charset=utf-8']);
    }
  });
});

describe('a listing', () => {
  test.each([
    'text/markdown',
    'Text/Markdown',
    'text/markdown; charset=utf-8',
    'text/markdown;variant=GFM;q=0.8, application/json;q=0.7',
    'text/markdown, text/html;q=0.9, */*;q=0.8',
    'application/json;q=0.4, text/markdown;q=0.5',
  ])('is Markdown for %s', async (Accept) => {
    const answer = await app.as().get(`/api/listings/${listing.id}`, { headers: { Accept } });
    const suffix = await app.as().get(`/api/listings/${listing.id}.md`);
    expect([answer.headers.get('content-type'), answer.text]).toEqual(['text/markdown; charset=utf-8', suffix.text]);
  });

  test('tells a fact once, whether it is an attribute or the boat says so too', async () => {
    const boat = {
      brand: 'Hanse',
      variant: 'Owner',
      specs: {
        engine: { fuel_type: 'diesel', engine_power_hp: 40, engine_power_kw: 29.4 },
        dimensions: { length_overall_m: 11.4, beam_m: 3.7 },
      },
    };
    const [stored] = await storeListings(app, seller, [
      {
        boat,
        attributes: { brand: 'Hanse', fuel_type: 'diesel', length: 11.4, beam: 3.71, engine_power: 40 },
        status: 'paused',
      },
    ]);
    const { text } = await app.as().get(`/api/listings/${stored!.id}.md`);
    const [, facts] = text.split('## Specifications\n\n');
    expect(facts?.trim().split('\n')).toEqual([
      '- **Brand**: Hanse',
      '- **Length**: 11.4 m',
      '- **Beam**: 3.71 m',
      '- **Fuel**: diesel',
      '- **Engine power**: 40 hp',
      '- **Variant**: Owner',
      '- **Beam**: 3.7 m',
      '- **Engine power**: 29.4 kW',
    ]);
  });
});

describe('a catalog', () => {
  test('names page and total, links every listing and tells its facts', async () => {
    const { text, headers } = await app.as().get('/api/listings.md?limit=5&colour=red');
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(split(text).body).toBe(
      [
        '\n# Listings',
        'Page 1 of 1, 1 listing in all.',
        "Note: The query parameter 'colour' is unknown and was ignored.",
        `## [Yes: \\*the\\* 40-footer \\[for\\] sale #1](${app.url}/api/listings/${listing.slug}.md)`,
        [
          '- **Price**: 48500.5 EUR\n- **Condition**: good\n- **Location**: Kiel, DE\n- **Category**: Sailboats > Cruising sailboats',
          '- **Make**: Bavaria\n- **Year**: 2006\n- **Length**: 11.99 m',
          `- **Photo**: <${app.url}/static/images/ab/${'ab'.repeat(32)}-thumb.webp>`,
        ].join('\n'),
        'First line. --- # not a heading - not a list 1. nor this \\<script\\>alert(1)\\</script\\> & 5 \\> 3',
        '',
      ]
        .join('\n\n')
        .replace(/\n\n$/, '\n'),
    );
  });

  test('is the same bytes by its suffix and by Accept', async () => {
    for (const query of ['', '?category=sailboats&sort=price_asc', '?q=nothing-like-it']) {
      const [suffix, accept] = await Promise.all([
        app.as().get(`/api/listings.md${query}`),
        app.as().get(`/api/listings${query}`, { headers: { Accept: 'text/markdown' } }),
      ]);
      expect(suffix.text).toBe(accept.text);
    }
  });

  test('says so when nothing matches', async () => {
    const { facts, body } = split((await app.as().get('/api/listings.md?q=zeppelin')).text);
    expect(facts).toEqual({
      title: 'Listings',
      query: { q: 'zeppelin', status: 'active', include_unpriced: false },
      total: 0,
      page: 1,
      pages: 0,
      limit: 20,
      previous: null,
      next: null,
    });
    expect(body).toBe('\n# Listings\n\nNo listings match.\n');
  });
});

describe('the pages of a catalog', () => {
  test('links the pages before and after it, which keep every filter', async () => {
    const harbour = `Kappeln (Schlei) & "${Date.now()}"`;
    const stored = await storeListings(
      app,
      seller,
      Array.from({ length: 5 }, () => ({ city: harbour, attributes: { brand: 'Hanse' } })),
    );
    const query = new URLSearchParams({
      city: harbour,
      'attr[brand]': 'hanse',
      category: 'cruising',
      limit: '2',
      lang: 'de',
    });
    let address: string | undefined = `/api/listings.md?${query.toString()}`;
    const titles: string[] = [];
    const pages: string[] = [];
    while (address) {
      const { text }: { text: string } = await app.as().get(address);
      pages.push(text);
      const { facts } = split(text);
      expect(facts).toMatchObject({
        query: { city: harbour, attr: { brand: 'hanse' }, category: 'cruising', lang: 'de' },
        total: 5,
        page: pages.length,
        pages: 3,
        limit: 2,
      });
      expect([facts.previous, facts.next]).toEqual(
        ['Previous', 'Next'].map((name) => new RegExp(`\\[${name} page\\]\\((\\S+)\\)`).exec(text)?.[1] ?? null),
      );
      titles.push(...[...text.matchAll(/^## \[(.+?)\]/gm)].map(([, title]) => title!));
      address = /\[Next page\]\((\S+)\)/.exec(text)?.[1]?.replace(app.url, '');
    }
    expect(pages).toHaveLength(3);
    expect(titles.toSorted()).toEqual(stored.map(({ title }) => title).toSorted());
    expect(pages.map((text) => text.includes('[Previous page]('))).toEqual([false, true, true]);
  });

  test('are the same bytes by the suffix and by Accept, links and all', async () => {
    const city = `Pages ${Date.now()}`;
    await storeListings(
      app,
      seller,
      Array.from({ length: 3 }, () => ({ city })),
    );
    const query = `?limit=1&page=2&city=${encodeURIComponent(city)}`;
    const suffix = await app.as().get(`/api/listings.md${query}`);
    const accept = await app.as().get(`/api/listings${query}`, { headers: { Accept: 'text/markdown' } });
    expect(suffix.text).toContain('[Previous page](');
    expect(suffix.text).toContain('[Next page](');
    expect(suffix.text).toBe(accept.text);
  });

  test('keeps the order of a random one from page to page', async () => {
    const city = `Random ${Date.now()}`;
    await storeListings(
      app,
      seller,
      Array.from({ length: 6 }, () => ({ city })),
    );
    const titles: string[] = [];
    let address: string | undefined = `/api/listings.md?sort=random&limit=2&city=${encodeURIComponent(city)}`;
    while (address) {
      const { text }: { text: string } = await app.as().get(address);
      titles.push(...[...text.matchAll(/^## \[(.+?)\]/gm)].map(([, title]) => title!));
      address = /\[Next page\]\((\S+)\)/.exec(text)?.[1]?.replace(app.url, '');
    }
    expect(new Set(titles).size).toBe(6);
  });
});

describe('escaping', () => {
  test.each([
    ['*a* _b_ `c` ~d~ |e|', '\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\|e\\|'],
    ['[x](javascript:alert(1)) ![y](z)', '\\[x\\](javascript:alert(1)) !\\[y\\](z)'],
    ['<b onclick=x> &lt; &#60; AT&T', '\\<b onclick=x\\> \\&lt; \\&#60; AT&T'],
    ['C:\\boats', 'C:\\\\boats'],
    ['# a', '\\# a'],
    ['2006. A good year', '2006\\. A good year'],
    ['11.99 m', '11.99 m'],
    ['two\nlines \t here', 'two lines here'],
  ])('%s as a line', (text, escaped) => expect(escapeLine(text)).toBe(escaped));

  test('no line of a block begins like markup', () => {
    expect(escapeBlock('    code\n\tcode\n> quote\r\n+ plus\n===\n\n\n\n7) seven')).toBe(
      'code\ncode\n\\> quote\n\\+ plus\n\\===\n\n7\\) seven',
    );
  });
});

test('a listing without facts has both sections all the same', () => {
  const catalog = buildCatalog(nautical);
  const bare = {
    id: 'lst_1',
    slug: 'bare',
    title: 'Bare',
    description: 'Nothing else.',
    condition: 'good',
    type: 'sale',
    status: 'active',
    tags: [],
    images: [],
    price: { amount: 0, currency: 'EUR', negotiable: false },
    category: { id: 'cruising', name: 'Cruising', path: ['Cruising'] },
    location: { country: 'NO', city: '0777', shipping: false },
    seller: { id: 'usr_1', name: '12:30:45', type: 'human', verified: false, member_since: '2025-10-04' },
  } as unknown as Listing;
  const text = renderListing(bare, catalog);
  expect(split(text).facts).toMatchObject({
    location: { country: 'NO', city: '0777' },
    seller: { name: '12:30:45', member_since: '2025-10-04' },
    images: [],
    tags: [],
  });
  expect(split(text).body).toBe('\n## Description\n\nNothing else.\n\n## Specifications\n\nNone given.\n');
});
