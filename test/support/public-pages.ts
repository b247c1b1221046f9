import { load, type CheerioAPI } from 'cheerio';
import type { TestApp, TestUser } from './app.ts';
import { listingBody } from './listing-bodies.ts';
import { formOf, newPhoto } from './pictures.ts';

export const HOSTILE_TITLE = `<img src=x onerror=alert(1)>"'</h1><script>alert(2)</script>`;
export const HOSTILE_TEXT =
  '</div></textarea><script>alert(3)</script><svg onload=alert(4)> javascript:alert(5) '.repeat(3);

export type PublicListing = { id: string; slug: string };

/** A published listing of that user. */
export async function publishListing(
  app: TestApp,
  owner: TestUser,
  fields: Parameters<typeof listingBody>[0] = {},
): Promise<PublicListing> {
  const client = app.as(owner);
  const { body } = await client.post('/api/listings', listingBody(fields));
  await client.post(`/api/listings/${body.id}/publish`);
  return body as PublicListing;
}

/** The address of a photo of that size that this user has uploaded. */
export async function uploadPhoto(app: TestApp, owner: TestUser, width: number, height: number): Promise<string> {
  const raw = formOf([['file', await newPhoto(width, height)]]);
  const { body } = await app.as(owner).request('POST', '/api/upload', { raw });
  return body.url as string;
}

/** What a visitor without script reads: the page at that path, in the session of a user if one is given. */
export async function readPage(app: TestApp, path: string, visitor?: TestUser): Promise<CheerioAPI> {
  const headers = { Accept: 'text/html', ...(visitor && { Cookie: `session=${visitor.token}` }) };
  const response = await fetch(app.url + path, { headers });
  return load(await response.text());
}
