import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from '../listings/search-fixture.ts';
import { offer } from '../rentals/fixture.ts';

let app: TestApp;
let owner: TestUser;
let stranger: TestUser;
let listing: { id: string; slug: string };
let rentalId: string;
beforeAll(async () => {
  app = await startApp();
  owner = await app.createUser();
  stranger = await app.createUser();
  listing = (await storeListings(app, owner, [{}]))[0]!;
  rentalId = await offer(app.as(owner));
});
afterAll(() => app.close());

const wrong = { surprise: 1 };
const requests = (id: string, slug: string): [method: string, path: string][] => [
  ['PUT', `/api/listings/${id}`],
  ['PATCH', `/api/listings/${slug}`],
  ['POST', `/api/listings/${id}/mark-sold`],
  ['POST', `/api/listings/${id}/premium/checkout`],
  ['PUT', `/api/listings/${id}/rewrites/de`],
];

test('a stranger whose request is wrong in itself is told 403, the owner what is wrong, and nobody before 401', async () => {
  const paths = [...requests(listing.id, listing.slug), ['PATCH', `/api/rentals/${rentalId}`] as const];
  for (const [method, path] of paths) {
    const send = async (who?: TestUser) => (await app.as(who).request(method, path, { body: wrong })).status;
    expect([path, await send(), await send(stranger), await send(owner)]).toEqual([path, 401, 403, 400]);
  }
});

test('neither a broken body nor a form without the right field hides whose the listing is', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const broken = (who: TestUser) =>
    app.as(who).request('PUT', `/api/listings/${listing.id}`, { raw: '{"title":', headers });
  expect([(await broken(stranger)).status, (await broken(owner)).status]).toEqual([403, 400]);
  const form = new FormData();
  form.append('picture', new Blob(['x'], { type: 'image/png' }), 'x.png');
  const images = (who: TestUser) => app.as(who).request('POST', `/api/listings/${listing.id}/images`, { raw: form });
  expect([(await images(stranger)).status, (await images(owner)).status]).toEqual([403, 400]);
});

test('what there is not is nobody’s: the body is judged', async () => {
  for (const [method, path] of requests(newId('listing'), 'no-such-listing'))
    expect((await app.as(stranger).request(method, path, { body: wrong })).status).toBe(400);
});
