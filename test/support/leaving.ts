import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { expect } from 'vitest';
import { MINUTE_MS } from '../../shared/kit/clock.ts';
import { queueNames, type QueueOf } from '../../shared/queues/queues.ts';
import { handlers } from '../../workers/handlers.ts';
import { ask, offer } from '../api/rentals/fixture.ts';
import type { TestApp, TestUser } from './app.ts';
import { ingestBody, listingBody } from './listing-bodies.ts';
import { formOf, newPhoto } from './pictures.ts';
import type { TestWorkers } from './workers.ts';

/** What a person plants begins with this, each string ends differently: no text of anybody else has it. */
export const MARK = 'zorblax';
export const marked = (name: string) => `${MARK}${name}`;

export type Planted = {
  person: TestUser;
  friend: TestUser;
  admin: TestUser;
  listing: { id: string; slug: string };
  rental: string;
  conversation: string;
  exportUrl: string;
};

const password = 'correct horse battery staple';

/** Lets workers do all there is to do, jobs that are due and what follows from events, until nothing is left. */
export async function workUntilIdle(workers: TestWorkers): Promise<void> {
  const names = queueNames.filter((name): name is QueueOf<'workers'> => Object.hasOwn(handlers, name));
  for (let worked = 1; worked > 0;) {
    worked = 0;
    await workers.readJournal();
    for (const name of names) worked += (await workers.work(name)).length;
  }
}

