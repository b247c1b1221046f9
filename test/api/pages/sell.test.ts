import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { countryCodes } from '../../../shared/kit/codes.ts';
import { closeApps, startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { visitPages, type PageVisitor } from '../../support/page-visitor.ts';
import { newPhoto } from '../../support/pictures.ts';

afterAll(closeApps);

let app: TestApp;
let seller: TestUser;
let visitor: PageVisitor;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  seller = await app.createUser({ name: 'Sally' });
  visitor = visitPages(app, seller);
});

const FIELDS = 'form[method=post]:has([name=title])';
const UPLOAD = 'form[enctype="multipart/form-data"]';
const ad = {
  title: 'Bavaria 37, one owner',
  description: 'Well kept cruising yacht with new sails, lying in Kiel.',
  price: '89000',
  city: 'Kiel',
  country: 'DE',
};
const fileOf = (bytes: Buffer, name = 'photo.jpg') => new File([new Uint8Array(bytes)], name, { type: 'image/jpeg' });
const photos = async (...names: string[]) => Promise.all(names.map(async (name) => fileOf(await newPhoto(), name)));
const read = async (id: string): Promise<Json> => (await app.as(seller).get(`/api/listings/${id}`)).body;
const idOf = ({ path }: { path: string }) => /lst_\w+/.exec(path)?.[0] ?? '';
const actionForm = (action: string) => `form:has([name=action][value=${action}])`;

async function draft(fields: Parameters<typeof listingBody>[0] = {}): Promise<string> {
  const { body } = await app.as(seller).post('/api/listings', listingBody(fields));
  await visitor.open(`/my/listings/${body.id}`);
  return body.id;
}

describe('the form of an ad', () => {
  test('asks for the category first, then shows the fields that the template of the category has', async () => {
    const first = await visitor.open('/sell');
    expect(first.$('[name=title]').length).toBe(0);
    const boat = await visitor.send('form[method=get]:has([name=category])', { category: 'cruising' });
    for (const key of ['brand', 'model', 'year', 'length', 'hull_type'])
      expect(boat.$(`[name="attributes.${key}"]`).length, key).toBe(1);
    const outboard = await visitor.open('/sell?category=outboards');
    expect(outboard.$('[name="attributes.shaft_length"] option').length).toBeGreaterThan(2);
    expect(outboard.$('[name="attributes.hull_type"]').length).toBe(0);
    expect((await visitor.open('/sell?category=nonsense')).$('[name=title]').length).toBe(0);
  });

  test('offers every country and currency there is, by its name', async () => {
    const { $ } = await visitor.open('/sell?category=cruising');
    const offered = $('[name=country] option')
      .map((_, each) => $(each).attr('value'))
      .get();
    expect(offered.filter(Boolean).toSorted()).toEqual(countryCodes.toSorted());
    expect($('[name=country] option[value=HR]').text()).toBe('Croatia');
    expect($('[name=currency] option').length).toBeGreaterThan(140);
  });

  test('stores attributes in the types of the template', async () => {
    await visitor.open('/sell?category=cruising');
    const attributes = {
      'attributes.brand': 'Bavaria',
      'attributes.year': '2015',
      'attributes.length': '11.3',
      'attributes.hull_type': 'monohull',
      'attributes.trailer_included': 'false',
    };
    const made = await visitor.send(FIELDS, { ...ad, ...attributes });
    expect((await read(idOf(made))).attributes).toEqual({
      brand: 'Bavaria',
      year: 2015,
      length: 11.3,
      hull_type: 'monohull',
      trailer_included: false,
    });
  });

  test('says beside each field what is wrong with it, and keeps what was typed', async () => {
    await visitor.open('/sell?category=cruising');
    const wrong = { ...ad, title: '<b>x', description: 'short "&', price: '', country: '', 'attributes.year': 'old' };
    const { status, $ } = await visitor.send(FIELDS, wrong);
    expect(status).toBe(400);
    for (const name of ['title', 'description', 'price', 'country']) {
      expect($(`[name=${name}]`).attr('aria-invalid'), name).toBe('true');
      expect($(`#${name}-error`).text(), name).not.toBe('');
    }
    expect([$('[name=title]').val(), $('[name=description]').text().trim()]).toEqual(['<b>x', 'short "&']);
    expect($('[name="attributes.year"]').val()).toBe('old');
    const attribute = await visitor.send(FIELDS, { ...ad, 'attributes.year': 'old' });
    expect(attribute.$('[id="attributes.year-error"]').text()).toContain('number');
  });

  test('changes what it shows of a listing and nothing else', async () => {
    const id = await draft({
      price: { amount: 1000, currency: 'EUR', negotiable: true, vat_included: true },
      location: { country: 'DE', city: 'Kiel', shipping: false, postal_code: '24103' },
      attributes: { brand: 'Bavaria', berths: 6, sails_by: 'Elvstrøm' },
    });
    await visitor.send(FIELDS, { title: 'Another title for her', 'attributes.berths': '' });
    const { title, price, location, attributes } = await read(id);
    expect([title, price.vat_included, location.postal_code]).toEqual(['Another title for her', true, '24103']);
    expect(attributes).toEqual({ brand: 'Bavaria', sails_by: 'Elvstrøm' });
  });

  test('takes another category with the fields of it', async () => {
    const id = await draft({ attributes: { brand: 'Yamaha', berths: 6 } });
    await visitor.send('form[method=get]:has([name=category])', { category: 'outboards' });
    await visitor.send(FIELDS, { 'attributes.power': '150' });
    const { category, attributes } = await read(id);
    expect([category.id, attributes]).toEqual(['outboards', { brand: 'Yamaha', power: 150 }]);
  });
});

