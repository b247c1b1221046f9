import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { feedTextOf, type FeedNode } from '../../../shared/feeds/paths.ts';
import { openMarine, readAll } from './support.ts';

/** The items without what only the parser needs. */
const plain = (node: FeedNode): object => JSON.parse(JSON.stringify({ ...node, '..': undefined }));
const nodes = async (file: Buffer | string, options?: Parameters<typeof readAll>[1]) => {
  const { items, error } = await readAll(file, options);
  if (error) throw error;
  return items.map((item) => ('node' in item ? plain(item.node) : item));
};
const textsOf = (items: object[], name: string) =>
  items.map((item) => [(item as FeedNode)[name] ?? []].flat().map(feedTextOf).join());

describe('CSV', () => {
  test.each([
    ['commas', 'url,title\nhttps://a.example/1,"One, two"\nhttps://a.example/2,Two\n'],
    ['semicolons', 'url;title\r\nhttps://a.example/1;One, two\r\nhttps://a.example/2;Two\r\n'],
    ['tabs', 'url\ttitle\nhttps://a.example/1\tOne, two\nhttps://a.example/2\tTwo'],
    ['bars', '"url"|"title"\nhttps://a.example/1|One, two\nhttps://a.example/2|Two'],
    ['a byte order mark', '\ufeffurl,title\nhttps://a.example/1,"One, two"\nhttps://a.example/2,Two\n'],
  ])('a table with %s is read by its header', async (_what, file) => {
    const items = await nodes(file);
    expect(items).toEqual([
      { url: 'https://a.example/1', title: 'One, two' },
      { url: 'https://a.example/2', title: 'Two' },
    ]);
  });

  test('names of columns have one spelling: small letters, underscores for blanks', async () => {
    expect(await nodes('Asking Price,Image-Link\n1,2\n')).toEqual([{ asking_price: '1', image_link: '2' }]);
  });

  test('a row with another number of columns fails alone', async () => {
    const items = await nodes('url,title\na,1\nb,2,3\nc,4\n');
    expect(items).toEqual([
      { url: 'a', title: '1' },
      { problem: 'The row has 3 columns, its header 2.' },
      { url: 'c', title: '4' },
    ]);
  });

  test.each([
    ['in the middle of a row', 'url,title,price\na,1,2\nb,3', 'The CSV ends in the middle of a row.'],
    ['in a quoted text', 'url,title\na,1\nb,"3', 'it ends in the middle of a quoted text'],
  ])('a table that ends %s is not complete; the rows before are read', async (_what, file, message) => {
    const { items, error } = await readAll(file);
    expect(items.length).toBeGreaterThan(0);
    expect(error?.message).toContain(message);
  });

  test('windows-1252 is read where a table is no UTF-8, and what its Content-Type names', async () => {
    expect(textsOf(await nodes(Buffer.from('url,title\na,M\xf6we\n', 'latin1')), 'title')).toEqual(['Möwe']);
    const cyrillic = Buffer.from([...Buffer.from('url,title\na,'), 0xcc, 0xee, 0xf0, 0xe5, 0x0a]);
    const items = await nodes(cyrillic, { contentType: 'text/csv; charset=windows-1251' });
    expect(textsOf(items, 'title')).toEqual(['Море']);
  });
});

