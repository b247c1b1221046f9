import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let admin: Client;
let administrator: TestUser;
let seller: TestUser;
let workers: TestWorkers;
beforeAll(async () => {
  app = await startApp();
  administrator = await app.createUser({ role: 'admin' });
  admin = app.as(administrator);
  seller = await app.createUser();
  workers = await startWorkers(app);
});
afterAll(async () => {
  await workers.close();
  await closeApps();
});

const named = (name: string) => ({ en: name, es: name, fr: name, de: `${name} (de)`, it: name, ko: name, ja: name });
const edited = async () => (await admin.get('/api/admin/categories')).body;
const undo = (version?: number) => admin.post('/api/admin/settings/undo', version === undefined ? {} : { version });
const found = async (category: string) =>
  (await app.as().get(`/api/listings?category=${category}&limit=1`)).body.pagination.total as number;
const categoryOf = async (id: string) => (await app.as().get(`/api/listings/${id}`)).body.category.id as string;

async function publish(fields: object): Promise<string> {
  const { body } = await app.as(seller).post('/api/listings', { ...listingBody(fields), ...fields });
  const { status } = await app.as(seller).post(`/api/listings/${body.id}/publish`);
  expect(status).toBe(200);
  return body.id;
}

describe('a category', () => {
  test('that is added can be read, searched and sold in at once, and in every other process within five seconds', async () => {
    const twin = await app.twin();
    const added = await admin.post('/api/admin/categories', {
      id: 'foilers',
      name: named('Foilers'),
      parent_id: 'sailboats',
    });
    expect([added.status, added.body.changed, added.body.run_id]).toEqual([201, true, null]);
    const german = await app.as().get('/api/categories/foilers?lang=de');
    expect(german.body).toMatchObject({ id: 'foilers', name: 'Foilers (de)', path: ['Segelboote', 'Foilers (de)'] });
    const id = await publish({ category_id: 'foilers', attributes: { year: 2021 } });
    expect(await found('foilers')).toBe(1);
    expect(await categoryOf(id)).toBe('foilers');
    await expect
      .poll(async () => (await twin.as().get('/api/categories/foilers')).status, { timeout: 5_000, interval: 50 })
      .toBe(200);
    await twin.close();
  });

  test('that is renamed goes on to work by its former id, before and after its listings are moved', async () => {
    const id = await publish({ category_id: 'foilers' });
    const before = await found('foilers');
    const { body } = await admin.put('/api/admin/categories/foilers', {
      id: 'hydrofoils',
      name: named('Hydrofoils'),
      parent_id: 'sailboats',
    });
    expect(body.run_id).toMatch(/^run_/);
    for (const category of ['foilers', 'hydrofoils']) expect(await found(category)).toBe(before);
    expect((await app.as().get(`/api/listings/${id}`)).body.category).toMatchObject({
      id: 'hydrofoils',
      name: 'Hydrofoils',
    });
    await workers.work('move-listings');
    for (const category of ['foilers', 'hydrofoils']) expect(await found(category)).toBe(before);
    const { rows } = await app.database.pool.query('select category_id from listings where id = $1', [id]);
    expect(rows).toEqual([{ category_id: 'hydrofoils' }]);
    const run = (await admin.get(`/api/admin/run-history/${body.run_id}`)).body;
    expect(run).toMatchObject({ kind: 'recategorize', status: 'succeeded', progress: 100, counters: { done: before } });
    expect((await app.as(seller).post('/api/listings', listingBody({ category_id: 'foilers' }))).status).toBe(201);
  });

  test('that is removed gives its listings to the one above; undo brings both back, but not what was moved on by hand', async () => {
    const own = await publish({ category_id: 'hydrofoils' });
    const moved = await publish({ category_id: 'hydrofoils' });
    const listed = await found('hydrofoils');
    await admin.delete('/api/admin/categories/hydrofoils');
    await workers.work('move-listings');
    expect(await categoryOf(own)).toBe('sailboats');
    await app.as(seller).put(`/api/listings/${moved}`, { category_id: 'racing' });
    expect((await undo()).status).toBe(200);
    await workers.work('move-listings');
    expect(await categoryOf(own)).toBe('hydrofoils');
    expect(await categoryOf(moved)).toBe('racing');
    expect(await found('hydrofoils')).toBe(listed - 1);
  });

  test('that contradicts the rest is refused with the place, and makes no version', async () => {
    const { version } = await edited();
    const nameless = await admin.post('/api/admin/categories', { id: 'rafts', name: { en: 'Rafts' } });
    expect([nameless.status, nameless.body.error.details.errors[0].message]).toEqual([
      400,
      expect.stringMatching(/^categories\[\d+\]\.name\.es: is missing/),
    ]);
    const wish = { id: 'rafts', name: named('Rafts') };
    expect((await admin.post('/api/admin/categories', { ...wish, id: 'constructor' })).status).toBe(400);
    expect((await app.as().get('/api/categories')).status).toBe(200);
    expect((await admin.post('/api/admin/categories', { ...wish, asset_type: 'rafts' })).status).toBe(400);
    expect((await admin.post('/api/admin/categories', { ...wish, parent_id: 'nothing' })).status).toBe(400);
    expect((await admin.post('/api/admin/categories', { ...wish, id: 'racing' })).status).toBe(409);
    expect(
      (await admin.put('/api/admin/categories/sailboats', { id: 'sailboats', name: named('x'), parent_id: 'racing' }))
        .status,
    ).toBe(409);
    expect((await admin.put('/api/admin/categories/nothing', wish)).status).toBe(404);
    expect((await admin.delete('/api/admin/categories/racing?move_to=racing')).status).toBe(400);
    expect((await admin.post('/api/admin/categories', { ...wish, version: version - 1 })).status).toBe(409);
    expect((await edited()).version).toBe(version);
  });
});

