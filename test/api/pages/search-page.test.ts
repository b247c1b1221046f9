import { addToVocabulary } from '../../../shared/search/query/vocabulary.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { publishListing, readPage } from '../../support/public-pages.ts';

let app: TestApp;
let owner: TestUser;

beforeAll(async () => {
  app = await startApp();
  owner = await app.createUser({ name: 'Anna' });
  const boats: [brand: string, country: string, city: string, year: number, fuel: string, amount: number][] = [
    ['Bavaria', 'DE', 'Kiel', 2012, 'diesel', 60_000],
    ['Bavaria', 'FR', 'Toulon', 2015, 'diesel', 80_000],
    ['Hanse', 'DE', 'Hamburg', 2018, 'diesel', 120_000],
    ['Dehler', 'DK', 'Svendborg', 2009, 'petrol', 45_000],
  ];
  const ids: string[] = [];
  for (const [brand, country, city, year, fuel, amount] of boats) {
    const { id } = await publishListing(app, owner, {
      title: `${brand} yacht of ${city}`,
      price: { amount, currency: 'EUR', negotiable: false },
      location: { country, city, shipping: false },
      attributes: { brand, year, fuel_type: fuel, length: 10 + (year % 5) },
    });
    ids.push(id);
  }
  await addToVocabulary(app.database.db, ids);
});
afterAll(closeApps);

const boxes = async (path: string, name: string) => {
  const page = await readPage(app, path);
  return page(`.filters input[name="${name}"]`)
    .toArray()
    .map((box) => {
      const { value = '' } = box.attribs;
      return [value, Number(page(box).closest('label').find('.number').text()), 'checked' in box.attribs] as const;
    });
};

test('Facets are checkboxes named as the parameters of the API, and a chosen value leaves the counts of its own facet as they are', async () => {
  const expected = [
    ['DE', 2],
    ['DK', 1],
    ['FR', 1],
  ];
  const before = await boxes('/search', 'country');
  expect(before.map(([value, count]) => [value, count])).toEqual(expected);
  const after = await boxes('/search?country=DK', 'country');
  expect(Object.fromEntries(after.map(([value, count]) => [value, count]))).toEqual(Object.fromEntries(expected));
  expect(after.filter(([, , isChecked]) => isChecked)).toEqual([['DK', 1, true]]);
});

test('Attributes of the chosen category are filters: choices with counts, and ranges with what there is', async () => {
  expect(await boxes('/search?category=cruising', 'attr[brand]')).toEqual([
    ['Bavaria', 2, false],
    ['Dehler', 1, false],
    ['Hanse', 1, false],
  ]);
  expect((await boxes('/search?category=cruising', 'attr[fuel_type]')).map(([value]) => value)).toEqual([
    'diesel',
    'petrol',
  ]);
  const page = await readPage(app, '/search?category=cruising');
  expect(page('input[name="attr[min_year]"]').attr('placeholder')).toBe('2009');
  expect(page('input[name="attr[max_year]"]').attr('placeholder')).toBe('2018');
  expect(page('input[name="max_price"]').attr('placeholder')).toBe('120,000');
});

test('Orders and pages of a search share the counts of its filters, which tell of a new listing at once', async () => {
  const count = async (path: string) =>
    Object.fromEntries((await boxes(path, 'attr[brand]')).map(([value, n]) => [value, n]));
  const address = '/search?category=cruising&country=SE';
  expect(await count(`${address}&sort=price_asc`)).toEqual({});
  const { id } = await publishListing(app, owner, {
    location: { country: 'SE', city: 'Malmö', shipping: false },
    attributes: { brand: 'Hanse' },
  });
  for (const sort of ['price_asc', 'price_desc', 'newest'])
    expect(await count(`${address}&sort=${sort}`)).toEqual({ Hanse: 1 });
  await app.as(owner).request('DELETE', `/api/listings/${id}`);
  expect(await count(`${address}&sort=price_asc`)).toEqual({});
});

