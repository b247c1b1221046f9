import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { refreshSuggestionHeads } from '../../../workers/refresh-suggestions.ts';
import type { WorkerServices } from '../../../workers/services.ts';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { refreshSuggestions } from '../../../shared/search/suggest/refresh.ts';
import { foldAscii } from '../../../shared/search/suggest/text.ts';
import { VOCABULARY_TTL_MS } from '../../../shared/search/suggest/vocabulary.ts';
import { createSuggester } from '../../../shared/search/suggest/suggest.ts';
import { storeListings, type Fields, type StoredListing } from '../listings/search-fixture.ts';
import { waitFor } from '../../support/waiting.ts';

const titles = [
  ['Bavaria 46 Cruiser, one owner', 900],
  ['2019 Bavaria 46', 400],
  ['Bavaria 37', 50],
  ['Hallberg-Rassy 36 Mk II', 30],
  ['Élan Größe 450', 20],
  ['中古ヨット販売 46フィート', 10],
  ['바바리아 46 요트', 5],
  ['Trailer 100% galvanised_x', 1],
] as const;

describe.each(['nautical', 'general'] as const)('suggestions in the %s profile', (profile) => {
  let app: TestApp;
  let seller: TestUser;
  let listings: StoredListing[];

  const suggest = async (q: string, rest = ''): Promise<Json[]> => {
    const { status, body } = await app.as().get(`/api/search/suggest?q=${encodeURIComponent(q)}${rest}`);
    expect(status).toBe(200);
    expect(body.query).toBe(q);
    return body.suggestions;
  };
  const workerServices = () => ({ db: app.services.db }) as WorkerServices;
  const context = (signal: AbortSignal) => ({ signal, log: undefined as never, jobId: 'none', attempt: 0 });
  const titlesOf = async (q: string) =>
    (await suggest(q)).filter(({ type }) => type === 'listing').map(({ text }) => text);
  const store = (fields: Fields[]) =>
    storeListings(
      app,
      seller,
      fields.map((each) => ({ category_id: profile === 'nautical' ? 'cruising' : 'sailboats', ...each })),
    );

  beforeAll(async () => {
    app = await startApp({ profile });
    seller = await app.createUser();
    listings = await store(titles.map(([title]) => ({ title })));
    await app.database.pool.query(
      `insert into listing_views (listing_id, views) select * from unnest($1::text[], $2::bigint[])`,
      [listings.map(({ id }) => id), titles.map(([, views]) => views)],
    );
  });
  afterAll(() => app.close());
  beforeEach(() => app.services.cache.clear());

  test('titles that begin so, or a word in them, come with the most read first', async () => {
    expect(await titlesOf('bavaria')).toEqual(['Bavaria 46 Cruiser, one owner', '2019 Bavaria 46', 'Bavaria 37']);
    expect(await titlesOf('ba')).toEqual(['Bavaria 46 Cruiser, one owner', '2019 Bavaria 46', 'Bavaria 37']);
  });

  test('several words go together, the last of them unfinished', async () => {
    expect(await titlesOf('bavaria 4')).toEqual(['Bavaria 46 Cruiser, one owner', '2019 Bavaria 46']);
    expect(await titlesOf('Bavaria46')).toEqual(['Bavaria 46 Cruiser, one owner', '2019 Bavaria 46']);
    expect(await titlesOf('46 bavaria 20')).toEqual(['2019 Bavaria 46']);
    expect(await titlesOf('bavaria zz')).toEqual([]);
  });

  test('a model is found from its number or letter on', async () => {
    await store([{ title: 'Quester 275 SE' }, { title: 'Yonder Quester R 25' }]);
    expect(await titlesOf('275s')).toEqual(['Quester 275 SE']);
    expect(await titlesOf('r25')).toEqual(['Yonder Quester R 25']);
    expect(await titlesOf('25')).toContain('Yonder Quester R 25');
  });

  test.each([
    ['HALLBERG RASSY', 'Hallberg-Rassy 36 Mk II'],
    ['elan grosse', 'Élan Größe 450'],
    ['ELAN GRÖSSE', 'Élan Größe 450'],
    ['e\u0301lan', 'Élan Größe 450'],
    ['ヨット', '中古ヨット販売 46フィート'],
    ['中古ヨ', '中古ヨット販売 46フィート'],
    ['바바리', '바바리아 46 요트'],
    ['galvanised', 'Trailer 100% galvanised_x'],
  ])('letter case, accents and punctuation do not count, and every script is read: %s', async (q, title) => {
    expect(await titlesOf(q)).toContain(title);
  });

  test.each(['bavaira', 'bavatia 4', 'bavarria', 'vavaria', 'bavaia'])(
    'one wrong letter is forgiven: %s',
    async (q) => {
      expect(await titlesOf(q)).toContain('Bavaria 46 Cruiser, one owner');
    },
  );

  test.each(['cruiser bavatia', 'bavaira cruiser 46', 'hallbreg rasy', 'hallbergrassy', 'halberg rassy 3'])(
    'also in several words, in any order: %s',
    async (q) => {
      expect(await titlesOf(q)).toContain(
        q.startsWith('hal') ? 'Hallberg-Rassy 36 Mk II' : 'Bavaria 46 Cruiser, one owner',
      );
    },
  );

  test('two wrong letters, and one in a short word, are not', async () => {
    expect(await titlesOf('bovario')).toEqual([]);
    expect(await titlesOf('elxn')).toEqual([]);
  });

  test('a listing names its id and slug, a category its id and the names on the way to it', async () => {
    const [{ id, slug, title }] = listings as [StoredListing];
    expect(await suggest('bavaria')).toContainEqual({ type: 'listing', text: title, listing_id: id, slug });
    expect(await suggest('sailb')).toContainEqual(
      profile === 'nautical'
        ? { type: 'category', text: 'Sailboats', category_id: 'sailboats', category_path: ['Sailboats'] }
        : {
            type: 'category',
            text: 'Sailboats',
            category_id: 'sailboats',
            category_path: ['Vehicles', 'Boats', 'Sailboats'],
          },
    );
  });

  test('a mistyped category is found too', async () => {
    expect((await suggest('sailbaots'))[0]).toMatchObject({ type: 'category', category_id: 'sailboats' });
  });

  test('the same text is suggested once, as a category rather than as a listing', async () => {
    await store([{ title: 'SAILBOATS' }, { title: 'Twin hulls' }, { title: 'Twin  Hulls' }]);
    const texts = (await suggest('sailboats')).map(({ type, text }) => `${type} ${text}`);
    expect(texts).toContain('category Sailboats');
    expect(texts).not.toContain('listing SAILBOATS');
    expect(await titlesOf('twin hul')).toHaveLength(1);
  });

  test.each(['draft', 'paused', 'sold', 'expired', 'flagged', 'deleted'])(
    'a %s listing is not suggested',
    async (status) => {
      const [hidden] = (await store([{ title: `Quokka ${status}`, status }])) as [StoredListing];
      expect(await titlesOf('quokka')).toEqual([]);
      await app.database.pool.query(`update listings set status = 'active' where id = $1`, [hidden.id]);
      app.services.cache.clear();
      expect(await titlesOf('quokka')).toEqual([`Quokka ${status}`]);
      await app.database.pool.query(`update listings set status = $2 where id = $1`, [hidden.id, status]);
      app.services.cache.clear();
      expect(await titlesOf('quokka')).toEqual([]);
    },
  );

  test('a new title replaces the old one, and a removed listing leaves nothing behind', async () => {
    const [listing] = (await store([{ title: 'Wombat one' }])) as [StoredListing];
    await app.database.pool.query(`update listings set title = 'Numbat two' where id = $1`, [listing.id]);
    expect([await titlesOf('wombat'), await titlesOf('numbat')]).toEqual([[], ['Numbat two']]);
    await app.database.pool.query('delete from listings where id = $1', [listing.id]);
    const left = await app.database.pool.query('select from suggestion_titles where listing_id = $1', [listing.id]);
    expect(left.rowCount).toBe(0);
  });

  test('what is read more rises', async () => {
    const [low, high] = (await store([{ title: 'Echidna low' }, { title: 'Echidna high' }])) as [
      StoredListing,
      StoredListing,
    ];
    for (let visitor = 0; visitor < 9; visitor += 1)
      app.services.views.record(low.id, { network: `10.0.0.${visitor}` });
    app.services.views.record(high.id, { network: '10.0.0.1' });
    await app.services.views.flush();
    expect(await titlesOf('echidna')).toEqual(['Echidna low', 'Echidna high']);
    for (let visitor = 0; visitor < 40; visitor += 1)
      app.services.views.record(high.id, { network: `10.0.1.${visitor}` });
    await app.services.views.flush();
    app.services.cache.clear();
    expect(await titlesOf('echidna')).toEqual(['Echidna high', 'Echidna low']);
  });

  test('of a beginning that very many titles have, the most read are still first', async () => {
    const crowd = await store(Array.from({ length: 350 }, (_, index) => ({ title: `Okapi ${1_000 + index}` })));
    const popular = [crowd[340]!, crowd[20]!, crowd[200]!, crowd[100]!];
    await app.database.pool.query(
      `insert into listing_views (listing_id, views) select id, 5000 - 100 * n from unnest($1::text[]) with ordinality as t (id, n)`,
      [popular.map(({ id }) => id)],
    );
    const expected = popular.map(({ title }) => title);
    const expectFirst = async (titles: string[]) => {
      app.services.cache.clear();
      for (const q of ['ok', 'oka', 'okapi', 'okapi 1']) expect((await titlesOf(q)).slice(0, 4), q).toEqual(titles);
    };
    await expectFirst(expected);
    expect(await refreshSuggestions(app.services.db, 'titles')).toBeGreaterThan(0);
    await expectFirst(expected);
    await app.database.pool.query(`update listings set title = 'Giraffe' where id = $1`, [popular[0]!.id]);
    await app.database.pool.query(`update listings set status = 'sold' where id = $1`, [popular[1]!.id]);
    await app.database.pool.query(`update listings set title = 'Jirafa pequeña' where id = $1`, [popular[2]!.id]);
    app.services.cache.clear();
    for (const q of ['ok', 'okapi 1']) {
      const shown = await titlesOf(q);
      expect(shown[0]).toBe(expected[3]);
      expect(shown).toHaveLength(8);
      expect(shown).not.toContain('Giraffe');
      expect(shown).not.toContain('Jirafa pequeña');
      expect(shown).not.toContain(expected[1]);
    }
  });

  test('when most of what was kept ready for a beginning is gone, others with it are found', async () => {
    const crowd = await store(Array.from({ length: 60 }, (_, index) => ({ title: `Tapir ${100 + index}` })));
    await refreshSuggestions(app.services.db, 'titles');
    const ready = await app.database.pool.query<{ subjects: string[] }>(
      `select subjects from suggestion_heads where prefix = 'tapir 1'`,
    );
    const gone = ready.rows[0]!.subjects;
    await app.database.pool.query(`update listings set status = 'paused' where id = any($1)`, [gone]);
    const left = new Set(crowd.filter(({ id }) => !gone.includes(id)).map(({ title }) => title));
    const shown = await titlesOf('tapir');
    expect(shown).toHaveLength(8);
    expect(shown.every((title) => left.has(title))).toBe(true);
    await app.database.pool.query(`update listings set status = 'paused' where title like 'Tapir %'`);
    await expect(refreshSuggestionHeads(workerServices(), {}, context(AbortSignal.abort()))).rejects.toThrow('aborted');
    await refreshSuggestionHeads(workerServices(), {}, context(new AbortController().signal));
    const forgotten = await app.database.pool.query(`select from suggestion_heads where prefix like 'tapir%'`);
    expect(forgotten.rowCount).toBe(0);
  });

  test('a beginning that was asked for is found again when it has become crowded, was made ready, and is crowded no more', async () => {
    const ask = async () => {
      app.services.cache.clear();
      return titlesOf('dugong');
    };
    const few = ['Dugong one', 'Dugong three', 'Dugong two'];
    const expectFew = async () => {
      const shown = await ask();
      expect(new Set(shown)).toEqual(new Set(few));
    };
    await store(few.map((title) => ({ title })));
    await expectFew();
    await expectFew();
    const crowd = await store(Array.from({ length: 60 }, (_, index) => ({ title: `Dugong ${100 + index}` })));
    const best = crowd[30]!;
    await app.database.pool.query(`insert into listing_views (listing_id, views) values ($1, 9000)`, [best.id]);
    const expectCrowd = async () => {
      const shown = await ask();
      expect(shown).toHaveLength(8);
      expect(shown[0]).toBe(best.title);
    };
    await expectCrowd();
    await refreshSuggestions(app.services.db, 'titles');
    await expectCrowd();
    await expectCrowd();
    await app.database.pool.query(`update listings set status = 'paused' where title like 'Dugong 1%'`);
    await expectFew();
    await refreshSuggestions(app.services.db, 'titles');
    await expectFew();
    await expectFew();
  });

  test('at most `limit` are answered, eight by default, and every source has its share', async () => {
    await store(Array.from({ length: 12 }, (_, index) => ({ title: `Boats of the fleet ${index}` })));
    const all = await suggest('bo');
    expect(all).toHaveLength(8);
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(['category', 'listing']));
    expect(await suggest('bo', '&limit=10')).toHaveLength(10);
    expect(await suggest('bo', '&limit=1')).toHaveLength(1);
  });

  test.each(['q=b', 'q=', '', `q=${'x'.repeat(101)}`, 'q=boat&limit=0', 'q=boat&limit=11', 'q=boat&page=1', 'q=a%00b'])(
    '400 for %s',
    async (query) => {
      const { status, body } = await app.as().get(`/api/search/suggest?${query}`);
      expect([status, body.error.code]).toEqual([400, 'validation_error']);
    },
  );

  test.each([
    '%%',
    '__',
    '\\\\',
    `'"`,
    "'; drop table listings; --",
    '😀😀',
    '(((',
    '&|!:*',
    '  ',
    'a'.repeat(100),
    '.*',
    '?(',
  ])('nothing begins like %s', async (q) => {
    expect((await suggest(q)).filter(({ type }) => type === 'listing')).toEqual([]);
  });

  test.each(['ba%', 'ba_', '<ba>', '"ba', "ba'--", 'ba\\', 'ba😀'.slice(0, 2)])(
    'signs beside letters are nothing: %s',
    async (q) => {
      expect((await titlesOf(q)).slice(0, 1)).toEqual(['Bavaria 46 Cruiser, one owner']);
    },
  );

  test('an answer carries the rate limit, and its cache only where the profile has one', async () => {
    const limited = await startApp({ profile, database: app.database, env: { RATE_LIMIT_MULTIPLIER: '1' } });
    try {
      const ask = () => limited.as().get('/api/search/suggest?q=bavaria');
      const [first, second] = [await ask(), await ask()];
      expect(first.headers.get('x-ratelimit-limit')).toBe(profile === 'nautical' ? '200' : '100');
      expect(Number(second.headers.get('x-ratelimit-remaining'))).toBe(
        Number(first.headers.get('x-ratelimit-remaining')) - 1,
      );
      const cache = [first, second].map(({ headers }) => headers.get('x-cache'));
      expect(cache).toEqual(profile === 'nautical' ? ['MISS', 'HIT'] : [null, null]);
    } finally {
      await limited.close();
    }
  });
});

