import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sqlState } from '../../db/client.ts';
import { writeArchive } from '../../shared/leaving/archive.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { openEventStream } from '../support/event-stream.ts';
import { listingBody } from '../support/listing-bodies.ts';
import { isPgBouncerInstalled, launchPgBouncer } from '../support/pgbouncer.ts';
import { formOf, newPhoto } from '../support/pictures.ts';
import { eventually } from '../support/waiting.ts';

const SERVER_CONNECTIONS = 4;

describe.skipIf(!isPgBouncerInstalled())('an API behind a PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pooler: Awaited<ReturnType<typeof launchPgBouncer>>;
  let app: TestApp;
  /** A statement that is to end by itself, after as many seconds as a request's may take. */
  let endless: Promise<unknown>;

  beforeAll(async () => {
    database = await cloneDatabase();
    pooler = await launchPgBouncer(database.url, {
      pool_mode: 'transaction',
      default_pool_size: SERVER_CONNECTIONS,
      server_round_robin: 1,
      query_wait_timeout: 5,
    });
    const urls = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url };
    const env = { ...urls, DATABASE_POOL_SIZE: '30', DEADLINE_FACTOR: '1' };
    app = await startApp({ database, env });
    endless = app.services.pool.query('select pg_sleep(600)').then(
      () => 'it went on',
      (error: unknown) => sqlState(error),
    );
  });
  afterAll(async () => {
    await app.close();
    pooler.stop();
  });

  const count = async (what: string): Promise<number> =>
    (
      await database.pool.query(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and ${what}`,
      )
    ).rows[0].n;
  /** Locks a listing until the answer is called, or the test ends. */
  async function holdRow(id: string) {
    const holder = await database.pool.connect();
    onTestFinished(() => holder.release(true));
    await holder.query('begin');
    await holder.query('select from listings where id = $1 for update', [id]);
    return () => holder.query('rollback');
  }
  const holdServerConnections = () =>
    Promise.all(
      Array.from({ length: SERVER_CONNECTIONS }, async () => {
        const client = new Client({ connectionString: pooler.url, application_name: 'holder' });
        await client.connect();
        await client.query('begin');
        return client;
      }),
    );

  /** Reads and writes of every kind, by one person; answers the statuses. */
  async function visit(person: TestUser, other: string): Promise<[string, number][]> {
    const statuses: [string, number][] = [];
    const as = app.as(person);
    const call = async (...[method, path, options]: Parameters<typeof as.request>) => {
      const reply = await as.request(method, path, options);
      statuses.push([`${method} ${path.replaceAll(/[a-z]+_[0-9A-Z]{26}/g, ':id')}`, reply.status]);
      return reply.body;
    };
    const headers = { 'Idempotency-Key': `key-of-${person.id}` };
    const { id } = await call('POST', '/api/listings', { headers, body: listingBody() });
    await call('POST', `/api/listings/${id}/images`, { raw: formOf([['files', await newPhoto()]]) });
    await call('POST', `/api/listings/${id}/publish`);
    await call('PUT', `/api/listings/${id}`, {
      body: { price: { amount: 90_000, currency: 'EUR', negotiable: false } },
    });
    await call('GET', `/api/listings/${id}`);
    await call('GET', '/api/listings?q=bavaria&sort=price_asc&limit=5&country=ES');
    await call('GET', '/api/search/suggest?q=bava');
    await call('POST', '/api/me/favorites', { body: { listing_id: other } });
    await call('GET', '/api/me/favorites');
    await call('POST', '/api/conversations', { body: { listing_id: other, message: 'Is she still for sale?' } });
    await call('GET', '/api/me');
    await call('GET', '/health');
    await call('DELETE', `/api/me/favorites/${other}`);
    await call('DELETE', `/api/listings/${id}`);
    return statuses;
  }

  test('serves reads and writes of every kind to twelve people at once over four server connections', async () => {
    const seller = await app.createUser();
    const shown = await app.as(seller).post('/api/listings', listingBody());
    await app.as(seller).post(`/api/listings/${shown.body.id}/publish`);
    const people = await Promise.all(Array.from({ length: 12 }, () => app.createUser()));
    let most = 0;
    let visiting = true;
    const watching = (async () => {
      while (visiting) most = Math.max(most, await count(`application_name = 'quayside-api'`));
    })();
    const visits = await Promise.all(people.map((person) => visit(person, shown.body.id)));
    visiting = false;
    await watching;
    expect(visits.flat().filter(([, status]) => status >= 400)).toEqual([]);
    expect(visits[0]).toHaveLength(14);
    expect([most, app.services.pool.totalCount > SERVER_CONNECTIONS]).toEqual([SERVER_CONNECTIONS, true]);
  });

  test('of twenty requests with one key at once one is carried out, and its answer repeats', async () => {
    const seller = await app.createUser();
    const body = listingBody();
    const create = () => app.as(seller).post('/api/listings', body, { headers: { 'Idempotency-Key': 'one' } });
    const replies = await Promise.all(Array.from({ length: 20 }, create));
    expect(replies.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual([]);
    const again = await create();
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    const { rows } = await database.pool.query('select id from listings where seller_id = $1', [seller.id]);
    expect(rows).toEqual([{ id: again.body.id }]);
  });

  test('tells of events that another process behind it has written, by a LISTEN past the pooler', async () => {
    const twin = await app.twin();
    const seller = await app.createUser();
    const stream = await openEventStream(`${app.url}/api/events/stream`, seller.token);
    const { body } = await twin.as(seller).post('/api/listings', listingBody());
    await twin.as(seller).post(`/api/listings/${body.id}/publish`);
    await eventually(() =>
      stream.events.some(({ event, data }) => event === 'listing.published' && data.subject === body.id),
    );
    stream.close();
    // Each server connection of the pooler has another last query than LISTEN after this.
    await Promise.all(Array.from({ length: 20 }, (_, n) => app.as().get(`/api/listings?q=round${n}`)));
    const listening = `application_name = 'quayside-journal' and query = 'listen quayside_events'`;
    expect(await count(listening)).toBe(2);
    await twin.close();
    await eventually(async () => (await count(listening)) === 1);
  });

  test('503 when another transaction holds a row for longer than a request may wait for it', async () => {
    const seller = await app.createUser();
    const { body } = await app.as(seller).post('/api/listings', listingBody());
    const release = await holdRow(body.id);
    const change = () => app.as(seller).put(`/api/listings/${body.id}`, { title: 'Bavaria Cruiser 46 with new sails' });
    expect((await change()).status).toBe(503);
    await release();
    expect((await change()).status).toBe(200);
  });

  test('a request that is cut off, a statement that is cancelled and an archive that is given up leave no transaction', async () => {
    const seller = await app.createUser();
    const { body } = await app.as(seller).post('/api/listings', listingBody());
    const release = await holdRow(body.id);
    const gone = new AbortController();
    const request = fetch(`${app.url}/api/listings/${body.id}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${seller.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: 'Bavaria Cruiser 46 that is cut off' }),
      signal: gone.signal,
    });
    await eventually(async () => (await count(`wait_event_type = 'Lock'`)) === 1);
    gone.abort();
    await expect(request).rejects.toThrow('aborted');
    await release();

    const sleeping = `query like '%cancel me%' and application_name = 'quayside-api'`;
    const cancelled = app.services.pool.query(`select pg_sleep($1) /* cancel me */`, [600]).catch(sqlState);
    await eventually(async () => (await count(sleeping)) === 1);
    await database.pool.query(`select pg_cancel_backend(pid) from pg_stat_activity where ${sleeping}`);
    expect(await cancelled).toBe('57014');

    const signal = new AbortController().signal;
    const options = { userId: seller.id, staticUrl: 'https://static.example', now: new Date(), signal };
    for await (const piece of writeArchive(app.services.pool, options)) {
      expect(piece.toString()).toContain('quayside-person-1');
      break;
    }
    await eventually(async () => (await count(`state like 'idle in transaction%'`)) === 0);
    expect((await app.as(seller).get('/api/me')).status).toBe(200);
  });

  test('a statement ends by itself after thirty seconds', async () => {
    expect(await endless).toBe('57014');
  });

  test('503 when the pooler has no server connection for as long as it lets queries wait, and all is well after', async () => {
    const holders = await holdServerConnections();
    const searches = await Promise.all(['a', 'b', 'c'].map((q) => app.as().get(`/api/listings?q=${q}`)));
    expect(searches.map(({ status }) => status)).toEqual([503, 503, 503]);
    await Promise.all(holders.map((holder) => holder.end()));
    await eventually(async () => (await app.as().get('/api/listings?q=after')).status === 200);
  });
});