describe('JSON', () => {
  const boats = [
    { url: 'a', price: 1 },
    { url: 'b', price: null, tags: ['x', 'y'], place: { city: 'Kiel' } },
  ];
  const read = [
    { url: ['a'], price: ['1'] },
    { url: ['b'], price: [], tags: ['x', 'y'], place: [{ city: ['Kiel'] }] },
  ];

  test.each([
    ['an array', JSON.stringify(boats), {}],
    ['an object with an array in it', JSON.stringify({ total: 2, meta: { page: 1 }, boats }), {}],
    ['an array that is named', JSON.stringify({ a: [{ no: 1 }], data: { boats } }), { items: ['data/boats'] }],
    ['JSON Lines', boats.map((boat) => JSON.stringify(boat)).join('\n'), {}],
    ['indented JSON', JSON.stringify(boats, null, 2), {}],
  ])('%s', async (_what, file, options) => {
    expect(await nodes(file, options)).toEqual(read);
  });

  test.each([
    ['an array that is cut off', JSON.stringify(boats).slice(0, -20)],
    ['JSON Lines that are cut off', `${JSON.stringify(boats[0])}\n{"url": "b", "pri`],
    ['no JSON', '[{"url": "a", "price": 1}, {url: b}]'],
  ])('%s is not complete; what stands before is read', async (_what, file) => {
    const { items, error } = await readAll(file);
    expect(items).toHaveLength(1);
    expect(error?.message).toMatch(/^The JSON cannot be read/);
  });

  test('an item that is no object fails alone', async () => {
    expect(await nodes('[1, {"url": "a"}]')).toEqual([{ problem: 'The item is no object.' }, { url: ['a'] }]);
  });
});

describe('XML', () => {
  test('items are found by their path, with attributes, qualified and local names', async () => {
    const file = `<r:feed xmlns:r="urn:r" xmlns:g="urn:g"><r:entry id="7"><g:price unit="EUR">5</g:price><name>A &lt; B<![CDATA[ & C]]></name></r:entry></r:feed>`;
    const price = [{ '@unit': 'EUR', '#': '5' }];
    expect(await nodes(file, { items: ['feed/entry'] })).toEqual([
      { '@id': '7', price, 'g:price': price, name: [{ '#': 'A < B & C' }] },
    ]);
  });

  test.each([
    ['utf-16le', Buffer.from('\ufeff<a><i>Möwe</i></a>', 'utf16le')],
    [
      'the encoding of its declaration',
      Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a><i>M\xf6we</i></a>', 'latin1'),
    ],
    ['gzip', gzipSync('<a><i>Möwe</i></a>')],
  ])('%s is decoded', async (_what, file) => {
    expect(await nodes(file, { items: ['a/i'] })).toEqual([{ '#': 'Möwe' }]);
  });

  test('a bare ampersand spoils no more than itself', async () => {
    expect(await nodes('<a><i>Salt & Sons</i><i>B</i></a>', { items: ['a/i'] })).toEqual([
      { '#': 'Salt & Sons' },
      { '#': 'B' },
    ]);
  });

  test.each([
    ['is cut off', openMarine.subarray(0, 3_000), 'The XML ends before <open_marine><broker>'],
    ['is cut off in a gzip file', gzipSync(openMarine).subarray(0, 900), 'damaged or cut off'],
    [
      'closes another element',
      Buffer.from('<open_marine><broker><adverts><advert ref="1"/></broker></open_marine>'),
      'not well-formed',
    ],
    ['is an HTML page', Buffer.from('<!DOCTYPE html><html><body>Log in</body></html>'), 'This is an HTML page'],
    ['is empty', Buffer.from(' \n'), 'The feed is empty.'],
  ])('a feed that %s says so', async (_what, file, message) => {
    const { error } = await readAll(file, { items: ['open_marine/broker/adverts/advert'] });
    expect(error?.message).toContain(message);
    expect(error?.constructor.name).toBe('FeedBroken');
  });

  test('entities of a DOCTYPE are neither fetched nor expanded', async () => {
    const bomb = `<!DOCTYPE a [<!ENTITY x "${'y'.repeat(1_000)}"><!ENTITY z "&x;&x;&x;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
    expect(await nodes(`${bomb}<a><i>&z;&f;</i></a>`, { items: ['a/i'] })).toEqual([{ '#': '&z;&f;' }]);
  });

  test('an item that is too large fails alone, and costs no memory', async () => {
    const file = `<a><i>${'x'.repeat(5_000_000)}</i><i>B</i></a>`;
    expect(await nodes(file, { items: ['a/i'] })).toEqual([
      { problem: 'The item has more than 4194304 characters.' },
      { '#': 'B' },
    ]);
  });

  test('nesting without an end is refused', async () => {
    const { error } = await readAll('<a>'.repeat(200), { items: ['a'] });
    expect(error?.message).toContain('nested deeper');
  });
});