describe('in the nautical profile', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());
  const idsOf = async (query: string) => {
    const { body } = await app.as().get(`/api/search/suggest?${query}`);
    return body.suggestions.map(({ category_id }: Json) => category_id);
  };

  test.each([
    ['q=segel&lang=de', 'sailboats', 'Segelboote'],
    ['q=segel&lang=en', 'sailboats', 'Sailboats'],
    ['q=voiliers+de&lang=fr', 'cruising', 'Voiliers de croisière'],
    ['q=CROISIERE&lang=fr', 'cruising', 'Voiliers de croisière'],
    ['q=%E3%83%A8%E3%83%83%E3%83%88&lang=ja', 'sailboats', 'セーリングヨット'],
    ['q=yates&lang=en', 'yachts', 'Yachts'],
  ])('categories are named in the locale asked for (%s)', async (query, id, text) => {
    const { body, headers } = await app.as().get(`/api/search/suggest?${query}`);
    expect(body.suggestions).toContainEqual(expect.objectContaining({ type: 'category', category_id: id, text }));
    expect(headers.get('content-language')).toBe(/lang=(..)/.exec(query)?.[1]);
  });

  test('names that begin so come before names that hold the word, wider before narrower', async () => {
    const ids = await idsOf('q=sail');
    expect(ids[0]).toBe('sailboats');
    expect(ids.indexOf('cruising')).toBeGreaterThan(ids.indexOf('sailing-catamarans'));
  });

  test('a word that has just come is found as it was typed at once, in any order and mistyped within a minute', async () => {
    const find = createSuggester(app.database.pool);
    const start = new Date();
    const titlesAt = async (q: string, ms: number) => {
      const found = await find({ q, now: new Date(start.getTime() + ms), limit: 8, mayCorrect: true });
      return found.titles.map(({ title }) => title);
    };
    const orders = ['marabou heron', 'marabuo'];
    for (const q of orders) expect(await titlesAt(q, 0), q).toEqual([]);
    await storeListings(app, await app.createUser(), [{ title: 'Heron marabou 7' }]);
    expect(await titlesAt('heron marab', 1_000)).toEqual(['Heron marabou 7']);
    for (const q of orders) expect(await titlesAt(q, VOCABULARY_TTL_MS), q).toEqual(['Heron marabou 7']);
  });

  test('ASCII texts are brought into the form that the database compares', async () => {
    const character = fc.integer({ min: 1, max: 127 }).map((code) => String.fromCharCode(code));
    const texts = fc.sample(fc.string({ unit: fc.oneof(character, fc.constantFrom(...'a7 -')), maxLength: 60 }), 2_000);
    const { rows } = await app.database.pool.query<{ text: string }>(
      `select suggestion_text(text) as text from unnest($1::text[]) with ordinality as t (text, n) order by n`,
      [texts],
    );
    expect(texts.map(foldAscii)).toEqual(rows.map(({ text }) => text));
    expect(foldAscii('é')).toBeUndefined();
  });

  test('a listing that its owner pauses is gone within 5 s although the answer was kept', async () => {
    const owner = await app.createUser();
    const [listing] = (await storeListings(app, owner, [{ title: 'Pangolin 22 with trailer' }])) as [StoredListing];
    app.services.cache.clear();
    const ask = () => app.as().get('/api/search/suggest?q=pangolin');
    expect((await ask()).body.suggestions).toHaveLength(1);
    expect((await ask()).headers.get('x-cache')).toBe('HIT');
    const paused = await app.as(owner).patch(`/api/listings/${listing.id}`, { status: 'paused' });
    expect(paused.status).toBe(200);
    await waitFor(async () => expect((await ask()).body.suggestions).toEqual([]), 5_000);
  });
});