describe('a template', () => {
  test('is edited with its labels; a renamed attribute takes the values of listings along, and filters follow', async () => {
    const id = await publish({
      category_id: 'racing',
      attributes: { brand: 'Farr', year: 1999, boat_type: 'one design' },
    });
    const { asset_types: types } = (await admin.get('/api/admin/asset-types')).body;
    const { id: type, category_ids: _, ...boats } = types.find((each: { id: string }) => each.id === 'boats');
    const attributes = boats.attributes.map((each: { key: string }) =>
      each.key === 'boat_type' ? { ...each, key: 'rig_class', label: 'Class', labels: { de: 'Klasse' } } : each,
    );
    const renames = { boat_type: 'rig_class' };
    const { body } = await admin.put(`/api/admin/asset-types/${type}`, { ...boats, attributes, renames });
    expect(body.run_id).toMatch(/^run_/);
    await workers.work('move-listings');
    const listing = (await app.as().get(`/api/listings/${id}`)).body;
    expect(listing.attributes).toEqual({ brand: 'Farr', year: 1999, rig_class: 'one design' });
    const filtered = await app.as().get('/api/listings?category=racing&attr[rig_class]=one%20design');
    expect(filtered.body.results.map((each: { id: string }) => each.id)).toEqual([id]);
    const german = (await app.as().get('/api/asset-types/boats?lang=de')).body;
    expect(german.attributes.find((each: { key: string }) => each.key === 'rig_class').label).toBe('Klasse');
    await undo();
    await workers.work('move-listings');
    expect((await app.as().get(`/api/listings/${id}`)).body.attributes).toMatchObject({ boat_type: 'one design' });
  });

  test('that is new can be given to a category; removed, its categories have none', async () => {
    const boards = {
      label: 'Boards',
      description: 'Boards.',
      attributes: [{ key: 'volume', label: 'Volume', type: 'number', unit: 'l' }],
    };
    expect((await admin.put('/api/admin/asset-types/boards', boards)).status).toBe(200);
    await admin.post('/api/admin/categories', { id: 'boards', name: named('Boards'), asset_type: 'boards' });
    expect((await app.as().get('/api/asset-types/boards')).body.categoryIds).toEqual(['boards']);
    expect((await admin.delete('/api/admin/asset-types/boards')).status).toBe(200);
    expect((await app.as().get('/api/asset-types/boards')).status).toBe(404);
    expect((await app.as().get('/api/categories/boards')).status).toBe(200);
    expect((await admin.delete('/api/admin/asset-types/boards')).status).toBe(404);
  });
});

