import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LESS, renderSnippet, renderTitle, START, STOP } from '../../../shared/search/highlight.ts';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from './search-fixture.ts';

let app: TestApp;
let seller: TestUser;
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser();
  const filler = 'Nothing else is to be said of her. '.repeat(60);
  await storeListings(app, seller, [
    { title: 'Bavaria 37 Cruiser', description: `${filler} She has sailed, and her sails are new. ${filler}` },
    { title: 'Tender & <b>outboard</b>', description: `<script>alert("x")</script> An outboard of 6 hp & oars.` },
    { title: 'Sail boat from Kiel', description: 'A boat with a new engine, well kept and ready to leave.' },
    {
      title: 'ヨット バババリア 37',
      description: 'きれいなヨットです。いつでも見に来てください。ヨットハーバーにあります。',
    },
    {
      title: 'Plain dinghy',
      description: `${START} outboard ${STOP} and ${LESS}mark> are no marks of ours, whoever wrote them.`,
    },
  ]);
});
afterAll(() => app.close());

const search = async (query: string): Promise<Json[]> => {
  const { status, body } = await app.as().get(`/api/listings?highlight=true&${query}`);
  expect(status).toBe(200);
  return body.results;
};
const marked = (html: string) => [...html.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, word]) => word);
const isSafe = (html: string) => !/[<>]/.test(html.replaceAll(/<\/?mark>/g, ''));

describe('highlights', () => {
  test('mark the words in the title, and in the part of the text that has them', async () => {
    const [{ highlight }] = (await search('q=bavaria+sails')) as [Json];
    expect(highlight.title).toBe('<mark>Bavaria</mark> 37 Cruiser');
    expect(marked(highlight.snippet)).toContain('sails');
    expect(highlight.snippet.length).toBeLessThanOrEqual(600);
  });

  test('mark other forms of a word, which were found as well', async () => {
    const boat = (await search('q=sailing')).find(({ title }) => title.startsWith('Bavaria'));
    expect(marked(boat?.highlight.snippet)).toEqual(expect.arrayContaining(['sailed', 'sails']));
  });

  test('mark what a mistyped word was corrected to', async () => {
    const [{ highlight }] = (await search('q=bavarai')) as [Json];
    expect(marked(highlight.title)).toEqual(['Bavaria']);
  });

  test('mark synonyms', async () => {
    const found = await search('q=sailboat');
    expect(found.map(({ highlight }) => marked(highlight.title))).toEqual([['Sail', 'boat']]);
  });

  test('mark words in scripts without spaces', async () => {
    const [{ highlight }] = (await search('q=ヨット')) as [Json];
    expect(marked(highlight.title)).toEqual(['ヨット']);
    expect(marked(highlight.snippet)[0]).toBe('ヨット');
  });

  test('escape everything else, whatever a seller has written', async () => {
    const rows = await search('q=outboard');
    expect(rows).toHaveLength(2);
    for (const { highlight } of rows) {
      expect(isSafe(highlight.title) && isSafe(highlight.snippet)).toBe(true);
      expect(marked(highlight.snippet)).toEqual(['outboard']);
    }
    const tender = rows.find(({ title }) => title.startsWith('Tender'))!;
    expect(tender.highlight.title).toBe('Tender &amp; &lt;b&gt;<mark>outboard</mark>&lt;/b&gt;');
    expect(tender.highlight.snippet).toContain('script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
  });

  test('do not mark what was excluded', async () => {
    const [{ highlight }] = (await search(`q=${encodeURIComponent('bavaria -outboard')}`)) as [Json];
    expect(marked(highlight.title)).toEqual(['Bavaria']);
  });

  test('are not there unless asked for, nor without words', async () => {
    const { body } = await app.as().get('/api/listings?q=bavaria');
    expect(body.results[0].highlight).toBeUndefined();
    expect((await search('sort=newest')).filter(({ highlight }) => highlight !== undefined)).toEqual([]);
  });

  test('are a field that can be asked for alone', async () => {
    const [row] = (await search('q=bavaria&fields=highlight')) as [Json];
    expect(Object.keys(row).toSorted()).toEqual(['highlight', 'id']);
  });

  test('are of the text that is shown, in the locale of the reader', async () => {
    const [{ id }] = (await search('q=bavaria')) as [Json];
    await app.database.pool.query(
      `insert into listing_rewrites (listing_id, locale, status, title, description, source_hash, updated_at)
       values ($1, 'de', 'completed', 'Bavaria 37, ein Kreuzer', 'Eine Bavaria mit neuen Segeln, gepflegt und bereit.', 'x'::bytea, now())`,
      [id],
    );
    app.services.cache.clear();
    const [{ highlight }] = (await search('q=bavaria&lang=de')) as [Json];
    expect(highlight.title).toBe('<mark>Bavaria</mark> 37, ein Kreuzer');
    expect(highlight.snippet).toContain('Eine <mark>Bavaria</mark> mit');
  });

  test('page after page, a cursor goes on whether or not they are asked for', async () => {
    const first = await app.as().get('/api/listings?q=outboard&limit=1&highlight=true');
    const { status } = await app
      .as()
      .get(`/api/listings?q=outboard&limit=1&cursor=${first.body.pagination.next_cursor}`);
    expect(status).toBe(200);
  });

  test('400 for what is neither true nor false', async () => {
    expect((await app.as().get('/api/listings?q=x&highlight=yes')).status).toBe(400);
  });
});

test('a snippet is at most 600 characters of well-formed markup, whatever is marked in whatever text', () => {
  const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(START, STOP, LESS, '&', '<', '"', 'word '));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
      const snippet = renderSnippet(pieces.join(''));
      expect(snippet.length).toBeLessThanOrEqual(600);
      for (const html of [snippet, renderTitle(pieces.join(''))]) {
        expect(isSafe(html)).toBe(true);
        expect(html.replaceAll(/<mark>(?:(?!<\/?mark>)[\s\S])*<\/mark>/g, '')).not.toMatch(/<\/?mark>/);
      }
    }),
  );
});
