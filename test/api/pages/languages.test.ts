import { load } from 'cheerio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wordsIn } from '../../../api/pages/words/words.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let seller: TestUser;
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser({ name: 'Ada' });
  const price = { amount: 12_500.5, currency: 'EUR', negotiable: false };
  const { body } = await app.as(seller).post('/api/listings', listingBody({ price }));
  await app.as(seller).post(`/api/listings/${body.id}/publish`);
  await app.services.db.updateTable('users').set({ created_at: '2024-03-05' }).where('id', '=', seller.id).execute();
});
afterAll(() => app.close());

const formats = [
  ['en', 'Member since Mar 5, 2024', '1 listing', '€12,500.50'],
  ['de', 'Mitglied seit 05.03.2024', '1 Anzeige', '12.500,50\u00A0€'],
  ['fr', 'Membre depuis le 5 mars 2024', '1 annonce', '12\u202F500,50\u00A0€'],
  ['es', 'Miembro desde el 5 mar 2024', '1 anuncio', '12.500,50\u00A0€'],
  ['it', 'Iscrizione: 5 mar 2024', '1 annuncio', '12.500,50\u00A0€'],
  ['ko', '2024. 3. 5. 가입', '게시물 1개', '€12,500.50'],
  ['ja', '2024/03/05に登録', '出品数1件', '€12,500.50'],
] as const;

test.each(formats)(
  'in %s a page names its language and writes dates, counts and amounts as it does',
  async (...each) => {
    const [locale, since, count, price] = each;
    const { status, headers, text } = await app.as().get(`/sellers/${seller.id}?lang=${locale}`);
    expect([status, headers.get('content-language')]).toEqual([200, locale]);
    expect(text).toContain(`<html lang="${locale}">`);
    expect(text).toContain(since);
    expect(text).toContain(`<h2>${count}</h2>`);
    expect(text).toContain(`<p class="price">${price}</p>`);
    expect(text).toContain(wordsIn(locale).nav.sell);
  },
);

const addresses = ['/', '/search?q=boat', '/rentals', '/sign-in', '/sign-in/forgot', '/nowhere'];

test.each(formats.map(([locale]) => locale).filter((locale) => locale !== 'en'))(
  'in %s no page that needs no account shows an English text',
  async (locale) => {
    const english = textsOf(wordsIn('en')).filter((text) => !text.includes('{') && text.length > 12);
    const own = new Set(textsOf(wordsIn(locale)));
    for (const address of addresses) {
      const headers = { Accept: 'text/html', 'Accept-Language': locale };
      const text = await (await fetch(`${app.url}${address}`, { headers })).text();
      expect(text).toContain(`<html lang="${locale}">`);
      expect({ address, found: english.filter((each) => !own.has(each) && text.includes(`>${each}<`)) }).toEqual({
        address,
        found: [],
      });
    }
  },
);

test('a form that asks for a page keeps the language that the address names, and names none otherwise', async () => {
  const formsOf = async (address: string) => {
    const { text } = await app.as().get(address);
    return text.match(/<form[^>]*method="get">[\s\S]*?<\/form>/g) ?? [];
  };
  const forms = await formsOf('/search?lang=de&q=boat');
  expect(forms).toHaveLength(3);
  for (const form of forms) expect(form).toContain('<input type="hidden" name="lang" value="de">');
  for (const form of await formsOf('/search?q=boat')) expect(form).not.toContain('name="lang"');
});

test('labels and values of attributes are in the language of the page: facts, filters, filters in force, and the form', async () => {
  const attributes = {
    year: 1999,
    length: 11.02,
    material: 'fiberglass',
    hull_type: 'catamaran',
    trailer_included: true,
  };
  const boat = { specs: { engine: { engine_hours: 2150 }, deck_equipment: { windlass: 'electric' as const } } };
  const { body } = await app
    .as(seller)
    .post('/api/listings', listingBody({ category_id: 'cruising', attributes, boat }));
  await app.as(seller).post(`/api/listings/${body.id}/publish`);
  const textOf = async (path: string) => {
    const headers = { Accept: 'text/html', Cookie: `session=${seller.token}` };
    return load(await (await fetch(app.url + path, { headers })).text());
  };
  const listing = await textOf(`/listings/${body.slug}?lang=de`);
  const facts = listing('.facts > div')
    .toArray()
    .map((row) => [listing(row).find('dt').text(), listing(row).find('dd').text()]);
  expect(facts).toEqual(
    expect.arrayContaining([
      ['Baujahr', '1999'],
      ['Rumpfmaterial', 'GFK'],
      ['Rumpfform', 'Katamaran'],
      ['Trailer inklusive', 'Ja'],
      ['Motorstunden', '2150'],
      ['Ankerwinde', 'elektrisch'],
    ]),
  );
  const search = await textOf('/search?lang=de&category=cruising&attr[hull_type]=catamaran');
  expect(
    search('.filters legend')
      .toArray()
      .map((each) => search(each).text()),
  ).toEqual(expect.arrayContaining(['Rumpfform', 'Rumpfmaterial']));
  expect(search('.chips').text()).toContain('Rumpfform: Katamaran');
  expect(search('.filters [value="catamaran"]').next().text()).toBe('Katamaran');
  const form = await textOf(`/my/listings/${body.id}?lang=de`);
  expect(form('label:has([name="attributes.engine_hours"])').text()).toContain('Motorstunden');
  expect(form('[name="attributes.hull_type"] [value="catamaran"]').text()).toBe('Katamaran');
});

const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(textsOf);