/** Somebody fills every place that there is for a text, through the API as a user would; answers what others need to know. */
export async function plant(app: TestApp, work: () => Promise<void>): Promise<Planted> {
  const email = `${marked('email')}@example.com`;
  const { body: account } = await app
    .as()
    .post('/api/auth/register', { email, password, name: `${marked('name')} Person` });
  const [friend, admin] = [await app.createUser({ name: 'Friend' }), await app.createUser({ role: 'admin' })];
  const suspension = { reason: `Nothing but ${marked('suspension')} boats` };
  await app.as(admin).post(`/api/admin/users/${account.user.id}/suspend`, suspension);
  await app.as(admin).post(`/api/admin/users/${account.user.id}/unsuspend`);
  const { body: session } = await app.as().post('/api/auth/login', { email, password });
  const person: TestUser = { ...session.user, token: session.token, role: 'user' };
  const me = app.as(person);
  const done = async (reply: Promise<{ status: number; text: string; body: unknown }>) => {
    const { status, text, body } = await reply;
    expect(status, text).toBeLessThan(300);
    // oxlint-disable-next-line typescript/no-explicit-any
    return body as any;
  };
  const hooks = { url: `https://example.com/${marked('hook')}`, events: ['*'], description: marked('hookdescription') };
  await done(me.post('/api/webhooks', hooks));
  await done(app.as(admin).post('/api/webhooks', { url: 'https://example.com/all', events: ['*'], scope: 'all' }));
  await done(me.post('/api/api-keys', { name: marked('key') }));
  await done(
    app.as(friend).post('/api/me/saved-searches', { name: 'Boats', query_params: { type: 'sale' }, notify: 'instant' }),
  );
  const image = await done(me.post('/api/upload', undefined, { raw: formOf([['file', await newPhoto(640, 480)]]) }));
  await done(me.post('/api/upload', undefined, { raw: formOf([['file', await newPhoto(640, 480)]]) }));
  const fields = {
    ...listingBody(),
    title: `Boat ${marked('title')} of one owner`,
    description: `A sound boat with a ${marked('description')}, kept well and sailed little.`,
    tags: [marked('tag')],
    attributes: { brand: marked('brand'), model: marked('model') },
    location: { country: 'ES', city: marked('city'), shipping: false },
    images: [{ url: image.url, alt: marked('alt') }, { url: `http://127.0.0.1:9/${marked('photo')}.jpg` }],
  };
  const listing = await done(
    me.post('/api/listings', fields, { headers: { 'Idempotency-Key': marked('idempotency') } }),
  );
  await done(me.post(`/api/listings/${listing.id}/publish`));
  await work();
  await done(me.put(`/api/listings/${listing.id}`, { price: { amount: 90_000, currency: 'EUR', negotiable: true } }));
  await done(me.post('/api/listings', listingBody({ title: `Draft ${marked('draft')} of a boat` })));
  const hidden = { title: `Hidden ${marked('hidden')} boat`, attributes: { brand: marked('hiddenbrand') } };
  const { id: hiddenId } = await done(me.post('/api/listings', listingBody(hidden)));
  const { id: renamedId } = await done(
    me.post(
      '/api/listings',
      listingBody({
        title: `Former ${marked('former')} boat`,
        description: `A boat with a ${marked('formertext')}, as it was told at first.`,
        tags: [marked('formertag')],
      }),
    ),
  );
  for (const id of [hiddenId, renamedId]) await done(me.post(`/api/listings/${id}/publish`));
  await work();
  await done(
    me.put(`/api/listings/${renamedId}`, {
      title: 'A boat by another name',
      description: 'Told in other words now.',
      tags: [],
      attributes: { brand: 'Najad' },
    }),
  );
  await done(app.as(friend).post(`/api/listings/${hiddenId}/flag`, { reason: 'spam' }));
  await done(app.as(admin).post(`/api/admin/reports/${hiddenId}/decide`, { action: 'hide', facts: 'It is no boat.' }));
  await work();
  const sold = await done(me.post('/api/listings', listingBody({ title: `Sold ${marked('sold')} boat` })));
  await done(me.post(`/api/listings/${sold.id}/publish`));
  await done(me.post(`/api/listings/${sold.id}/mark-sold`, { buyer_id: friend.id }));
  const checkout = await done(
    me.post(`/api/listings/${listing.id}/premium/checkout`, { plan: 'featured', duration: 7 }),
  );
  await app.as().post(`/api/payments/stub/${checkout.session_id}`);
  const record = ingestBody({
    url: `https://boats.example.com/${marked('page')}`,
    title: `Yacht ${marked('record')} 28`,
  });
  await done(me.post('/api/ingest', { records: [record] }));

  await done(
    me.post('/api/me/saved-searches', {
      name: marked('search'),
      query_params: { q: marked('saved') },
      notify: 'instant',
    }),
  );
  for (const q of [marked('title'), `sound ${marked('brand')}`]) await done(me.get(`/api/listings?q=${q}`));
  const visit = {
    event: 'search',
    user_id: person.id,
    query: marked('tracked'),
    path: `/listings/${listing.slug}`,
    metadata: { a: marked('metadata') },
  };
  await done(me.post('/api/track', visit));
  await done(app.as().post('/api/track', { event: 'page_view', path: `/listings/${listing.slug}` }));
  await done(app.as().post('/api/newsletter/subscribe', { email: person.email }));
  await app.as().post('/api/auth/magic-link', { email: person.email });

  const rental = await offer(me, {
    title: `Rental ${marked('rental')} boat`,
    description: `Cabins and a ${marked('rentaltext')} aboard.`,
  });
  await ask(app.as(friend), rental, '2027-05-01', '2027-05-08');
  const others = await offer(app.as(friend));
  await done(
    me.post(`/api/rentals/${others}/bookings`, {
      date_from: '2027-06-01',
      date_to: '2027-06-08',
      message: marked('booking'),
    }),
  );
  const theirs = await done(app.as(friend).post('/api/listings', listingBody({ title: 'A dinghy of a friend' })));
  await done(app.as(friend).post(`/api/listings/${theirs.id}/publish`));
  await done(me.post('/api/me/favorites', { listing_id: theirs.id }));
  await done(me.post('/api/conversations', { listing_id: theirs.id, message: 'Is the dinghy dry?' }));
  await done(me.post(`/api/listings/${theirs.id}/flag`, { reason: 'other', description: marked('flag') }));
  await done(
    me.post('/api/reports', {
      subject_type: 'user',
      subject_id: friend.id,
      reason: 'other',
      text: marked('report'),
    }),
  );
  await done(
    me.put('/api/me/trader', {
      name: marked('trader'),
      address: marked('address'),
      country: 'ES',
      register: marked('register'),
      email: `${marked('tradermail')}@example.com`,
      phone: '+34 600 123 456',
      certified: true,
    }),
  );
  await done(app.as(friend).post('/api/reports', { subject_type: 'user', subject_id: person.id, reason: 'spam' }));
  const warning = { action: 'warn', facts: `It was ${marked('facts')}.`, explanation: marked('explanation') };
  await done(app.as(admin).post(`/api/admin/reports/${person.id}/decide`, warning));
  const { results } = await done(me.get('/api/me/notices'));
  const appeal = { text: `But ${marked('appeal')}.` };
  await done(me.post(`/api/me/notices/${results[0].id}/appeal`, appeal));
  const { id: conversation } = await done(
    app.as(friend).post('/api/conversations', { listing_id: listing.id, message: 'When can I see her?' }),
  );
  await done(me.post(`/api/conversations/${conversation}/messages`, { content: 'On Saturday.' }));
  await app.as().post(`/api/listings/${listing.id}/contact`, {
    name: 'Ada',
    email: 'ada@example.com',
    message: `About ${marked('contact')}`,
  });
  const review = await done(
    app.as(friend).post(`/api/listings/${sold.id}/reviews`, { rating: 5, comment: 'As described.' }),
  );
  await done(me.post(`/api/listings/${sold.id}/reviews/${review.id}/reply`, { reply: marked('reply') }));
  await done(me.post('/api/me/export'));
  await work();
  const { body: archive } = await me.get('/api/me/export');
  await app.as(admin).get('/api/admin/recent-requests');
  return { person, friend, admin, listing, rental, conversation, exportUrl: archive.export.url };
}

/** Whoever has planted leaves; the answer is that of the API. */
export const leave = (app: TestApp, person: TestUser) => app.as(person).delete('/api/me', { body: { password } });

/** The tables, of every schema, with rows that hold what was planted, as text, in hexadecimal or in Base64; with some of it. */
export async function findMarks(pool: Pool, mark = MARK): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and n.nspname in ('public', 'pgboss') order by 1`,
  );
  const forms = [mark, Buffer.from(mark).toString('hex'), ...base64Of(mark)].map((form) => form.toLowerCase());
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select substr(row, greatest(1, strpos(lower(row), $2) - 200), 400) as row from (select t::text as row from ${name} t) as rows
       where lower(row) like any($1) limit 3`,
      [forms.map((form) => `%${form}%`), mark],
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

/** The three ways in which a text may stand in Base64, without what its neighbours change. */
function base64Of(text: string): string[] {
  return [0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${text}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
}

/** The files below a folder whose names or bytes hold what was planted. */
export function findMarkedFiles(folder: string, mark = MARK): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes(mark) || readFileSync(path).toString('latin1').toLowerCase().includes(mark));
}

export const SECOND_SWEEP_MS = 6 * MINUTE_MS;
