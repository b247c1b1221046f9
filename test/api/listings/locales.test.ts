import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import { startApp, type Reply, type TestApp } from '../../support/app.ts';
import { storeListings } from './search-fixture.ts';

const nautical = profileOf('nautical');

const original = { title: 'Hallberg-Rassy 36', description: 'A comfortable cruiser for long distances.' };
const rewrites = [
  ['de', 'completed', 'Hallberg-Rassy 36, gepflegt', 'Eine komfortable Fahrtenyacht.'],
  ['fr', 'completed', null, 'Un voilier confortable pour la croisière.'],
  ['es', 'pending', 'Velero', 'Un velero cómodo.'],
  ['it', 'failed', 'Barca', 'Una barca comoda.'],
  ['ja', 'completed', '船', null],
  ['ko', 'processing', '배', '편안한 배.'],
];
/** What each locale reads: the rewritten text once it is completed, the original in the language it was written in otherwise. */
const expected: Record<string, { language: string; title: string; description: string }> = {
  en: { language: 'en', ...original },
  de: { language: 'de', title: 'Hallberg-Rassy 36, gepflegt', description: 'Eine komfortable Fahrtenyacht.' },
  fr: { language: 'fr', title: original.title, description: 'Un voilier confortable pour la croisière.' },
  es: { language: 'en', ...original },
  it: { language: 'en', ...original },
  ja: { language: 'en', ...original },
  ko: { language: 'en', ...original },
};

let app: TestApp;
let id: string;

async function storeRewritten(of: TestApp, category_id: string): Promise<string> {
  const [stored] = await storeListings(of, await of.createUser(), [{ ...original, category_id }]);
  for (const [locale, status, title, description] of rewrites) {
    await of.database.pool.query(
      'insert into listing_rewrites (listing_id, locale, status, title, description, updated_at) values ($1, $2, $3, $4, $5, now())',
      [stored!.id, locale, status, title, description],
    );
  }
  return stored!.id;
}

