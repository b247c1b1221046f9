import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { recordEvents, type NewEvent } from '../../../shared/journal/events.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { waitFor } from '../../support/waiting.ts';
import { scaled } from '../../support/machine.ts';

let app: TestApp;
let seller: TestUser;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
});
afterAll(() => app.close());

const data = {
  listing_id: newId('listing'),
  slug: 'kestrel',
  title: 'Kestrel',
  status: 'active',
  category_id: 'sailboats',
  seller_id: newId('user'),
  price: { amount: 9_500, currency: 'EUR' },
};
const event = (owner: TestUser, fields: Partial<NewEvent> = {}): NewEvent => ({
  type: 'listing.updated',
  subject: newId('listing'),
  ownerId: owner.id,
  data,
  ...fields,
});
const write = (...events: NewEvent[]) =>
  inTransaction(app.database.db, (tx) => recordEvents(tx, app.services.clock.now(), events));

/** The `next_after` behind everything there is. */
async function endOf(client: Client, query = ''): Promise<number> {
  for (let after = 0; ;) {
    const { body } = await client.get(`/api/events?after=${after}&limit=1000${query}`);
    if (body.next_after === after) return after;
    after = body.next_after;
  }
}

/** Waits until nothing older is being written anywhere, so that what was written is final. */
const eventually = (check: () => Promise<void>) => waitFor(check, 5_000);

describe('GET /api/events', () => {
  test('tells the caller their own events, an administrator those of everybody', async () => {
    const other = await app.createUser();
    const client = app.as(seller);
    const [own, all] = [await endOf(client), await endOf(app.as(admin))];
    const mine = event(seller, { type: 'listing.sold', previous: { status: 'active' } });
    const theirs = event(other);
    await write(mine);
    await write(theirs);
    await eventually(async () => {
      const { status, body } = await client.get(`/api/events?after=${own}`);
      expect(status).toBe(200);
      expect(body.results).toEqual([
        {
          seq: expect.any(Number),
          type: 'listing.sold',
          subject: mine.subject,
          created_at: expect.any(String),
          data,
          previous: { status: 'active' },
        },
      ]);
      expect(body.next_after).toBe(body.results[0].seq);
    });
    await eventually(async () => {
      const { body } = await app.as(admin).get(`/api/events?after=${all}`);
      expect(body.results.map(({ subject }: { subject: string }) => subject)).toEqual([mine.subject, theirs.subject]);
      expect(body.results[1].previous).toBeNull();
    });
  });

  test('a key of an administrator without the permission admin reads the own events only', async () => {
    const key = async (permissions: string) =>
      (await app.as(admin).post('/api/api-keys', { name: 'feed', permissions })).body.key;
    const after = await endOf(app.as(admin));
    await write(event(seller));
    const [readKey, adminKey] = [await key('read'), await key('admin')];
    await eventually(async () => {
      expect((await app.as(adminKey).get(`/api/events?after=${after}`)).body.results).toHaveLength(1);
    });
    expect((await app.as(readKey).get(`/api/events?after=${after}`)).body).toEqual({ results: [], next_after: after });
  });

  test('events that are the service’s own are not told', async () => {
    const client = app.as(seller);
    const after = await endOf(client);
    await app.database.pool.query(
      `insert into events (type, subject, owner_id, data, created_at) values ('rental.changed', 'rent_1', $1, '{}', now())`,
      [seller.id],
    );
    const last = event(seller);
    await write(last);
    await eventually(async () => {
      const { body } = await client.get(`/api/events?after=${after}&limit=1`);
      expect(body.results).toMatchObject([{ subject: last.subject }]);
    });
  });

  test('filters by type and by subject, and comes to the end whatever they let through', async () => {
    const client = app.as(seller);
    const after = await endOf(client);
    const sold = event(seller, { type: 'listing.sold' });
    await write(event(seller), sold, event(seller), event(seller, { subject: sold.subject }));
    await eventually(async () => {
      expect((await client.get(`/api/events?after=${after}`)).body.results).toHaveLength(4);
    });
    const ofType = await client.get(`/api/events?after=${after}&type=listing.sold`);
    expect(ofType.body.results).toMatchObject([{ type: 'listing.sold', subject: sold.subject }]);
    const ofSubject = await client.get(`/api/events?after=${after}&subject=${sold.subject}`);
    expect(ofSubject.body.results).toHaveLength(2);
    const none = await client.get(`/api/events?after=${after}&type=run.failed`);
    expect(none.body).toEqual({ results: [], next_after: after });
    expect((await client.get('/api/events?type=ping')).status).toBe(400);
  });

  test('a filter that nothing passes looks at a part of the journal and moves on', async () => {
    const many = await app.createUser();
    await app.database.pool.query(
      `insert into events (type, subject, owner_id, data, created_at)
       select 'listing.updated', 'lst_' || n, $1, '{}', now() from generate_series(1, 10500) as n`,
      [many.id],
    );
    const rare = event(many, { type: 'listing.sold' });
    await write(rare);
    const client = app.as(many);
    await eventually(async () => {
      const first = await client.get('/api/events?type=listing.sold');
      expect(first.body.results).toEqual([]);
      expect(first.body.next_after).toBeGreaterThan(0);
      const second = await client.get(`/api/events?type=listing.sold&after=${first.body.next_after}`);
      expect(second.body.results).toMatchObject([{ subject: rare.subject }]);
    });
  });

  test('a bookmark whose event was purged goes on with what is left; one beyond the end waits there', async () => {
    const quiet = await app.createUser();
    await write(event(quiet));
    const client = app.as(quiet);
    await eventually(async () => expect(await endOf(client)).toBeGreaterThan(0));
    const after = await endOf(client);
    await app.database.pool.query('delete from events');
    expect((await client.get(`/api/events?after=${after}`)).body).toEqual({ results: [], next_after: after });
    const later = event(quiet);
    await write(later);
    await eventually(async () => {
      const { body } = await client.get(`/api/events?after=${after}`);
      expect(body.results).toMatchObject([{ subject: later.subject }]);
    });
    const beyond = Number.MAX_SAFE_INTEGER;
    expect((await client.get(`/api/events?after=${beyond}`)).body).toEqual({ results: [], next_after: beyond });
  });
});

