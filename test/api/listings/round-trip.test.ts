import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type Json, type TestApp } from '../../support/app.ts';
import { fullBoat } from '../../support/boat-fields.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';
import { startSite, type Site } from '../../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

/** The fields of a listing that PUT takes, as the listing answers them. */
function writableOf(listing: Json): Json {
  const { title, description, condition, type, price, location, images, attributes, boat, tags } = listing;
  const { id: category_id } = listing.category;
  const all = { title, description, category_id, condition, type, price, location, images, attributes, boat, tags };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const categories = { nautical: 'cruising', general: 'sailboats' } as const;

describe.each(['nautical', 'general'] as const)('what a listing answers is sent back unchanged: %s', (profile) => {
  let app: TestApp;
  let workers: TestWorkers;
  let site: Site;
  let seller: Client;
  beforeAll(async () => {
    const image = (background: string) =>
      sharp({ create: { width: 60, height: 30, channels: 3, background } })
        .png()
        .toBuffer();
    site = await startSite({ '/red.png': await image('#f00'), '/green.png': await image('#0f0') });
    app = await startApp({ profile });
    workers = await startWorkers(app, { env: { fetchAllow: ['127.0.0.1'] } });
    seller = app.as(await app.createUser());
  });
  afterAll(async () => {
    await workers.close();
    await app.close();
    await site.close();
  });

  const query = async (text: string, values: unknown[]): Promise<Json[]> =>
    (await app.database.pool.query(text, values)).rows;
  const create = async (fields: object = {}): Promise<string> => {
    const { status, body } = await seller.post(
      '/api/listings',
      listingBody({ category_id: categories[profile], ...fields }),
    );
    expect([status, body.error]).toEqual([201, undefined]);
    return body.id;
  };
  const scrape = async (fields: Record<string, unknown> = {}): Promise<string> => {
    const record = ingestBody(fields);
    const { body } = await seller.post('/api/ingest', { records: [record] });
    expect(body.failed).toEqual([]);
    return body.ids[record.url];
  };
  const images = () => [{ url: `${site.url}/red.png`, alt: 'bow' }, { url: `${site.url}/green.png` }];
  const withImages = async (id: string) => {
    await workers.work('localize-images');
    return id;
  };
  const publish = async (id: string) => {
    expect((await seller.post(`/api/listings/${id}/publish`)).status).toBe(200);
    return id;
  };

  const shapes: [string, () => Promise<string>][] = [
    ['a draft', () => create()],
    ['a published listing', async () => publish(await create({ tags: ['one', 'two'] }))],
    ['one with a boat', () => create({ boat: fullBoat() })],
    ['a published one with a boat', async () => publish(await create({ boat: fullBoat(2) }))],
    [
      'one that was cheaper before',
      async () => {
        const id = await create({ boat: { brand: 'Hanse' } });
        await seller.put(`/api/listings/${id}`, { price: { amount: 5, currency: 'EUR', negotiable: false } });
        return id;
      },
    ],
    [
      'one with nothing but an earlier price',
      async () => {
        const id = await create();
        await seller.put(`/api/listings/${id}`, { price: { amount: 5, currency: 'EUR', negotiable: false } });
        return id;
      },
    ],
    ['one with images', async () => withImages(await create({ images: images() }))],
    ['a draft whose images are on their way', () => create({ images: images() })],
    ['a scraped one', () => scrape()],
    [
      'a scraped one with images, boat and a price that has changed',
      async () => {
        const record = ingestBody({ images: images(), boat: fullBoat(3) });
        await seller.post('/api/ingest', { records: [record] });
        const { body } = await seller.post('/api/ingest', {
          records: [{ ...record, price: { amount: 7, currency: 'EUR' } }],
        });
        return withImages(await publish(body.ids[record.url]));
      },
    ],
    [
      'a scraped one of an unknown country',
      () => scrape({ url: `https://a.example.io/${profile}`, location: undefined, price: undefined }),
    ],
    [
      'a scraped one with attributes that no template can hold',
      () =>
        scrape({
          category_id: categories[profile],
          attributes: { year: 'around 1990', length: '9.5', boat_type: 'a lovely one' },
        }),
    ],
    [
      'a promoted one',
      async () => {
        const id = await publish(await create());
        await query(
          `update listings set premium_type = 'featured', premium_until = now() + interval '3 days' where id = $1`,
          [id],
        );
        return id;
      },
    ],
    [
      'one that others were merged into',
      async () => {
        const id = await publish(await create());
        const sources = {
          portals: ['a.example'],
          original_urls: ['https://a.example/1'],
          original_descriptions: ['As told there.'],
          dedup_id: 'ddg_1',
          scrape_count: 2,
        };
        await query('update listings set sources = $2 where id = $1', [id, JSON.stringify(sources)]);
        return id;
      },
    ],
    [
      'one with a hundred attributes and a boat that implies more',
      () =>
        create({
          boat: fullBoat(),
          attributes: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`own_${n}`, n])),
        }),
    ],
    [
      'an expired one',
      async () => {
        const id = await publish(await create());
        await query(`update listings set status = 'expired' where id = $1`, [id]);
        return id;
      },
    ],
  ];

  test.each(shapes)('%s', async (_, make) => {
    const id = await make();
    const pending = () =>
      query('select source_url, status, sha256 from listing_images where listing_id = $1 order by position', [id]);
    const [before, imagesBefore] = [(await seller.get(`/api/listings/${id}`)).body, await pending()];
    const { updated_at: _before, ...same } = before;
    for (const fields of [
      writableOf(before),
      ...Object.entries(writableOf(before)).map(([name, value]) => ({ [name]: value })),
    ]) {
      const { status, body } = await seller.put(`/api/listings/${id}`, fields);
      expect([Object.keys(fields), status, body.error]).toEqual([Object.keys(fields), 200, undefined]);
      const { updated_at: _after, ...now } = body;
      expect(now).toEqual(same);
    }
    expect(await pending()).toEqual(imagesBefore);
    expect(
      await query(`select type from events where subject = $1 and type = 'listing.updated' and created_at > $2`, [
        id,
        before.updated_at,
      ]),
    ).toEqual([]);
  });

  test('a text that was rewritten for a reader is not taken for new words of the seller', async () => {
    const id = await create();
    const [{ title, description }] = await query('select title, description from listings where id = $1', [id]);
    await query(
      `insert into listing_rewrites (listing_id, locale, status, title, description, updated_at)
       values ($1, 'de', 'completed', 'Ein umgeschriebener Titel', 'Eine umgeschriebene Beschreibung, lang genug.', now())`,
      [id],
    );
    const path = `/api/listings/${id}?lang=de`;
    const { body: before } = await seller.get(path);
    if (profile === 'nautical') expect(before.title).toBe('Ein umgeschriebener Titel');
    expect((await seller.put(`/api/listings/${id}`, writableOf(before))).status).toBe(200);
    expect(await query('select title, description from listings where id = $1', [id])).toEqual([
      { title, description },
    ]);
    expect((await seller.put(`/api/listings/${id}`, { title: 'A title of the seller' })).body.title).toBe(
      'A title of the seller',
    );
  });
});