describe('photos', () => {
  test('come several at once, once however often the form is sent, and the page shows them', async () => {
    const id = await draft();
    const files = await photos('in harbour.jpg', 'under sail.jpg');
    const pages = await Promise.all([1, 2].map(async () => visitor.send(UPLOAD, {}, { files })));
    expect(pages.map(({ status }) => status)).toContain(200);
    expect((await read(id)).images.map(({ alt }: { alt: string }) => alt)).toEqual(['in harbour', 'under sail']);
    expect((await visitor.open(`/my/listings/${id}`)).$('ol.own-photos li').length).toBe(2);
  });

  test('are put first, described and taken away', async () => {
    const id = await draft();
    await visitor.send(UPLOAD, {}, { files: await photos('a.jpg', 'b.jpg', 'c.jpg') });
    const alts = async () => (await read(id)).images.map(({ alt }: { alt: string }) => alt);
    await visitor.send(actionForm('photos'), {}, { button: 'ol li:nth-child(3) [name=first]' });
    expect(await alts()).toEqual(['c', 'a', 'b']);
    await visitor.send(actionForm('photos'), { alt: ['Under <sail>', 'a', 'Cabin'] });
    expect(await alts()).toEqual(['Under <sail>', 'a', 'Cabin']);
    const { $ } = await visitor.send(actionForm('photos'), {}, { button: 'ol li:nth-child(2) [name=remove]' });
    expect(await alts()).toEqual(['Under <sail>', 'Cabin']);
    expect($('ol.own-photos [name=alt]').first().val()).toBe('Under <sail>');
  });

  test.each([
    [
      'is no image',
      async () => [...(await photos('good.jpg')), fileOf(Buffer.from('# text'), 'notes.txt')],
      'notes.txt',
    ],
    ['are too many', async () => photos(...Array.from({ length: 11 }, (_, at) => `${at}.jpg`)), 'At most 10'],
    ['is empty', async () => [fileOf(Buffer.alloc(0), 'nothing.jpg')], 'is empty'],
  ])('are refused as a whole on the page itself when one %s', async (_why, files, message) => {
    const id = await draft();
    const { status, $ } = await visitor.send(UPLOAD, {}, { files: await files() });
    expect(status).toBe(400);
    expect($('#photos [role=alert]').text()).toContain(message);
    expect($(FIELDS).length).toBe(1);
    expect((await read(id)).images).toEqual([]);
  });

  test('a file that is too large is named, and the others are not stored', async () => {
    const id = await draft();
    const large = fileOf(Buffer.alloc(10_485_761), 'enormous.jpg');
    const { status, $ } = await visitor.send(UPLOAD, {}, { files: [large, ...(await photos('good.jpg'))] });
    expect([status, $('#photos [role=alert]').text().includes('enormous.jpg')]).toEqual([400, true]);
    expect((await read(id)).images).toEqual([]);
  });

  test('ten are the most: the form for more is gone then', async () => {
    await draft();
    const ten = await photos(...Array.from({ length: 10 }, (_, at) => `${at}.jpg`));
    const { $ } = await visitor.send(UPLOAD, {}, { files: ten });
    expect([$('ol.own-photos li').length, $(UPLOAD).length]).toEqual([10, 0]);
  });

  test('of somebody else’s listing are refused before their bytes are read', async () => {
    const id = await draft();
    const action = String(visitor.page().$(UPLOAD).attr('action'));
    const stranger = visitPages(app, await app.createUser());
    await stranger.open('/my/account');
    const token = String(stranger.page().$('[name=_csrf]').attr('value'));
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
    const send = async (path: string, cookie: string) =>
      fetch(app.url + path, {
        method: 'POST',
        headers: { Cookie: cookie, Accept: 'text/html', 'Content-Type': 'multipart/form-data; boundary=x' },
        body: endless,
        duplex: 'half',
      });
    const answer = await send(`/my/listings/${id}/photos?_csrf=${token}`, stranger.cookie()).catch(() => undefined);
    expect(answer === undefined || answer.status === 403).toBe(true);
    const unsigned = await fetch(app.url + action.replace(/_csrf=[^&]*/, '_csrf='), {
      method: 'POST',
      headers: { Cookie: visitor.cookie(), Accept: 'text/html' },
      body: new FormData(),
    });
    expect(unsigned.status).toBe(403);
    expect((await read(id)).images).toEqual([]);
  });
});

