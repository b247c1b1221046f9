import type { Services } from '../../api/services.ts';
import { createApiKeySecret } from '../../shared/accounts/api-key.ts';
import type { Role } from '../../shared/accounts/roles.ts';
import { registerOAuthClient } from '../../shared/accounts/oauth/clients.ts';
import { createGrant } from '../../shared/accounts/oauth/grants.ts';
import { newId } from '../../shared/kit/ids.ts';

export type Person = { id: string; email: string; token: string };

export const password = 'five gulls over Flensburg';
/** What stands in every text that this person alone may read. */
export const secretOf = ({ id }: Pick<Person, 'id'>) => `kestrel-${id}`;

/** An account with a session; its password is `password`. */
export async function createPerson({ db, clock, tokens, passwords }: Services, role: Role): Promise<Person> {
  const id = newId('user');
  const email = `${id.toLowerCase()}@example.com`;
  const now = clock.now();
  await db
    .insertInto('users')
    .values({
      id,
      email,
      name: `Person ${id.slice(-6)}`,
      role,
      verified: true,
      password_hash: await passwords.hash(password),
      created_at: now,
      updated_at: now,
    })
    .execute();
  return { id, email, token: await tokens.sign({ id, role, session_epoch: 0 }) };
}

/** An API key of that person, labelled as secret. */
export async function createKey(
  { db, clock }: Services,
  { id: user_id }: Person,
  permissions: 'read' | 'write' | 'admin',
  revoked = false,
) {
  const { key, hash, prefix } = createApiKeySecret();
  const id = newId('api_key');
  const now = clock.now();
  await db
    .insertInto('api_keys')
    .values({
      id,
      user_id,
      key_hash: hash,
      key_prefix: prefix,
      label: secretOf({ id: user_id }),
      permissions,
      created_at: now,
      revoked_at: revoked ? now : null,
    })
    .execute();
  return { id, key };
}

/** An application that the person has connected, named as secret. */
export async function connectApplication({ db, clock }: Services, { id: userId }: Pick<Person, 'id'>): Promise<string> {
  const now = clock.now();
  const client = { name: secretOf({ id: userId }), redirectUris: ['http://127.0.0.1/callback'], authMethod: 'none' };
  const { id: clientId } = await registerOAuthClient(db, client as never, now);
  const grant = { userId, clientId, scopes: ['read'] as const, resource: 'http://localhost/mcp' };
  return (await db.transaction().execute(async (tx) => createGrant(tx, grant, now))).id;
}

/** A listing of that person, its texts marked as secret; its slug is its id in lower case. */
export async function createListing(services: Services, { id: seller_id }: Person, status: string) {
  const { db, clock } = services;
  const [category_id = ''] = categoriesOf(services);
  const id = newId('listing');
  const slug = `boat-${id.slice(4).toLowerCase()}`;
  const now = clock.now();
  await db
    .insertInto('listings')
    .values({
      id,
      slug,
      seller_id,
      category_id,
      status,
      condition: 'good',
      title: `${secretOf({ id: seller_id })} ${id}, a seaworthy ketch of oak, afloat, ready to go`,
      description: `A sound boat that nobody but her owner knows of yet. Her sails are new, her engine was serviced last spring, and she lies in a sheltered harbour where she can be seen at any time. ${secretOf({ id: seller_id })} ${id}`,
      price_amount: 12_345,
      price_currency: 'EUR',
      country: 'DE',
      city: 'Kappeln',
      source: 'api',
      language: 'en',
      attributes: JSON.stringify({ brand: secretOf({ id: seller_id }) }),
      created_at: now,
      updated_at: now,
      published_at: status === 'draft' ? null : now,
      expires_at: new Date(now.getTime() + 30 * 86_400_000),
    })
    .execute();
  return { id, slug };
}

/** A scraper that has never run. */
export async function createScraper(
  { db, clock }: Services,
  { id: owner_id }: Person,
  kind: 'http' | 'feed' = 'http',
): Promise<string> {
  const id = newId('scraper');
  const now = clock.now();
  const settings = {
    site: 'boats.example.com',
    kind,
    start_urls: ['https://boats.example.com/sailing'],
    max_pages: 10,
    requests_per_minute: 60,
  };
  await db
    .insertInto('scrapers')
    .values({
      id,
      owner_id,
      name: secretOf({ id: owner_id }),
      ...settings,
      extract: JSON.stringify({ mode: 'structured' }),
      feed: kind === 'feed' ? JSON.stringify({ preset: 'csv' }) : null,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return id;
}

/** A run of that scraper, without a job. */
export async function createRun({ db, clock }: Services, scraperId: string, status: string): Promise<string> {
  const id = newId('run');
  const now = clock.now();
  await db
    .insertInto('runs')
    .values({ id, kind: 'scraper', subject: scraperId, status, created_at: now, updated_at: now })
    .execute();
  return id;
}

/** A job that no worker takes: it starts in an hour. */
export async function createJob({ jobs }: Services, state: 'queued' | 'cancelled'): Promise<string> {
  const id = await jobs.boss.send('index-listing', { listing_ids: ['lst_none'] }, { startAfter: 3_600 });
  if (id === null) throw new Error('no job was made');
  if (state === 'cancelled') await jobs.boss.cancel('index-listing', id);
  return id;
}

/** Some categories that exist, sailing boats first where there are any. */
export function categoriesOf({ catalog }: Services): string[] {
  const known = ['sailboats', 'cruising', 'engines', 'cars', 'vehicles'].filter((id) => catalog.find(id));
  return [...known, ...catalog.validIds().slice(0, 3)].slice(0, 3);
}
