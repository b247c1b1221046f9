import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../support/app.ts';
import { photoOf } from '../support/dealer-stock.ts';
import { formOf } from '../support/pictures.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

describe.each(['nautical', 'general'] as const)('signs of scams, %s', (profile) => {
  let app: TestApp;
  let workers: TestWorkers;
  let moderator: TestUser;
  let owner: TestUser;
  let boat: { id: string };

  beforeAll(async () => {
    app = await startApp({ profile });
    workers = await startWorkers(app);
    moderator = await app.createUser({ role: 'moderator' });
    owner = await app.createUser();
    await age(owner, 400);
    await fillMarket();
    boat = await publish(owner, { title: 'Hallberg-Rassy 352 of 1988', image: await photoOf('hallberg 352') });
    await check();
  });
  afterAll(async () => {
    await workers.close();
    await app.close();
  });

  const category_id = profile === 'nautical' ? 'cruising' : 'sailboats';
  let count = 0;

  async function publish(
    user: TestUser,
    { image, ...fields }: { title: string; image?: Buffer | undefined } & Record<string, unknown>,
  ): Promise<{ id: string }> {
    count += 1;
    const url = image && (await upload(user, image));
    const created = await app.as(user).post('/api/listings', {
      description: `Sound cruising yacht number ${count} with a teak deck, new standing rigging and a heated saloon; the survey of last year may be read.`,
      category_id,
      condition: 'good',
      price: { amount: 60_000, currency: 'EUR', negotiable: false },
      location: { country: 'DE', city: 'Kiel', shipping: false },
      attributes: { brand: 'Hallberg-Rassy', model: '352', year: 1988, length: 10.5 },
      ...(url && { images: [{ url }] }),
      ...fields,
    });
    expect(created.status, created.text).toBe(201);
    const published = await app.as(user).post(`/api/listings/${created.body.id}/publish`);
    expect(published.status, published.text).toBe(200);
    return { id: created.body.id };
  }

  async function upload(user: TestUser, image: Buffer): Promise<string> {
    const { status, body, text } = await app
      .as(user)
      .request('POST', '/api/upload', { raw: formOf([['file', image]]) });
    expect(status, text).toBe(201);
    return body.url;
  }

  /** Twelve sailing yachts of the same kind, each of an old account of its own. */
  async function fillMarket() {
    for (let index = 0; index < 12; index += 1) {
      const seller = await app.createUser();
      await age(seller, 300);
      const price = { amount: 56_000 + index * 700, currency: 'EUR', negotiable: false };
      await publish(seller, { title: `Hallberg-Rassy 352 at berth ${index + 1}`, price });
    }
  }

  const age = (user: TestUser, days: number) =>
    app.database.pool.query(`update users set created_at = now() - make_interval(days => $2) where id = $1`, [
      user.id,
      days,
    ]);

  async function check() {
    await workers.readJournal();
    await workers.work('dedup-listing');
    const done = await workers.work('check-scams');
    expect(done.filter(({ status }) => status !== 'completed')).toEqual([]);
  }

  const statusOf = async ({ id }: { id: string }, user: TestUser): Promise<Json> =>
    (await app.as(user).get(`/api/listings/${id}`)).body;
  const waitingOf = async ({ id }: { id: string }) => {
    const { body } = await app.as(moderator).get('/api/admin/flagged?limit=50');
    return body.results.find(({ listing }: Json) => listing.id === id);
  };

  async function stolenPhoto(): Promise<Buffer> {
    const photo = await photoOf('hallberg 352');
    const { width, height } = await sharp(photo).metadata();
    return sharp(photo)
      .flop()
      .extract({ left: 20, top: 12, width: width - 44, height: height - 30 })
      .modulate({ brightness: 1.15 })
      .jpeg({ quality: 40 })
      .toBuffer();
  }

  test("a new account that publishes somebody's boat with an altered photo at 40 % of the guidance is held, with reasons", async () => {
    const thief = await app.createUser();
    const fake = await publish(thief, {
      title: 'Hallberg-Rassy 352, quick sale',
      image: await stolenPhoto(),
      price: { amount: 24_000, currency: 'EUR', negotiable: false },
    });
    await check();
    const waiting = await waitingOf(fake);
    expect(waiting).toMatchObject({ count: 0, flags: [], scam_check: { held_at: expect.any(String) } });
    const { evidence, score } = waiting.scam_check;
    expect(score).toBeGreaterThanOrEqual(60);
    expect(evidence.map(({ signal }: Json) => signal).toSorted()).toEqual([
      'copied_images',
      'low_price',
      'new_account',
    ]);
    const images = evidence.find(({ signal }: Json) => signal === 'copied_images');
    expect(images.details.images).toMatchObject([
      { listing_id: boat.id, changes: expect.arrayContaining(['mirrored']) },
    ]);
    expect(images.reason).toContain(boat.id);
    const seen = await statusOf(fake, thief);
    expect(seen).toMatchObject({ status: 'flagged', moderation: { reasons: [{ code: 'scam_check' }] } });
    expect(JSON.stringify(seen)).not.toContain('copied_images');
    const record = await app.as(await app.createUser({ role: 'admin' })).get(`/api/admin/listings/${fake.id}`);
    expect(record.body.scam_check).toEqual(waiting.scam_check);
    const { rows } = await app.database.pool.query(
      `select data from events where subject = $1 and type = 'listing.flagged'`,
      [fake.id],
    );
    expect(rows).toMatchObject([{ data: { automated: true } }]);
    const { body: notices } = await app.as(thief).get('/api/me/notices');
    expect(notices.results).toMatchObject([
      {
        restriction: 'listing_hidden',
        subject: { id: fake.id },
        automated: { detection: true, decision: true },
        statement: { automation: expect.stringContaining('signs') },
      },
    ]);
    const metrics = await app.as(await app.createUser({ role: 'admin' })).get('/metrics');
    expect(metrics.text).toMatch(/quayside_scam_holds_total\{[^}]*signal="copied_images"[^}]*\} 1\n/);
    expect(await statusOf(boat, owner)).toMatchObject({ status: 'active' });
  });

  test('what a moderator approves stays on show after an edit that changes nothing of the evidence, and is held again for new evidence', async () => {
    const thief = await app.createUser();
    const fake = await publish(thief, {
      title: 'Hallberg-Rassy 352 for a good home',
      image: await stolenPhoto(),
      price: { amount: 30_000, currency: 'EUR', negotiable: false },
    });
    await check();
    expect(await waitingOf(fake)).toBeDefined();
    expect((await app.as(moderator).post(`/api/admin/listings/${fake.id}/approve`)).status).toBe(200);
    await check();
    const edited = await app
      .as(thief)
      .put(`/api/listings/${fake.id}`, { location: { country: 'DE', city: 'Kappeln', shipping: true } });
    expect(edited.status, edited.text).toBe(200);
    await check();
    expect(await statusOf(fake, thief)).toMatchObject({ status: 'active' });
    expect(await waitingOf(fake)).toBeUndefined();

    const other = await photoOf('another yacht');
    await publish(owner, {
      title: 'Najad 343 of 1984',
      image: other,
      attributes: { brand: 'Najad', model: '343', year: 1984 },
    });
    const third = await publish(thief, {
      title: 'Najad 343, must go',
      image: await sharp(other).flop().jpeg().toBuffer(),
    });
    await check();
    expect((await waitingOf(third)).scam_check.evidence).toMatchObject([
      { signal: 'copied_images' },
      { signal: 'new_account' },
    ]);
  });

  test("a new dealer who publishes 50 new boats with their maker's photo and text is not held, beside another dealer who has them too", async () => {
    const photo = await photoOf('maker of boats');
    const description =
      'The maker drew this yacht for long passages: a deep keel, a hull of solid laminate, two cabins and a saloon in which eight people have dinner.';
    for (const dealer of [await app.createUser(), await app.createUser()]) {
      const url = await upload(dealer, photo);
      const records = Array.from({ length: 50 }, (_, index) => ({
        url: `https://${dealer.id.toLowerCase().replace('_', '-')}.example.com/stock/${index}`,
        title: `Hanse 388, new, hull ${index + 1}`,
        description: `${description} Hull ${index + 1}.`,
        category_hint: 'Sailboats > Cruising',
        condition: 'new',
        price: { amount: 219_000, currency: 'EUR' },
        location: { country: 'DE', city: 'Greifswald' },
        attributes: { brand: 'Hanse', model: '388', year: 2026, length: 11.4 },
        images: [url],
      }));
      const ingested = await app.as(dealer).post('/api/ingest', { records });
      expect(ingested.status, ingested.text).toBe(200);
      const ids = Object.values(ingested.body.ids as Record<string, string>);
      const published = await app.as(dealer).post('/api/ingest/publish-bulk', { ids });
      expect(published.body, published.text).toMatchObject({ published: 50 });
      await check();
      const { body } = await app.as(dealer).get(`/api/listings?seller_id=${dealer.id}&status=all&limit=100`);
      expect(new Set(body.results.map(({ status }: Json) => status))).toEqual(new Set(['active']));
    }
  });

  test('the same boat of the same seller elsewhere, at about the same price, is told to moderators and not held', async () => {
    const broker = await app.createUser();
    const shared = await publish(broker, {
      title: 'Hallberg-Rassy 352 of 1988 for sale',
      image: await photoOf('hallberg 352'),
      price: { amount: 58_000, currency: 'EUR', negotiable: false },
    });
    await check();
    expect(await statusOf(shared, broker)).toMatchObject({ status: 'active' });
    const admin = await app.createUser({ role: 'admin' });
    const { body } = await app.as(admin).get(`/api/admin/listings/${shared.id}`);
    expect(body.scam_check.held_at).toBeNull();
    expect(body.scam_check.evidence.map(({ signal }: Json) => signal)).toEqual(['new_account', 'copied_images']);
  });

  test('images that were stored before copies were looked for are hashed by the hourly job, as if they had just been uploaded', async () => {
    const read = async () => (await app.database.pool.query('select * from image_cores order by sha256')).rows;
    const before = await read();
    await app.database.pool.query('delete from image_cores');
    await app.database.db.transaction().execute((tx) => app.services.jobs.enqueue(tx, 'hash-images', {}));
    expect(await workers.work('hash-images')).toMatchObject([{ output: { hashed: before.length } }]);
    const hashed = await read();
    expect(hashed.map(({ sha256 }) => sha256)).toEqual(before.map(({ sha256 }) => sha256));
    const copy = await publish(await app.createUser(), {
      title: 'Hallberg-Rassy 352, price is fair',
      image: await stolenPhoto(),
      price: { amount: 24_000, currency: 'EUR', negotiable: false },
    });
    await check();
    expect((await waitingOf(copy)).scam_check.evidence).toMatchObject([{ signal: 'copied_images' }, {}, {}]);
  });

  test('what an administrator offers is not checked', async () => {
    const admin = await app.createUser({ role: 'admin' });
    const own = await publish(admin, {
      title: 'Hallberg-Rassy 352 of the house',
      image: await stolenPhoto(),
      price: { amount: 20_000, currency: 'EUR', negotiable: false },
    });
    await check();
    expect((await app.as(admin).get(`/api/admin/listings/${own.id}`)).body).toMatchObject({
      listing: { status: 'active' },
      scam_check: null,
    });
  });
});
