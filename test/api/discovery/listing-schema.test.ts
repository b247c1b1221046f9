import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { fullBoat, specs, topLevel } from '../../support/boat-fields.ts';
import { listingBody } from '../../support/listing-bodies.ts';

type Definition = { properties?: Record<string, unknown>; allOf?: Definition[] };

describe.each([
  ['nautical', 'cruising'],
  ['general', 'sailboats'],
] as const)('%s', (profile, category_id) => {
  let app: TestApp;
  let seller: Client;
  beforeAll(async () => {
    app = await startApp({ profile });
    seller = app.as(await app.createUser());
  });
  afterAll(() => app.close());

  test('a listing with everything it can have fits the published schema, and one field more does not', async () => {
    const { body: schema } = await app.as().get('/api/schema/listing');
    expect([schema.$schema, schema.title]).toEqual(['https://json-schema.org/draft/2020-12/schema', 'Listing']);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const fits = ajv.compile(schema);
    const { body: created } = await seller.post(
      '/api/listings',
      listingBody({
        category_id,
        boat: fullBoat(),
        attributes: { brand: 'Hanse', custom: ['a'] },
        tags: ['teak'],
        meta: {
          source: 'scraped',
          language: 'en',
          origin: {
            url: 'https://boats.example.com/1',
            normalized_url: 'https://boats.example.com/1',
            site: 'boats.example.com',
            scraped_at: '2026-01-01T00:00:00Z',
            raw_record: { a: 1 },
          },
        },
      }),
    );
    const { body: listing } = await seller.post(`/api/listings/${created.id}/publish`);
    const { body: read } = await app.as().get(`/api/listings/${created.id}`);
    for (const each of [created, listing, read]) expect([fits(each), fits.errors]).toEqual([true, null]);
    expect(fits({ ...read, surprise: 1 })).toBe(false);
    expect(fits({ ...read, boat: { ...read.boat, surprise: 1 } })).toBe(false);
    expect(fits({ ...read, condition: 'shiny' })).toBe(false);
  });

  test('the Markdown names every field of every shape, with its rules as they are', async () => {
    const { body: schema } = await app.as().get('/api/schema/listing');
    const { text } = await app.as().get('/api/schema/listing.md');
    const sections = new Map(text.split(/^## /m).map((section) => [section.split('\n', 1)[0], section]));
    const { $defs, ...listing } = schema;
    const fields = (definition: Definition): string[] => [
      ...Object.keys(definition.properties ?? {}),
      ...(definition.allOf ?? []).flatMap(fields),
    ];
    for (const [name, definition] of Object.entries<Definition>({ Listing: listing, ...$defs }))
      for (const field of fields(definition)) expect(sections.get(name)).toContain(`\n| ${field} |`);
    for (const field of Object.keys(topLevel)) expect(sections.get('Boat')).toContain(`\n| ${field} |`);
    for (const field of Object.values(specs).flatMap(Object.keys)) expect(text).toContain(`\n| ${field} |`);
    expect(sections.get('Price')).toContain('| currency | string | yes | matches `^[A-Z]{3}$`; ISO 4217');
    expect(sections.get('BoatConstruction')).toContain('| hull_type | monohull, catamaran, trimaran | no |');
    expect(sections.get('BoatSeo')).toContain('| meta_title | string | no | at most 70 characters |');
    expect(sections.get('Attributes')).toContain('Type: map of string or number or boolean or null or array of string');
    expect(text).not.toContain('(#/');
  });
});
