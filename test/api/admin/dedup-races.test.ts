import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { foundGroup, offer, storeGroup } from '../../support/dedup-groups.ts';
import { inTransaction } from '../../../db/client.ts';
import { storeGroups } from '../../../shared/dedup/stored-groups.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let twin: TestApp;
let workers: TestWorkers;
let admin: TestUser;
let sellers: TestUser[];
beforeAll(async () => {
  app = await startApp({ profile: 'nautical' });
  twin = await app.twin();
  workers = await startWorkers(app);
  admin = await app.createUser({ role: 'admin' });
  sellers = [await app.createUser(), await app.createUser(), await app.createUser()];
});
afterAll(async () => {
  await workers.close();
  await twin.close();
  await app.close();
});

const at = '/api/admin/nautical/dedup';
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows;
const statusesOf = async (ids: readonly string[]) => {
  const rows = await query('select id, status from listings where id = any($1)', [ids]);
  return ids.map((id): string => rows.find((row) => row.id === id)?.status ?? 'gone');
};
const decide = async (id: string, decision: string, n = 0, body?: object) =>
  (
    await (n % 2 === 0 ? app : twin)
      .as(admin)
      .post(`${at}/${id}/${decision}`, body ?? (decision === 'merge' ? {} : undefined))
  ).status;
const offers = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => offer(app, sellers[n % 3]!).then(({ id }) => id)));
const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));
const countOf = (statuses: readonly number[], status: number) => statuses.filter((each) => each === status).length;

describe('at the same time', () => {
  test('of ten merges of one group one succeeds, the others are 409, and each listing is merged once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ids = await offers(3);
      const group = await storeGroup(app, ids);
      const answers = await times(10, (n) => decide(group, 'merge', n));
      expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([1, 9]);
      expect((await statusesOf(ids)).toSorted()).toEqual(['active', 'deleted', 'deleted']);
      const deletions = await query(`select subject from events where type = 'listing.deleted' and subject = any($1)`, [
        ids,
      ]);
      expect(new Set(deletions.map(({ subject }) => subject)).size).toBe(deletions.length);
    }
  });

  test('of merging, rejecting and unmerging each finds what the one before has left', async () => {
    const ids = await offers(2);
    const group = await storeGroup(app, ids);
    const decisions = ['merge', 'reject', 'unmerge', 'merge', 'reject', 'unmerge'];
    const answers = await Promise.all(decisions.map((decision, n) => decide(group, decision, n)));
    expect(answers.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const [row] = await query('select status, canonical_id from dedup_groups where id = $1', [group]);
    const live = (await statusesOf(ids)).filter((status) => status === 'active').length;
    expect(live).toBe(row.status === 'merged' ? 1 : 2);
  });

  test('groups that share a listing are merged without a deadlock, and no listing is lost', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a = '', b = '', c = '', d = ''] = await offers(4);
      const first = await storeGroup(app, [a, b]);
      await decide(first, 'merge', 0, { canonical_id: a });
      const second = await storeGroup(app, [a, c]);
      const third = await storeGroup(app, [b, d]);
      expect(third).toBe('none');
      const answers = await Promise.all([decide(first, 'unmerge', 0), decide(second, 'merge', 1, { canonical_id: c })]);
      expect(answers.every((status) => status === 200 || status === 409 || status === 404)).toBe(true);
      // Every listing is on offer, or leads to one that is.
      const lost = await query(
        `with recursive way as (
           select id, id as at from listings where id = any($1)
           union all select way.id, l.merged_into from way join listings l on l.id = way.at where l.merged_into is not null)
         select id from listings where id = any($1) and id not in (select way.id from way join listings l on l.id = way.at where l.status = 'active')`,
        [[a, b, c, d]],
      );
      expect(lost).toEqual([]);
    }
  });

  test('an edit comes before a merge or after it, and a deletion too: what was kept is there, what was edited is not lost', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [edited = '', deleted = '', third = ''] = await offers(3);
      const group = await storeGroup(app, [edited, deleted, third]);
      const title = `Edited meanwhile, hull ${round}`;
      const [edit, removal, merge] = await Promise.all([
        app.as(sellers[0]).put(`/api/listings/${edited}`, { title }),
        twin.as(sellers[1]).delete(`/api/listings/${deleted}`),
        decide(group, 'merge', round),
      ]);
      expect([200, 404]).toContain(edit.status);
      expect([200, 404]).toContain(removal.status);
      expect([200, 404, 409]).toContain(merge);
      await workers.readJournal();
      await workers.work('dedup-reelect');
      const rows = await query('select id, status, title, merged_into from listings where id = any($1)', [
        [edited, deleted, third],
      ]);
      expect(rows.filter(({ status }) => status === 'active').length).toBeGreaterThanOrEqual(1);
      if (edit.status === 200) expect(rows.find(({ id }) => id === edited).title).toBe(title);
      const active = new Set(rows.filter(({ status }) => status === 'active').map(({ id }) => id));
      for (const { id, merged_into } of rows) expect(active.has(id) || active.has(merged_into)).toBe(true);
    }
  });

  test('the same groups found by many scans are stored once, and a listing waits in one group', async () => {
    const [a = '', b = '', c = ''] = await offers(3);
    const { db, clock } = app.services;
    const found = [foundGroup([a, b]), foundGroup([b, c]), foundGroup([a, b, c])];
    const fresh = await times(9, (n) => inTransaction(db, (tx) => storeGroups(tx, [found[n % 3]!], clock.now())));
    expect(fresh.reduce((sum, each) => sum + each, 0)).toBe(1);
    const members = await query('select listing_id from dedup_members where open and listing_id = any($1)', [
      [a, b, c],
    ]);
    expect(members).toHaveLength(3);
  });
});

describe('where deleting is for good', () => {
  test('the others come back with what they had, and unmerging says what is gone', async () => {
    const [kept = '', other = '', third = ''] = await offers(3);
    await app.as(sellers[2]).post('/api/me/favorites', { listing_id: other });
    const group = await storeGroup(app, [kept, other, third]);
    await decide(group, 'merge', 0, { canonical_id: kept });
    await app.as(sellers[0]).delete(`/api/listings/${kept}`);
    await workers.readJournal();
    await workers.work('dedup-reelect');
    expect(await statusesOf([kept, other, third])).toEqual(['gone', 'active', 'deleted']);
    expect(await query('select user_id from favorites where listing_id = $1', [other])).toEqual([
      { user_id: sellers[2]!.id },
    ]);
    const { body } = await app.as(admin).post(`${at}/${group}/unmerge`);
    expect(body).toMatchObject({ status: 'detected', not_restored: [] });
    expect(await statusesOf([other, third])).toEqual(['active', 'active']);
  });

  test('a decided group still shows what its listings were to it, as null', async () => {
    const [kept = '', gone = ''] = await offers(2);
    const group = await storeGroup(app, [kept, gone]);
    await decide(group, 'reject');
    await app.as(sellers[1]).delete(`/api/listings/${gone}`);
    const { body } = await app.as(admin).get(`${at}/${group}`);
    const listingOf = (id: string) =>
      body.members.find((member: { listing_id: string }) => member.listing_id === id).listing;
    expect([body.status, listingOf(gone), listingOf(kept).id]).toEqual(['rejected', null, kept]);
  });
});