describe('under 50 concurrent writers', () => {
  /** Follows `next_after` from the end of what there is until it has seen as many as there will be, and a little longer. */
  async function follow(client: Client, query: string): Promise<{ until(count: number): Promise<string[]> }> {
    const seen: string[] = [];
    let after = await endOf(client);
    let wanted = Number.POSITIVE_INFINITY;
    async function read(): Promise<string[]> {
      const deadline = performance.now() + scaled(20_000);
      for (let idle = 0; idle < 5 && performance.now() < deadline;) {
        const { body } = await client.get(`/api/events?after=${after}&limit=7${query}`);
        seen.push(...body.results.map(({ subject }: { subject: string }) => subject));
        idle = seen.length >= wanted && body.next_after === after ? idle + 1 : 0;
        after = body.next_after;
        if (body.results.length === 0) await sleep(5);
      }
      return seen.toSorted();
    }
    const reading = read();
    return {
      until(count) {
        wanted = count;
        return reading;
      },
    };
  }

  test('readers of the own and of all events miss none and get none twice', async () => {
    const writers = await Promise.all(Array.from({ length: 2 }, () => app.createUser()));
    const [first] = writers as [TestUser, TestUser];
    const expected = new Map(writers.map(({ id }) => [id, [] as string[]]));
    const own = await follow(app.as(first), '');
    const all = await follow(app.as(admin), '');
    const onlySold = await follow(app.as(admin), '&type=listing.sold');
    const sold: string[] = [];
    await Promise.all(
      Array.from({ length: 50 }, async (_, writer) => {
        const owner = writers[writer % 2]!;
        for (let round = 0; round < 4; round += 1) {
          const type = round === 2 ? 'listing.sold' : 'listing.updated';
          const events = [event(owner, { type }), event(owner, { type })];
          await inTransaction(app.database.db, async (tx) => {
            await sleep(Math.random() * 10);
            await recordEvents(tx, app.services.clock.now(), events);
            await sleep(Math.random() * 30);
            if (round === 3 && writer % 5 === 0) throw new Error('rolled back');
            expected.get(owner.id)?.push(...events.map(({ subject }) => subject));
            if (round === 2) sold.push(...events.map(({ subject }) => subject));
          }).catch((error: Error) => expect(error.message).toBe('rolled back'));
        }
      }),
    );
    const [mine = [], everybodys] = [expected.get(first.id), [...expected.values()].flat()];
    expect(await own.until(mine.length)).toEqual(mine.toSorted());
    expect(await all.until(everybodys.length)).toEqual(everybodys.toSorted());
    expect(await onlySold.until(sold.length)).toEqual(sold.toSorted());
  });
});