test('Several boxes of one facet mean any of them, as the form of a browser sends them', async () => {
  const page = await readPage(app, '/search?attr%5Bbrand%5D=Hanse&attr%5Bbrand%5D=Dehler&min_price=&q=');
  expect(page('h1').text()).toBe('2 results');
  expect(page('.card').length).toBe(2);
});

test('Each filter in force is a chip whose link takes it away and leaves the others', async () => {
  const page = await readPage(app, '/search?country=DE,FR&min_price=70000&attr%5Bbrand%5D=Bavaria');
  const chips = page('.chips a').toArray();
  expect(chips.map((chip) => page(chip).find('span').first().text())).toEqual([
    'Germany',
    'France',
    'Price from 70000',
    'Brand: Bavaria',
  ]);
  const without = new URL(chips[0]?.attribs.href ?? '', app.url).searchParams;
  expect(Object.fromEntries(without)).toEqual({ country: 'FR', min_price: '70000', 'attr[brand]': 'Bavaria' });
});

test('A mistyped word is looked for as corrected, which the page says, and found words are marked', async () => {
  const page = await readPage(app, '/search?q=bavarja');
  expect(page('.note').text()).toContain('bavaria');
  expect(page('.card mark').first().text()).toBe('Bavaria');
});

test('Prices compare in the currency that was chosen, which each card then shows', async () => {
  const page = await readPage(app, '/search?currency=USD&min_price=1');
  expect(page('select[name="currency"] option[selected]').attr('value')).toBe('USD');
  expect(page('.card').first().text()).toMatch(/about \$/);
});

test('Whoever has not signed in is led to sign in and back to the search that is to be saved; whoever has, saves it', async () => {
  const link = (await readPage(app, '/search?country=DE'))('.bar a[rel="nofollow"]').attr('href') ?? '';
  expect(new URL(link, app.url).searchParams.get('next')).toBe('/search?country=DE');
  const form = (await readPage(app, '/search?country=DE', owner))('.bar form[method="post"]');
  const response = await fetch(app.url + form.attr('action')!, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: `session=${owner.token}`, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ action: 'save', _csrf: form.find('[name="_csrf"]').attr('value') ?? '' }),
  });
  expect(response.status).toBe(303);
  const { body } = await app.as(owner).get('/api/me/saved-searches');
  expect(body.results[0].query_params).toEqual({ country: 'DE' });
});

test('A search without a result offers what to do next: to save it, and to look at everything', async () => {
  const page = await readPage(app, '/search?country=JP');
  expect(page('h1').text()).toBe('Nothing was found');
  expect(
    page('.nothing a')
      .toArray()
      .map((link) => page(link).text()),
  ).toEqual(['Save this search', 'See all listings']);
});

test('The feed of this very search is linked, without its page and order', async () => {
  const page = await readPage(app, '/search?country=DE&sort=price_asc&page=1');
  expect(page('.foot a').attr('href')).toBe(`${app.url}/feeds/listings.atom?country=DE`);
});

test.each([
  'map=9/200/4',
  'map=x',
  'map[a]=b',
  'bbox=1,2',
  'attr=1',
  'page=0',
  'currency=<b>',
  'country=%00',
  'sort=nope',
])('Nonsense in an address (%s) is answered with a page, never with a fault of the service', async (query) => {
  const response = await fetch(`${app.url}/search?${query}`, { headers: { Accept: 'text/html' } });
  expect([200, 400]).toContain(response.status);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test('a search that finds nothing names the categories that the words may mean', async () => {
  for (const typed of ['catamaran', 'catamarans', 'catamarns']) {
    const page = await readPage(app, `/search?q=${typed}`);
    const links = page('.nothing a')
      .toArray()
      .map((link) => link.attribs.href);
    expect([typed, ...links]).toContain('/search?category=sailing-catamarans');
  }
  expect((await readPage(app, '/search?q=nothing-of-this-name'))('.nothing a').length).toBe(2);
});