describe('nautical', () => {
  beforeAll(async () => {
    app = await startApp();
    id = await storeRewritten(app, 'cruising');
  });
  beforeEach(() => app.services.cache.clear());
  afterAll(() => app.close());

  const locales = nautical.locales;
  const categoryIn = (locale: string) => app.services.catalog.localizedName('cruising', locale);
  /** The texts of an answer of any of the four kinds. */
  const textsOf = ({ body, text }: Reply<never>) => {
    const answer = body as { results?: (typeof original & { category: { name: string } })[] } | undefined;
    const listing = answer?.results?.[0] ?? (answer as (typeof original & { category: { name: string } }) | undefined);
    return listing ? [listing.title, listing.description, listing.category.name].join('\n') : text;
  };

  test('every category has a name in each of the seven locales', () => {
    expect(locales).toEqual(['en', 'es', 'fr', 'de', 'it', 'ko', 'ja']);
    for (const { names } of app.services.catalog.flat())
      expect(Object.keys(names).toSorted()).toEqual([...locales].toSorted());
  });

  test.each(locales)('%s is served in detail, list and both kinds of Markdown', async (locale) => {
    const { language, title, description } = expected[locale]!;
    for (const [path, contentLanguage] of [
      [`/api/listings/${id}`, language],
      [`/api/listings/${id}.md`, language],
      ['/api/listings', locale],
      ['/api/listings.md', locale],
    ] as const) {
      for (const answer of [
        await app.as().get<never>(`${path}?lang=${locale}`, { headers: { 'Accept-Language': 'it' } }),
        await app.as().get<never>(path, { headers: { 'Accept-Language': `zh, ${locale}-XX;q=0.8, it;q=0.3` } }),
      ]) {
        expect(answer.headers.get('content-language')).toBe(contentLanguage);
        expect(answer.headers.get('vary')).toBe('Accept-Language, Accept, Accept-Encoding');
        for (const text of [title, description, categoryIn(locale)]) expect(textsOf(answer)).toContain(text);
      }
    }
  });

  test.each<[string, Record<string, string>, string]>([
    ['', {}, 'en'],
    ['', { 'Accept-Language': '*' }, 'en'],
    ['', { 'Accept-Language': 'pt-BR, zh;q=0.9' }, 'en'],
    ['', { 'Accept-Language': ';;q=,' }, 'en'],
    ['', { 'Accept-Language': 'de-CH' }, 'de'],
    ['', { 'Accept-Language': 'en;q=0.4, fr;q=0.9, de;q=0.8' }, 'fr'],
    ['?lang=FR-ca', { 'Accept-Language': 'de' }, 'fr'],
    ['?lang=pt', { 'Accept-Language': 'de' }, 'en'],
  ])('%s %j reads %s', async (query, headers, locale) => {
    const { body } = await app.as().get(`/api/listings/${id}${query}`, { headers });
    expect([body.title, body.description]).toEqual([expected[locale]!.title, expected[locale]!.description]);
  });

  test.each(['?lang=', '?lang=x', '?lang=de%20fr', '?lang[]=de', '?lang=de&lang=fr'])(
    '400 for %s, which is no locale at all',
    async (query) => {
      const { status, body } = await app.as().get(`/api/listings/${id}${query}`);
      expect([status, body.error.code]).toEqual([400, 'validation_error']);
    },
  );

  test('what is kept for one locale or format is never given for another', async () => {
    const asked = locales.flatMap((locale) =>
      ['application/json', 'text/markdown'].flatMap((Accept) =>
        [`/api/listings/${id}`, '/api/listings', `/api/listings/${id}.md`, '/api/listings.md'].map((path) => ({
          path,
          headers: { 'Accept-Language': locale, Accept },
          locale,
          isMarkdown: path.endsWith('.md') || Accept === 'text/markdown',
        })),
      ),
    );
    const first = await Promise.all(asked.map(async ({ path, headers }) => app.as().get<never>(path, { headers })));
    const second = await Promise.all(asked.map(async ({ path, headers }) => app.as().get<never>(path, { headers })));
    for (const [index, { locale, isMarkdown, path }] of asked.entries()) {
      const answer = second[index]!;
      expect([path, answer.headers.get('x-cache')]).toEqual([path, 'HIT']);
      expect(answer.headers.get('content-type')).toBe(
        isMarkdown ? 'text/markdown; charset=utf-8' : 'application/json; charset=utf-8',
      );
      expect(answer.text).toBe(first[index]?.text);
      expect(answer.headers.get('content-language')).toBe(first[index]?.headers.get('content-language'));
      expect(textsOf(answer)).toContain(expected[locale]!.description);
      expect(textsOf(answer)).toContain(categoryIn(locale));
    }
  });

  test('a caller with a session reads its locale too', async () => {
    const { body, headers } = await app.as(await app.createUser()).get(`/api/listings/${id}?lang=de`);
    expect([body.title, headers.get('content-language')]).toEqual([expected['de']!.title, 'de']);
  });

  test.each(['/api/categories', '/api/categories/flat', '/api/categories/cruising'])(
    '%s has names of the locale',
    async (path) => {
      const { text, headers } = await app.as().get(path, { headers: { 'Accept-Language': 'ja' } });
      expect(text).toContain(categoryIn('ja'));
      expect([headers.get('content-language'), headers.get('vary')]).toEqual([
        'ja',
        'Accept-Language, Accept-Encoding',
      ]);
    },
  );

  test('an error is JSON whatever was asked for', async () => {
    for (const [path, Accept] of [
      ['/api/listings/no-such-thing.md', '*/*'],
      ['/api/listings/no-such-thing', 'text/markdown'],
      ['/api/listings.md?page=0', 'text/markdown'],
    ] as const) {
      const { status, headers, body } = await app.as().get(path, { headers: { Accept } });
      expect([path, status]).toEqual([path, path.includes('page') ? 400 : 404]);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(body.error.code).toBe(path.includes('page') ? 'validation_error' : 'not_found');
    }
  });
});

test('general speaks English only, and says in which language a listing is written', async () => {
  const general = await startApp({ profile: 'general' });
  try {
    const listing = await storeRewritten(general, 'sailboats');
    await general.database.pool.query("update listings set language = 'sv' where id = $1", [listing]);
    for (const query of ['', '?lang=de', '?lang=fr']) {
      const { body, headers } = await general.as().get(`/api/listings/${listing}${query}`, {
        headers: { 'Accept-Language': 'de' },
      });
      expect([body.title, body.description, headers.get('content-language')]).toEqual([
        ...Object.values(original),
        'sv',
      ]);
      expect(headers.get('vary')).toBe('Accept-Language, Accept, Accept-Encoding');
      expect(headers.get('x-cache')).toBeNull();
    }
    const list = await general.as().get('/api/listings?lang=ja');
    expect([list.body.results[0].title, list.headers.get('content-language')]).toEqual([original.title, 'en']);
  } finally {
    await general.close();
  }
});