describe('the way of a listing', () => {
  test('from draft to published, paused, published again, renewed and sold to whoever has written', async () => {
    const id = await draft();
    const act = async (action: string, fields = {}) =>
      (await visitor.send(actionForm(action), fields)).$('main > .note').text();
    expect(await act('publish')).toContain('published');
    expect(await act('pause')).toContain('paused');
    expect(await act('resume')).toContain('published');
    expect(await act('renew')).toContain('renewed');
    const buyer = await app.createUser({ name: 'Bob <b>' });
    await app.as(buyer).post('/api/conversations', { listing_id: id, message: 'Is it there?' });
    const { $ } = await visitor.open(`/my/listings/${id}`);
    expect($('[name=buyer_id] option').last().text()).toBe('Bob <b>');
    expect(await act('sold', { buyer_id: buyer.id })).toContain('sold');
    expect((await read(id)).status).toBe('sold');
    expect((await app.as(buyer).post(`/api/listings/${id}/reviews`, { rating: 5 })).status).toBe(201);
  });

  test('is deleted only after it was asked once more, and leads to the list', async () => {
    const id = await draft();
    const { $ } = visitor.page();
    expect($('details:not([open]) form [value=delete]').length).toBe(1);
    const list = await visitor.send(actionForm('delete'));
    expect([list.path.split('?')[0], list.text.includes('Deleted.')]).toEqual(['/my/listings', true]);
    expect((await app.as(seller).get(`/api/listings/${id}`)).status).toBe(404);
  });

  test('a step that is not possible any more says so on the page', async () => {
    const id = await draft();
    await app.as(seller).post(`/api/listings/${id}/publish`);
    const { status, $ } = await visitor.send(actionForm('publish'));
    expect([status, $('[role=alert]').text()]).toEqual([409, expect.stringContaining('active')]);
  });
});

test('texts of people are shown as they are, never as markup', async () => {
  const title = `<script>alert(1)</script> "'> ${'w'.repeat(60)} \u202Eevil`;
  const id = await draft({ title });
  await app.as(seller).post(`/api/listings/${id}/publish`);
  const buyer = visitPages(app, await app.createUser({ name: '<img src=x onerror=alert(1)>' }));
  const { slug } = await read(id);
  await buyer.open(`/listings/${slug}`);
  const talk = await buyer.send('form[action$=message]', { message: '<script>alert(2)</script>' });
  for (const page of [talk, await visitor.open(`/my/listings/${id}`), await visitor.open('/inbox')]) {
    expect(page.$('main script, main img[onerror]').length, page.path).toBe(0);
    expect(page.$('main').text(), page.path).toContain('<script>alert(');
  }
});