describe('settings', () => {
  test('change texts, limits and moderation at once; the file is there again when all is undone', async () => {
    const before = (await admin.get('/api/admin/settings')).body;
    const tagline = { ...before.settings.tagline, en: 'all that floats' };
    const moderation = { reject: ['odometer correction'], works: [] };
    const changed = await admin.put('/api/admin/settings', {
      settings: { tagline, moderation },
      version: before.version,
    });
    expect([changed.status, changed.body.changed]).toEqual([200, true]);
    expect((await app.as().get('/', { headers: { Accept: 'text/html' } })).text).toContain('all that floats');
    const refused = await app
      .as(seller)
      .post('/api/listings', listingBody({ description: 'With an odometer correction of the engine hours, cheaply.' }));
    expect([refused.status, refused.body.error.code]).toEqual([400, 'moderation_rejected']);
    const wrong = await admin.put('/api/admin/settings', { settings: { currencies: ['DEM'] } });
    expect([wrong.status, wrong.body.error.details.errors[0].message]).toEqual([
      400,
      expect.stringContaining('currencies[0]'),
    ]);
    expect((await admin.put('/api/admin/settings', { settings: { tagline } })).body.changed).toBe(false);
    expect((await admin.put('/api/admin/settings', { settings: { tagline }, version: before.version })).status).toBe(
      409,
    );
    expect((await undo()).status).toBe(200);
    expect((await admin.get('/api/admin/settings')).body.settings).toEqual(before.settings);
  });

  test('a category is renamed again to what it was called before an undo, and one is added by an id that was removed', async () => {
    const rename = (from: string, id: string) =>
      admin.put(`/api/admin/categories/${from}`, { id, name: named('Coves'), parent_id: 'sailboats' });
    await admin.post('/api/admin/categories', { id: 'coves', name: named('Coves'), parent_id: 'sailboats' });
    const listing = await publish({ category_id: 'coves' });
    const move = async (edit: { status: number; text: string }) => {
      expect(edit.status, edit.text).toBe(200);
      await workers.work('move-listings');
    };
    await move(await rename('coves', 'bays'));
    await move(await undo());
    await move(await rename('coves', 'bays'));
    expect([await categoryOf(listing), await found('coves'), await found('bays')]).toEqual(['bays', 1, 1]);
    await move(await admin.delete('/api/admin/categories/bays'));
    expect(await categoryOf(listing)).toBe('sailboats');
    const again = await admin.post('/api/admin/categories', {
      id: 'bays',
      name: named('Bays'),
      parent_id: 'sailboats',
    });
    expect(again.status, again.text).toBe(201);
    expect(await found('bays')).toBe(0);
  });

  test('the history of a category that is added tells of it alone', async () => {
    const name = Object.fromEntries(['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'].map((locale) => [locale, 'Rafts']));
    expect((await admin.post('/api/admin/categories', { id: 'told-rafts', name, parent_id: 'sailboats' })).status).toBe(
      201,
    );
    const { results } = (await admin.get('/api/admin/settings/versions?limit=1')).body;
    expect(results[0].changes).toMatchObject([{ section: 'categories', id: 'told-rafts', kind: 'added' }]);
    expect((await undo()).status).toBe(200);
  });

  test('every edit is in the history with its author and changes, and in the audit log', async () => {
    await admin.put('/api/admin/settings', { settings: { response_cache: false } });
    const { results } = (await admin.get('/api/admin/settings/versions?limit=1')).body;
    expect(results[0]).toMatchObject({
      author_id: administrator.id,
      author_email: administrator.email,
      restores: null,
      changes: [{ section: 'response_cache', id: null, kind: 'changed', before: true, after: false }],
    });
    const audit = (await admin.get('/api/admin/audit?action=putSettings')).body.results;
    expect(audit[0]).toMatchObject({ actor: administrator.id });
  });

  test('undone to version 0 are those of the file, and beyond it there is nothing to undo', async () => {
    expect((await undo(0)).status).toBe(200);
    await workers.work('move-listings');
    const { categories } = await edited();
    expect(categories.map((each: { id: string }) => each.id)).not.toContain('hydrofoils');
    expect(await found('hydrofoils')).toBe(await found('sailboats'));
    expect((await undo()).status).toBe(409);
    expect((await undo(1_000_000)).status).toBe(400);
  });
});
