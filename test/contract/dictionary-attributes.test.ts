import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { sample } from '../support/lane.ts';
import { sendAll } from '../support/openapi-cases-inspect.ts';
import { createSender, readCases, readErrorCodes, toWire, type Parts, type Send } from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';

const contract = readContract();
const cases = readCases(contract);
const codes = readErrorCodes(contract);

let app: TestApp;
let token: string;
let send: Send;
beforeAll(async () => {
  app = await startApp();
  ({ token } = await app.createUser());
  send = createSender(app.url, createResponseChecker(app.services.contract));
});
afterAll(async () => {
  await app.close();
});

const filtered = cases.filter(({ parameters }) => parameters.some(({ schema }) => schema.type === 'object'));
const asking = (...query: Parts['query']): Parts => ({ token, params: {}, headers: {}, query });

describe('filters by attribute', () => {
  const hostileKeys = [
    ...["x'--", 'min_$1', '__proto__', 'constructor', 'min_', '_max', 'a"b', 'a.b', '$.a', 'a][b', 'brand) or (1=1'],
    ...['min_year; select 1', '\u{1f6a4}', 'a\u0000b', '\ud800', 'x'.repeat(500)],
  ];
  const oddQueries = [
    'attr[brand][a]=1',
    'attr[brand][]=1',
    'attr[brand]=1&attr[brand]=2',
    'attr=brand',
    'attr[]=brand',
    'attr[min_year]=1e400&attr[max_year]=-0',
    'attr[min_year]=0x10&attr[year_max]=Infinity',
    'attr[year]=2024-02-30&attr[length]=1e20',
  ].map((text) => asking(...new URLSearchParams(text)));

  test.each(filtered.map((each) => [each.id, each] as const))('%s takes or refuses any key', async (_id, each) => {
    const keyed = hostileKeys.flatMap((key) => [
      asking([`attr[${key}]`, '1']),
      asking([`attr[${key}]`, "'"], ['category', 'sailboats']),
    ]);
    const queries = sample([...keyed, ...oddQueries], 10, filtered.indexOf(each));
    expect(await sendAll(send, codes, each, queries)).toBeGreaterThanOrEqual(10);
  });

  test.each(filtered.map((each) => [each.id, each] as const))('%s: 400 for a thousand keys', async (_id, each) => {
    // Unescaped and short: Node takes 16 KiB of headers at most.
    const thousand = Array.from({ length: 1_000 }, (_, i) => `attr[${i.toString(36)}]=`).join('&');
    const wire = toWire(each, asking());
    expect((await send({ ...wire, path: `${wire.path}?${thousand}` })).status).toBe(400);
  });
});

describe('what a caller sends never becomes part of a statement', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Every statement that is sent to the database from now on: its text, and its name if it has one. */
  function overhearStatements(): Map<string, string | undefined> {
    const statements = new Map<string, string | undefined>();
    const original = Client.prototype.query;
    vi.spyOn(Client.prototype, 'query').mockImplementation(function overheard(this: Client, ...args: unknown[]) {
      const [first] = args as [string | { text?: string; name?: string }];
      const { text = '', name } = typeof first === 'string' ? { text: first } : first;
      statements.set(text, name);
      return Reflect.apply(original, this, args);
    } as never);
    return statements;
  }

  test.each(filtered.map((each) => [each.id, each] as const))(
    '%s: other keys and values, the same statements',
    async (_id, each) => {
      const ask = async (key: string, value: string) =>
        send(toWire(each, asking([`attr[${key}]`, value], ['category', 'sailboats'])));
      const statements = overhearStatements();
      await ask('wakwak_0', 'zyzzyva');
      await ask('brand', 'zyzzyva_0');
      await ask('min_year', '1999');
      const first = statements.size;
      for (let i = 1; i <= 30; i += 1) {
        await ask(`wakwak_${i}'--`, 'zyzzyva');
        await ask('brand', `zyzzyva_${i}' or 1=1 --`);
        await ask('min_year', String(1_999 + i));
      }
      expect(first).toBeGreaterThan(0);
      expect([...statements.keys()].filter((text) => /wakwak|zyzzyva/.test(text))).toEqual([]);
      // Timers of the process (metrics, counters) may have spoken meanwhile; one text per key or value would be 30 of them.
      expect(statements.size).toBeLessThan(first + 30);
    },
  );

  const everyFilter = 'category=sailboats&country=DE&condition=good&type=sale&shipping=true&min_price=1&max_price=9';
  const alongside = [
    '',
    'q=boat',
    'city=Kappeln',
    'attr[brand]=x',
    'attr[min_year]=1',
    `seller_id=usr_none&${everyFilter}`,
  ];

  /** Searches whose statements are prepared: clusters send theirs once an index, without names. */
  const searches = filtered.filter(
    ({ id, parameters }) => id !== 'getListingClusters' && parameters.some(({ name }) => name === 'status'),
  );

  test.each(searches.map((each) => [each.id, each] as const))(
    '%s: no two statements have one name, and none is too long for PostgreSQL',
    async (_id, each) => {
      const statements = overhearStatements();
      const choices = (name: string) => each.parameters.find((parameter) => parameter.name === name)?.schema.enum ?? [];
      const queries = ['', ...choices('sort').map((value) => `sort=${String(value)}`)].flatMap((sort) =>
        choices('status').flatMap((status) =>
          [...alongside, everyFilter, `q=boat&${everyFilter}`].map(
            (more) => `${sort}&status=${String(status)}&${more}`,
          ),
        ),
      );
      for (const query of sample(queries, 60)) await send(toWire(each, asking(...new URLSearchParams(query))));
      const names = [...statements.values()].filter((name) => name !== undefined);
      // Behind a pooler in transaction mode no statement has one.
      expect(names.length > 1).toBe(!app.services.config.transactionPooling);
      expect(names.filter((name) => name.length > 63)).toEqual([]);
      expect(names).toEqual([...new Set(names)]);
    },
  );
});
