import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { formOf, newPhoto } from '../../support/pictures.ts';

let app: TestApp;
let twin: TestApp;
let owner: TestUser;
let client: Client;
beforeAll(async () => {
  app = await startApp();
  twin = await app.twin();
  owner = await app.createUser();
  client = app.as(owner);
});
afterAll(async () => {
  await twin.close();
  await app.close();
});

const createListing = async (): Promise<{ id: string; slug: string }> =>
  (await client.post('/api/listings', listingBody())).body;
const photos = (count: number) => Promise.all(Array.from({ length: count }, () => newPhoto()));
const add = (id: string, files: Buffer[], as = client) =>
  as.post(`/api/listings/${id}/images`, undefined, {
    raw: formOf(files.map((bytes, index) => ['files', { bytes, name: `view_${index}.jpg` }])),
  });
const imagesOf = async (id: string) => (await client.get(`/api/listings/${id}`)).body.images;
const eventsOf = async (id: string) =>
  (
    await app.database.pool.query<{ type: string; previous: { images: unknown[] } }>(
      'select type, previous from events where subject = $1 order by seq',
      [id],
    )
  ).rows;

describe('pictures that are added', () => {
  test('follow those that the listing shows, with a text and a thumbnail, and are served', async () => {
    const { id, slug } = await createListing();
    const first = await add(id, await photos(2));
    const second = await add(slug, await photos(1));
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual({
      listing_id: id,
      slug,
      images: [...first.body.images, expect.objectContaining({ alt: 'view 0' })],
      uploaded: 1,
    });
    expect(await imagesOf(id)).toEqual(second.body.images);
    for (const { url, thumbnail_url: thumbnail } of second.body.images)
      expect([(await fetch(url)).status, (await fetch(thumbnail)).status]).toEqual([200, 200]);
  });

  test('are told by an event that holds the images as they were, in the version of the listing', async () => {
    const { id } = await createListing();
    await add(id, await photos(1));
    const events = await eventsOf(id);
    expect(events.map(({ type }) => type)).toEqual(['listing.created', 'listing.updated']);
    expect(events[1]?.previous.images).toEqual([]);
  });

  test('are ten at most: an eleventh is 400, alone or with others, and nothing is added', async () => {
    const { id } = await createListing();
    expect((await add(id, await photos(8))).body.uploaded).toBe(8);
    const over = await add(id, await photos(3));
    expect([over.status, over.body.error.code]).toEqual([400, 'validation_error']);
    expect(await imagesOf(id)).toHaveLength(8);
    expect((await add(id, await photos(2))).status).toBe(201);
    expect((await add(id, await photos(1))).status).toBe(400);
    expect(await imagesOf(id)).toHaveLength(10);
  });

  test('ten in one request are accepted, eleven are 400', async () => {
    const [one, other] = [await createListing(), await createListing()];
    expect((await add(one.id, await photos(10))).body).toMatchObject({ uploaded: 10, images: { length: 10 } });
    expect((await add(other.id, await photos(11))).status).toBe(400);
    expect(await imagesOf(other.id)).toEqual([]);
  });

  test('parallel additions on two processes never pass ten', async () => {
    const { id } = await createListing();
    const batches = await Promise.all(Array.from({ length: 8 }, () => photos(2)));
    const replies = await Promise.all(
      batches.map((files, index) => add(id, files, (index % 2 === 0 ? app : twin).as(owner))),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(3);
    const images: { url: string }[] = await imagesOf(id);
    expect(new Set(images.map(({ url }) => url)).size).toBe(10);
  });

  test('one bad file among several: 400 that names it, and nothing is added or stored', async () => {
    const { id } = await createListing();
    const [good, other] = await photos(2);
    const before = await stored();
    const { status, body } = await add(id, [good!, Buffer.from('no picture'), other!]);
    expect([status, body.error.details.errors[0].path]).toEqual([400, '/body/files/1']);
    expect(await imagesOf(id)).toEqual([]);
    expect(await stored()).toBe(before);
  });

  test('the same bytes twice are shown twice: what is shown is what was sent', async () => {
    const { id } = await createListing();
    const [photo] = await photos(1);
    expect((await add(id, [photo!, photo!])).body).toMatchObject({ uploaded: 2, images: { length: 2 } });
  });
});

describe('who may add', () => {
  test('403 for anybody else, also an admin; 404 for a listing that does not exist; 401 without a credential', async () => {
    const { id } = await createListing();
    const files = await photos(1);
    const others = [app.as(await app.createUser()), app.as(await app.createUser({ role: 'admin' }))];
    for (const other of others) expect((await add(id, files, other)).status).toBe(403);
    expect((await add('no-such-listing', files)).status).toBe(404);
    expect((await add(id, files, app.as())).status).toBe(401);
    expect(await imagesOf(id)).toEqual([]);
  });

  test('404 for a listing that is deleted, before the files are worked on', async () => {
    const { id } = await createListing();
    await app.database.pool.query(`update listings set status = 'deleted' where id = $1`, [id]);
    expect((await add(id, [Buffer.from('no picture')])).status).toBe(404);
  });
});

test.each([
  ['another field', 'file'],
  ['a field with brackets', 'files[]'],
])('400 for %s', async (_what, field) => {
  const { id } = await createListing();
  const raw = formOf([[field, await newPhoto()]]);
  expect((await client.post(`/api/listings/${id}/images`, undefined, { raw })).status).toBe(400);
});

async function stored(): Promise<number> {
  const { rows } = await app.database.pool.query<{ n: number }>('select count(*)::int as n from images');
  return rows[0]?.n ?? 0;
}
