import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { systemClock } from '../../../shared/kit/clock.ts';
import { recordEvents } from '../../../shared/journal/events.ts';
import { advanceReader, hasUnreadEvents, registerReaders } from '../../../shared/journal/reader.ts';
import { readToEnd, runReaders, type JournalReader } from '../../../shared/journal/runner.ts';
import { createLogger } from '../../../shared/kit/log.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/waiting.ts';

/** Long enough for a machine that does much else. */

let database: TestDatabase;
let services: { db: TestDatabase['db']; pool: TestDatabase['pool']; clock: typeof systemClock; log: Log };
type Log = ReturnType<typeof createLogger>;

beforeAll(async () => {
  database = await cloneDatabase({ max: 70 });
  services = { db: database.db, pool: database.pool, clock: systemClock, log: createLogger('test', 'silent') };
});
afterAll(() => database.drop());

const event = (subject: string) => ({
  type: 'listing.updated' as const,
  subject,
  ownerId: 'usr_1',
  data: { listing_id: subject },
});
const write = (...subjects: string[]) =>
  inTransaction(database.db, (tx) => recordEvents(tx, new Date(), subjects.map(event)));
const register = (name: string) => registerReaders(database.db, [name], new Date());

function collector(name: string): { reader: JournalReader<object>; seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    reader: {
      name,
      handle: async (_services, _tx, events) => {
        seen.push(...events.map(({ subject }) => subject));
      },
    },
  };
}

test('a new reader starts at the end of the journal, and registering it again does not move it', async () => {
  await write('before');
  await waitFor(async () => {
    await database.pool.query(`delete from journal_cursors where reader = 'new'`);
    await register('new');
    expect(await hasUnreadEvents(database.pool, 'new')).toBe(false);
  });
  await write('after');
  await register('new');
  const { reader, seen } = collector('new');
  await readToEnd(services, [reader]);
  expect(seen).toEqual(['after']);
});

test('events come whole, in order, and the place moves only with what was done about them', async () => {
  await register('whole');
  const { reader, seen } = collector('whole');
  await readToEnd(services, [reader]);
  seen.length = 0;
  await write('one', 'two');
  await write('three');
  await waitFor(() => expect(advanceOnce('whole', 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no'));
  const events: unknown[] = [];
  await advanceOnce('whole', 1, async (_tx, some) => void events.push(...some));
  expect(events).toEqual([
    {
      seq: expect.any(Number),
      type: 'listing.updated',
      subject: 'one',
      ownerId: 'usr_1',
      data: { listing_id: 'one' },
      previous: null,
      createdAt: expect.any(Date),
      trace: null,
    },
  ]);
  await readToEnd(services, [reader]);
  expect(seen).toEqual(['two', 'three']);
});

const advanceOnce = (name: string, limit: number, handle: Parameters<typeof advanceReader>[3]) =>
  advanceReader(services, name, limit, handle);

test('one process at a time advances a reader: another finds nothing to do meanwhile', async () => {
  await register('single');
  await write('x');
  let inner: number | undefined;
  await waitFor(async () => {
    const count = await advanceOnce('single', 100, async () => {
      inner = await advanceOnce('single', 100, async () => {});
    });
    expect(count).toBeGreaterThan(0);
  });
  expect(inner).toBe(0);
});

test('50 concurrent writers: two processes that share a reader handle every event exactly once', async () => {
  await register('crowd');
  const { reader, seen } = collector('crowd');
  const expected: string[] = [];
  const writers = Array.from({ length: 50 }, async (_, writer) => {
    for (let n = 0; n < 8; n += 1) {
      const subject = `crowd-${writer}-${n}`;
      await inTransaction(database.db, async (tx) => {
        if (writer % 2 === 0) await sleep(Math.random() * 10);
        await recordEvents(tx, new Date(), [event(subject)]);
        await sleep(Math.random() * 20);
        if (n === 7) throw new Error('rolled back');
      }).catch(() => undefined);
      if (n < 7) expected.push(subject);
    }
  });
  const first = await runReaders(database.url, services, [reader]);
  const second = await runReaders(database.url, services, [reader]);
  await Promise.all(writers);
  await waitFor(() => expect(crowdOf(seen)).toHaveLength(expected.length));
  await Promise.all([first.stop(), second.stop()]);
  expect(crowdOf(seen).toSorted()).toEqual(expected.toSorted());
});

const crowdOf = (seen: string[]) => seen.filter((subject) => subject.startsWith('crowd-'));

test('a failing reader is tried again and never stops the others; stopping waits for the batch in hand', async () => {
  let failures = 0;
  let handled = 0;
  let started: (() => void) | undefined;
  const inHand = new Promise<void>((resolve) => {
    started = resolve;
  });
  const failing: JournalReader<object> = {
    name: 'failing',
    handle: () => {
      failures += 1;
      return failures === 1 ? Promise.reject(new Error('first time')) : Promise.resolve();
    },
  };
  const slow: JournalReader<object> = {
    name: 'slow',
    handle: async (_services, tx) => {
      started?.();
      await sleep(150);
      await tx.selectFrom('events').select('seq').limit(1).execute();
      handled += 1;
    },
  };
  const readers = await runReaders(database.url, services, [failing, slow]);
  await write('y');
  await inHand;
  await waitFor(() => expect(failures).toBe(1));
  await readers.stop();
  expect(handled).toBe(1);
  expect(await hasUnreadEvents(database.pool, 'slow')).toBe(false);
  expect(await hasUnreadEvents(database.pool, 'failing')).toBe(true);
  const anew = await runReaders(database.url, services, [failing]);
  await waitFor(async () => expect(await hasUnreadEvents(database.pool, 'failing')).toBe(false));
  await anew.stop();
  expect(failures).toBe(2);
});
