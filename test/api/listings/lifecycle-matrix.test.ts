import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type Json, type Reply, type TestApp, type TestUser } from '../../support/app.ts';
import { createListing } from '../../support/openapi-cases-things.ts';

const statuses = ['draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'deleted'] as const;
type Status = (typeof statuses)[number];
type Move = {
  send: (client: Client, id: string) => Promise<Reply<Json>>;
  event: string;
  leadsTo: Partial<Record<Status, Status>>;
};

/** Where each move leads from each status; the same status is no change, and a status that is missing refuses the move. */
const moves: Record<string, Move> = {
  publish: {
    send: (client, id) => client.post(`/api/listings/${id}/publish`),
    event: 'listing.published',
    leadsTo: { draft: 'active' },
  },
  'PATCH active': {
    send: (client, id) => client.patch(`/api/listings/${id}`, { status: 'active' }),
    event: 'listing.updated',
    leadsTo: { active: 'active', paused: 'active', sold: 'active' },
  },
  'PATCH paused': {
    send: (client, id) => client.patch(`/api/listings/${id}`, { status: 'paused' }),
    event: 'listing.updated',
    leadsTo: { active: 'paused', paused: 'paused' },
  },
  'PATCH sold': {
    send: (client, id) => client.patch(`/api/listings/${id}`, { status: 'sold' }),
    event: 'listing.sold',
    leadsTo: { active: 'sold', paused: 'sold', sold: 'sold' },
  },
  'mark-sold': {
    send: (client, id) => client.post(`/api/listings/${id}/mark-sold`),
    event: 'listing.sold',
    leadsTo: { active: 'sold', paused: 'sold' },
  },
  renew: {
    send: (client, id) => client.post(`/api/listings/${id}/renew`),
    event: 'listing.updated',
    leadsTo: { expired: 'active', active: 'active', paused: 'active' },
  },
  PUT: {
    send: (client, id) => client.put(`/api/listings/${id}`, { tags: ['changed'] }),
    event: 'listing.updated',
    leadsTo: {
      draft: 'draft',
      active: 'active',
      paused: 'paused',
      sold: 'sold',
      expired: 'expired',
      flagged: 'flagged',
    },
  },
  DELETE: {
    send: (client, id) => client.delete(`/api/listings/${id}`),
    event: 'listing.deleted',
    leadsTo: {
      draft: 'deleted',
      active: 'deleted',
      paused: 'deleted',
      sold: 'deleted',
      expired: 'deleted',
      flagged: 'deleted',
    },
  },
};

const cells = Object.entries(moves).flatMap(([name, move]) => statuses.map((from) => [name, from, move] as const));

describe.each(['nautical', 'general'] as const)('in the %s profile', (profile) => {
  let app: TestApp;
  let [owner, other, admin] = [] as unknown as [TestUser, TestUser, TestUser];
  beforeAll(async () => {
    app = await startApp({ profile });
    [owner, other, admin] = [await app.createUser(), await app.createUser(), await app.createUser({ role: 'admin' })];
  });
  afterAll(() => app.close());

  const stateOf = async (id: string) => {
    const { rows } = await app.database.pool.query(
      'select status, version, updated_at, sort_at from listings where id = $1',
      [id],
    );
    return rows[0];
  };
  const eventsOf = async (id: string) =>
    (await app.database.pool.query('select type, data, previous from events where subject = $1', [id])).rows;

  test.each(cells)('%s on a %s listing', async (name, from, { send, event, leadsTo }) => {
    const { id } = await createListing(app.services, owner, from);
    const before = await stateOf(id);
    const to = leadsTo[from];
    const refusal = from === 'deleted' ? 404 : 409;
    expect((await send(app.as(), id)).status).toBe(401);
    for (const stranger of [other, admin]) {
      expect((await send(app.as(stranger), id)).status).toBe(from === 'deleted' ? 404 : 403);
    }
    expect(await eventsOf(id)).toEqual([]);

    const { status, body } = await send(app.as(owner), id);
    expect(status).toBe(to ? 200 : refusal);
    if (!to) {
      expect(body.error.code).toBe(from === 'deleted' ? 'not_found' : 'conflict');
      expect(await stateOf(id)).toEqual(before);
      expect(await eventsOf(id)).toEqual([]);
      return;
    }
    if (name === 'DELETE') {
      expect(body).toEqual({ deleted: true, id });
      expect((await stateOf(id))?.status).toBe(profile === 'general' ? 'deleted' : undefined);
    } else {
      expect(body).toMatchObject({ id, status: to });
      const after = await stateOf(id);
      expect(after.status).toBe(to);
      if (from !== 'draft') expect(after.sort_at).toEqual(before.sort_at);
    }
    const isNoOp = name.startsWith('PATCH') && from === to;
    expect(await eventsOf(id)).toEqual(
      isNoOp
        ? []
        : [
            {
              type: event,
              data: expect.objectContaining({ listing_id: id, status: to }),
              previous: from === to ? {} : { status: from },
            },
          ],
    );
    if (isNoOp) expect(await stateOf(id)).toEqual(before);
  });

  test.each(Object.entries(moves))(
    '%s takes the slug as well, and is 404 for what does not exist',
    async (_, { send, leadsTo }) => {
      const [from = 'active'] = Object.keys(leadsTo);
      const { slug } = await createListing(app.services, owner, from);
      expect((await send(app.as(owner), slug)).status).toBe(200);
      for (const name of ['no-such-listing', 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2']) {
        const { status, body } = await send(app.as(owner), name);
        expect([status, body.error.code]).toEqual([404, 'not_found']);
      }
    },
  );

  test.each(Object.entries(moves))(
    '%s with one Idempotency-Key is done once and answered twice',
    async (name, { leadsTo }) => {
      const [from = 'active'] = Object.keys(leadsTo);
      const { id } = await createListing(app.services, owner, from);
      const headers = { 'Idempotency-Key': `${name} ${id}`.replaceAll(' ', '-') };
      const again = () => {
        const client = app.as(owner);
        if (name === 'PUT') return client.put(`/api/listings/${id}`, { tags: ['once'] }, { headers });
        if (name === 'DELETE') return client.delete(`/api/listings/${id}`, { headers });
        if (name.startsWith('PATCH'))
          return client.patch(`/api/listings/${id}`, { status: name.slice(6) }, { headers });
        return client.post(`/api/listings/${id}/${name}`, undefined, { headers });
      };
      const [first, second] = [await again(), await again()];
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.text).toBe(first.text);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
    },
  );
});
