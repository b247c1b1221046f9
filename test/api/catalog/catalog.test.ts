import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp } from '../../support/app.ts';

type Node = { id: string; name: string; count: number; children: Node[] };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
});

const find = (nodes: Node[], id: string): Node | undefined =>
  nodes.map((node) => (node.id === id ? node : find(node.children, id))).find(Boolean);

async function addActive(categoryId: string, n: number): Promise<void> {
  const seller = await app.createUser();
  const now = new Date();
  const row = () => {
    const id = newId('listing');
    return {
      id,
      slug: id.toLowerCase().replace('_', '-'),
      seller_id: seller.id,
      category_id: categoryId,
      status: 'active',
      condition: 'good',
      title: 'A boat',
      description: 'A boat that floats.',
      price_amount: 1,
      price_currency: 'EUR',
      country: 'DE',
      city: 'Kiel',
      source: 'api',
      language: 'en',
      created_at: now,
      updated_at: now,
      published_at: now,
      expires_at: now,
    };
  };
  await app.database.db
    .insertInto('listings')
    .values(Array.from({ length: n }, row))
    .execute();
  app.services.cache.clear();
}

test('counts are of active listings and sum up to the root, in tree, flat list and detail', async () => {
  await addActive('cruising', 3);
  await addActive('sailboats', 2);
  const tree = await app.as().get('/api/categories');
  expect(find(tree.body.categories, 'cruising')?.count).toBe(3);
  expect(find(tree.body.categories, 'sailboats')?.count).toBe(5);
  const flat = await app.as().get('/api/categories/flat');
  expect(flat.body.total).toBe(flat.body.categories.length);
  expect(flat.body.categories.find((category: Node) => category.id === 'sailboats')).toMatchObject({
    count: 5,
    parentId: null,
    path: ['Sailboats'],
  });
  const detail = await app.as().get('/api/categories/cruising');
  expect(detail.body).toMatchObject({
    id: 'cruising',
    parentId: 'sailboats',
    path: ['Sailboats', 'Cruising sailboats'],
    count: 3,
  });
});

test('hide_empty keeps parents of categories that are not empty, and nothing else', async () => {
  await addActive('cruising', 1);
  const { body } = await app.as().get('/api/categories?hide_empty=true');
  expect(find(body.categories, 'sailboats')).toBeDefined();
  expect(find(body.categories, 'houseboats')).toBeUndefined();
});

test('names follow lang, then Accept-Language, then English', async () => {
  const name = async (path: string, headers = {}) => (await app.as().get(path, { headers })).body.name;
  const english = await name('/api/categories/sailboats');
  expect(await name('/api/categories/sailboats?lang=de')).not.toBe(english);
  expect(await name('/api/categories/sailboats', { 'Accept-Language': 'fr-CH, en;q=0.5' })).toBe(
    await name('/api/categories/sailboats?lang=fr'),
  );
  expect(await name('/api/categories/sailboats', { 'Accept-Language': 'xx' })).toBe(english);
});

test('404 for an unknown category and an unknown asset type', async () => {
  expect((await app.as().get('/api/categories/submarines')).status).toBe(404);
  expect((await app.as().get('/api/asset-types/submarines')).status).toBe(404);
});

test('the boats template has its filters', async () => {
  const { body } = await app.as().get('/api/asset-types/boats');
  const attribute = (key: string) => body.attributes.find((candidate: { key: string }) => candidate.key === key);
  expect(attribute('length')).toMatchObject({ type: 'number', filterType: 'range', unit: 'm' });
  expect(attribute('brand')).toMatchObject({ type: 'string', filterType: 'select' });
  expect((await app.as().get('/api/asset-types')).body.results.length).toBeGreaterThanOrEqual(10);
});

test('labels of attributes follow lang and Accept-Language as names do, and stay English without either', async () => {
  const label = async (query: string, headers = {}) => {
    const { body, headers: answered } = await app.as().get(`/api/asset-types/boats${query}`, { headers });
    const hull = body.attributes.find(({ key }: { key: string }) => key === 'material');
    return [hull.label, answered.get('content-language')];
  };
  expect(await label('')).toEqual(['Hull material', 'en']);
  expect(await label('?lang=de')).toEqual(['Rumpfmaterial', 'de']);
  expect(await label('', { 'Accept-Language': 'fr-CH' })).toEqual(['Matériau de coque', 'fr']);
  const { body } = await app.as().get('/api/asset-types?lang=ja');
  const boats = body.results.find(({ id }: { id: string }) => id === 'boats');
  expect(boats.attributes.find(({ key }: { key: string }) => key === 'length').label).toBe('全長');
});

test('anonymous answers are cached and say so; authenticated ones are not', async () => {
  app.services.cache.clear();
  const user = await app.createUser();
  expect((await app.as().get('/api/asset-types')).headers.get('x-cache')).toBe('MISS');
  const hit = await app.as().get('/api/asset-types');
  expect(hit.headers.get('x-cache')).toBe('HIT');
  expect((await app.as(user).get('/api/asset-types')).headers.get('x-cache')).toBeNull();
  const again = await app.as().get('/api/asset-types', { headers: { 'If-None-Match': hit.headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
  expect(again.text).toBe('');
});
