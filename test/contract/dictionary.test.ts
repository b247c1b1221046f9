import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { dictionary, shortDictionary } from '../support/arbitrary-dictionary.ts';
import { replaceAt, sitesOf, withKey } from '../support/arbitrary-mutation.ts';
import { sample } from '../support/lane.ts';
import { sendAll } from '../support/openapi-cases-inspect.ts';
import { hintsOf } from '../support/openapi-cases-hints.ts';
import { createWorld, readyRequest, type World } from '../support/openapi-cases-world.ts';
import {
  createSender,
  fitsHeader,
  readCases,
  readErrorCodes,
  schemaContext,
  type Parts,
  type Send,
} from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';

const contract = readContract();
const cases = readCases(contract);
const codes = readErrorCodes(contract);
const everywhere = ['Authorization', 'Accept', 'If-None-Match', 'X-Request-Id', 'X-Forwarded-For'];

let app: TestApp;
let world: World;
let send: Send;
beforeAll(async () => {
  // The patterns of scrapers that never end are given up after 2 s, not after 10.
  app = await startApp({ env: { DEADLINE_FACTOR: '4' } });
  world = await createWorld(app.services);
  send = createSender(app.url, createResponseChecker(app.services.contract));
});
afterAll(async () => {
  await app.close();
});

let turn = 0;
/** All texts in the first places of a body, every twelfth in the others, by turns; the long ones in the first place only. */
const textsAt = (site: number) =>
  site < 2
    ? sample(dictionary, 4, turn)
    : sample(
        shortDictionary.filter((_, index) => (index + site) % 12 === 0),
        1,
        turn,
      );
/** A fifth of the texts, by turns: the same few parameters are those of most operations. */
const nextTexts = () => {
  turn += 1;
  return shortDictionary.filter((_, index) => (index + turn) % 5 === 0);
};
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

describe('every hostile text is stored or refused, in every place of a request', () => {
  // A body that is signed as a whole is refused as a whole, whatever is in it.
  test.each(cases.filter(({ body, operation }) => body && !operation.rawBody).map((each) => [each.id, each] as const))(
    '%s: body',
    async (_id, each) => {
      const context = schemaContext(contract, hintsOf(world));
      for (const example of each.body?.examples.keys() ?? []) {
        turn += 1;
        const { body } = await readyRequest(world, each, example);
        const sites = sitesOf(body ?? {}, each.body?.schema, context);
        const changes = sites.flatMap(({ path, value }, site) => {
          if (typeof value === 'string') return textsAt(site).map(([, text]) => ({ path, next: text as unknown }));
          const keys = isObject(value) ? sample(shortDictionary, 2, turn) : [];
          return keys.map(([, key]) => ({ path, next: withKey(value as object, key, 'x') }));
        });
        await sideBySide(changes, async ({ path, next }) => {
          const ready = await readyRequest(world, each, example);
          await sendAll(send, codes, each, [{ ...ready, body: replaceAt(ready.body ?? {}, path, next) }]);
        });
        expect(changes.length).toBeGreaterThan(1);
      }
    },
  );

  test.each(cases.filter(({ parameters }) => parameters.length > 0).map((each) => [each.id, each] as const))(
    '%s: path, query and its own headers',
    async (_id, each) => {
      const ready = await readyRequest(world, each);
      const requests = each.parameters.flatMap((parameter) =>
        sample(
          nextTexts().flatMap(([, text]) => withParameter(ready, parameter.in, parameter.name, text)),
          2,
          Math.floor(turn / 5),
        ),
      );
      expect(await sendAll(send, codes, each, requests)).toBeGreaterThan(each.parameters.length);
    },
  );

  const reads = cases.filter(({ operation }) => operation.method === 'get');
  const oneOfEachTag = [...Map.groupBy(reads, ({ operation }) => operation.tag).values()].flatMap(
    ([first]) => first ?? [],
  );
  test.each(oneOfEachTag.map((each) => [each.id, each] as const))(
    '%s: the headers of every request, and names of parameters',
    async (_id, each) => {
      const ready = await readyRequest(world, each);
      const nth = oneOfEachTag.indexOf(each);
      const headers = everywhere.flatMap((name) =>
        sample(
          shortDictionary.flatMap(([, text]) => withParameter(ready, 'header', name, text)),
          2,
          nth,
        ),
      );
      const names = sample(shortDictionary, 4, nth).map(([, name]): Parts => ({ ...ready, query: [[name, '1']] }));
      expect(await sendAll(send, codes, each, [...headers, ...names])).toBeGreaterThan(everywhere.length);
    },
  );

  test('nothing of it was stored with characters replaced', async () => {
    const { rows: tables } = await app.database.pool.query<{ name: string }>(
      `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const counts = await Promise.all(
      tables.map(async ({ name }) => {
        const { rows } = await app.database.pool.query<{ n: number }>(
          `select count(*)::int as n from ${name} as t where t::text like '%\ufffd%'`,
        );
        return [name, rows[0]?.n] as const;
      }),
    );
    expect(counts.length).toBeGreaterThan(20);
    expect(counts.filter(([, n]) => n !== 0)).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

/** Does some work for each of them, a few at a time. */
async function sideBySide<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += 6) await Promise.all(all.slice(start, start + 6).map(work));
}

function withParameter(parts: Parts, place: string, name: string, text: string): Parts[] {
  if (place === 'path') return [{ ...parts, params: { ...parts.params, [name]: text } }];
  if (place === 'header') return fitsHeader(text) ? [{ ...parts, headers: { ...parts.headers, [name]: text } }] : [];
  const names = text.length % 5 === 0 ? [name, `${name}[a]`, `${name}[]`] : [name];
  return names.map((key) => ({ ...parts, query: [[key, text]] }));
}
