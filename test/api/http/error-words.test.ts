import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeForm } from '../../../shared/kit/text-forms.ts';
import { startApp, type Client, type Json, type TestApp } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp();
  client = app.as(await app.createUser());
});
afterAll(() => app.close());

/** Every pattern and format that a value of a request is held against; names of properties and raw bytes are none. */
function formsOfRequests(document: Json): Set<string> {
  const forms = new Set<string>();
  const seen = new Set<string>();
  const visit = (schema: Json): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const target = schema.$ref ?? schema['x-schema'];
    if (typeof target === 'string') {
      if (seen.has(target)) return;
      seen.add(target);
      visit(
        target
          .slice(2)
          .split('/')
          .reduce((part: Json, name) => part[name], document),
      );
    }
    if (typeof schema.pattern === 'string') forms.add(schema.pattern);
    if (typeof schema.format === 'string' && schema.format !== 'binary') forms.add(schema.format);
    for (const [name, part] of Object.entries(schema))
      if (!['example', 'examples', 'propertyNames', 'responses'].includes(name)) visit(part);
  };
  for (const item of Object.values<Json>(document.paths))
    for (const operation of Object.values<Json>(item)) {
      const parameters = (operation.parameters ?? []).map((each: Json) =>
        each.$ref ? document.components.parameters[each.$ref.split('/').at(-1)] : each,
      );
      // What is wrong in a path is a 404.
      visit(parameters.filter((each: Json) => each.in !== 'path'));
      visit(operation.requestBody);
    }
  return forms;
}

test('every pattern and format of a request is put into words, with an example wherever a word alone does not do', () => {
  const forms = [...formsOfRequests(app.services.contract.document)];
  expect(forms.length).toBeGreaterThan(20);
  expect(forms.filter((form) => describeForm(form) === undefined)).toEqual([]);
});

test('a field that there is not is named, in words', async () => {
  const { status, body } = await client.post('/api/listings', { ...listingBody(), colour: 'red' });
  expect([status, body.error.details.errors]).toEqual([
    400,
    [expect.objectContaining({ path: '/body/colour', message: 'is not a field that is known here' })],
  ]);
});

test('a value of the wrong form is told what is right, never the pattern', async () => {
  const body = listingBody();
  const wrong: [string, string, object | undefined, string, string][] = [
    [
      'POST',
      '/api/listings',
      { ...body, location: { ...body.location, country: 'Turkey' } },
      '/body/location/country',
      'like "TR"',
    ],
    [
      'POST',
      '/api/listings',
      { ...body, location: { ...body.location, country: 'QQ' } },
      '/body/location/country',
      'like "TR"',
    ],
    [
      'POST',
      '/api/listings',
      { ...body, price: { ...body.price, currency: 'euro' } },
      '/body/price/currency',
      'like "EUR"',
    ],
    [
      'POST',
      '/api/listings',
      { ...body, price: { ...body.price, currency: 'ZZZ' } },
      '/body/price/currency',
      'like "EUR"',
    ],
    ['POST', '/api/listings', { ...body, meta: { language: 'English' } }, '/body/meta/language', 'like "en"'],
    ['POST', '/api/listings', { ...body, meta: { language: 'qq' } }, '/body/meta/language', 'like "en"'],
    [
      'POST',
      '/api/listings',
      { ...body, images: [{ url: 'boat.jpg' }] },
      '/body/images/0/url',
      'like "https://example.com/boats/1"',
    ],
    ['POST', '/api/listings', { ...body, title: '       ' }, '/body/title', 'blank'],
    ['GET', '/api/listings?country=Turkey', undefined, '/query/country/0', 'like "TR"'],
    ['GET', '/api/rentals?date_from=soon', undefined, '/query/date_from', 'like "2026-03-31"'],
    ['GET', '/api/pricing/recommend?category=cruising&currency=euro', undefined, '/query/currency', 'like "EUR"'],
    ['GET', '/api/pricing/recommend?category=cruising&currency=ZZZ', undefined, '/query/currency', 'like "EUR"'],
    ['POST', '/api/newsletter/subscribe', { email: 'ada' }, '/body/email', 'like "ada@example.com"'],
  ];
  for (const [method, path, sent, at, words] of wrong) {
    const { status, body: answer } = await client.request(method, path, { body: sent });
    const told = answer.error?.details?.errors?.filter((each: Json) => each.path === at);
    expect([path, status, told]).toMatchObject([path, 400, [{ path: at, message: expect.stringContaining(words) }]]);
    expect(JSON.stringify(answer)).not.toContain('must match');
  }
});
