import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../../shared/kit/ids.ts';
import { correctQuery, correctWords } from '../../../../shared/search/query/correct-words.ts';
import { addToVocabulary } from '../../../../shared/search/query/vocabulary.ts';
import { storeListings } from '../../../api/listings/search-fixture.ts';
import { cloneDatabase, type TestDatabase } from '../../../support/database.ts';

let database: TestDatabase;
const seller = { id: newId('user') };

beforeAll(async () => {
  database = await cloneDatabase();
  await database.pool.query(
    `insert into users (id, email, name, created_at, updated_at) values ($1, 'a@example.com', 'Anna', now(), now())`,
    [seller.id],
  );
  await storeListings({ database }, seller, [
    {
      title: 'Hallberg-Rassy 36',
      description: 'Größe zählt: genua, genoa, 12345 and X-99 Öland.',
      tags: ['blauwasser'],
      attributes: { brand: 'Hallberg' },
    },
    { title: 'Genoa for a Hallberg', description: 'A genoa of 40 square metres.' },
    { title: 'Secret of the draft', description: 'Nobody shall find the word zanzibar.', status: 'draft' },
  ]);
});

test('the vocabulary has the words of active listings without accents, each with the number of listings that use it', async () => {
  const { rows } = await database.pool.query<{ word: string; listings: number }>(
    'select word, listings from search_words',
  );
  const known = new Map(rows.map(({ word, listings }) => [word, listings]));
  expect(
    Object.fromEntries(
      ['hallberg', 'genoa', 'genua', 'rassy', 'grosse', 'oland', 'blauwasser'].map((word) => [word, known.get(word)]),
    ),
  ).toEqual({
    hallberg: 2,
    genoa: 2,
    genua: 1,
    rassy: 1,
    grosse: 1,
    oland: 1,
    blauwasser: 1,
  });
  for (const absent of ['zanzibar', '12345', '36', 'a', 'and']) expect(known.has(absent)).toBe(false);
});

test('corrections are one letter away, the most used first', async () => {
  const corrections = await correctWords(database.pool, [
    'genia',
    'Hallburg',
    'rasy',
    'rassy',
    'genoax',
    'hallbreg',
    'halbreg',
    'ÖLAMD',
    '%_\\',
    '',
  ]);
  expect(Object.fromEntries(corrections)).toEqual({
    genia: ['genoa', 'genua'],
    Hallburg: ['hallberg'],
    genoax: ['genoa'],
    hallbreg: ['hallberg'],
    rasy: ['rassy'],
    ÖLAMD: ['oland'],
  });
});

test('an unknown word that others begin with is completed before it is corrected', async () => {
  expect(
    Object.fromEntries(await correctWords(database.pool, ['blau', 'Hallb', 'geno', 'bla', 'halb%', 'h_ll'])),
  ).toEqual({
    blau: ['blauwasser'],
    Hallb: ['hallberg', 'hallberg-rassy'],
    geno: ['genoa'],
  });
});

test('two letters swapped and one missing are put right in words of five letters', async () => {
  expect(Object.fromEntries(await correctWords(database.pool, ['geona', 'gena', 'gen']))).toEqual({
    geona: ['genoa'],
    gena: ['genoa', 'genua'],
  });
});

test('a corrected query keeps its structure: phrases, exclusions and alternatives', async () => {
  const correct = async (q: string) => {
    const { query } = await correctQuery(database.pool, q);
    const { rows } = await database.pool.query<{ titles: string[] }>(
      `select array_agg(l.title order by l.title) as titles from listing_search s join listings l on l.id = s.listing_id
       where searchable(s.words) @@ $1::tsquery and s.status = 'active'`,
      [query],
    );
    return rows[0]?.titles;
  };
  expect(await correct('genia')).toEqual(['Genoa for a Hallberg', 'Hallberg-Rassy 36']);
  expect(await correct('genia -rassi')).toEqual(['Genoa for a Hallberg']);
  expect(await correct('"square metres" genia')).toEqual(['Genoa for a Hallberg']);
  expect(await correct('squere or blauwaser')).toEqual(['Genoa for a Hallberg', 'Hallberg-Rassy 36']);
});

test('what stands in quotation marks is not corrected, and the others read as they are looked for', async () => {
  expect(await correctQuery(database.pool, '"square metras"')).toEqual({});
  const { corrected } = await correctQuery(database.pool, '"square metras" genia or "genia"');
  expect(corrected).toEqual({ from: '"square metras" genia or "genia"', to: '"square metras" genoa or "genia"' });
});

test('without anything to correct, nothing is; a query without a word is told', async () => {
  expect(await correctQuery(database.pool, 'zeppelin')).toEqual({});
  expect(await correctQuery(database.pool, 'the & !')).toEqual({
    warning: "There is no word to look for in 'the & !'.",
  });
});

test('side by side, batches with the same words neither block each other nor lose a word', async () => {
  const listings = await storeListings(
    { database },
    seller,
    Array.from({ length: 40 }, (_, index) => ({ title: `Spinnaker number ${index}` })),
  );
  await database.pool.query(`delete from search_words where word = 'spinnaker'`);
  const ids = listings.map(({ id }) => id);
  await Promise.all(
    Array.from({ length: 8 }, (_, index) => addToVocabulary(database.db, index % 2 === 0 ? ids : ids.toReversed())),
  );
  const { rows } = await database.pool.query(`select listings from search_words where word = 'spinnaker'`);
  expect(rows).toEqual([{ listings: 8 * 40 }]);
});
