import { replaceAt, sitesOf } from './arbitrary-mutation.ts';
import type { SchemaContext } from './arbitrary.ts';
import type { Case, FormPart, Parts } from './openapi-cases.ts';

/** A request that is large in one way: `text` and the like replace what a ready request has; made when it is sent. */
export type Hostile = { kind: string; label: string; change: () => Partial<Parts> };

/** Just below the 20,000 that a body may hold: what passes costs most. */
const ALLOWED = 19_000;
/** What the whole path of a text meets: runs that regular expressions come back to, escapes, wide characters, mail, links. */
const pieces = [
  'x',
  ', ',
  ',',
  ' ',
  '\n',
  'ü',
  '😀',
  'a@',
  'www.a.',
  '+49 ',
  '<b>',
  'A1',
  '\u0301',
  '-',
  '%',
  'Boat with new sails, afloat. ',
] as const;

const fill = (piece: string, bytes: number) => piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(piece))));
const fillEscaped = (piece: string, bytes: number) =>
  piece.repeat(Math.max(1, Math.floor(bytes / (Buffer.byteLength(JSON.stringify(piece)) - 2))));
const keys = (count: number, prefix = 'k') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 1]));

/** What one parser reads for all operations alike, each of them is sent a quarter of, by its turn. */
const isTurnOf = (index: number, turn: number) => (index + turn) % 4 === 0;

/** Bodies of the largest sizes, made of one that succeeds: by keys, items, depth and length, in every place of it. */
export function* hostileBodies(each: Case, turn: number, body: unknown, context: SchemaContext): Generator<Hostile> {
  const room = each.operation.bodyLimitBytes - JSON.stringify(body ?? {}).length - 100;
  const shapes: Record<string, () => string> = {
    'keys without end': () => JSON.stringify(keys(Math.floor(room / 12))),
    'lists in lists': () => '['.repeat(room / 2) + ']'.repeat(room / 2),
    'objects in objects': () => '{"a":'.repeat(room / 6) + '1' + '}'.repeat(room / 6),
    'a list of empty lists': () => `[${fill('[],', room)}[]]`,
    'an unfinished list': () => '['.repeat(room),
    'one number': () => '1'.repeat(room),
    blanks: () => ' '.repeat(room) + '{}',
    escapes: () => `"${fill(String.raw`\u00e9`, room)}"`,
  };
  const isOwnParser = each.operation.lenientBody;
  for (const [index, [label, make]] of Object.entries(shapes).entries())
    if (isOwnParser || isTurnOf(index, turn))
      yield { kind: isOwnParser ? label : 'a whole body', label, change: () => ({ text: make() }) };
  let texts = 0;
  for (const { path, value, schema } of sitesOf(body ?? {}, each.body?.schema, context)) {
    const place = `/${path.join('/')}`;
    const put = (kind: string, next: () => unknown, label = kind): Hostile => ({
      kind,
      label: `${label} at ${place}`,
      change: () => ({ body: replaceAt(body ?? {}, path, next()) }),
    });
    if (Array.isArray(value)) {
      yield put('items', () => Array.from({ length: ALLOWED }, (_, index) => index));
      yield put('texts', () => Array.from({ length: ALLOWED }, (_, index) => `x${index}`));
      const copies = Math.floor(ALLOWED / (1 + entriesOf(value[0])));
      yield put('copies of its first', () => Array.from({ length: copies }, () => value[0]));
    } else if (typeof value === 'object' && value !== null) {
      yield put('keys', () => ({ ...value, ...keys(ALLOWED) }));
      yield put('long keys', () => ({ ...value, ...keys(60, 'k'.repeat(Math.floor(room / 60) - 20)) }));
    } else if (typeof value === 'string') {
      const most = schema?.maxLength;
      for (const piece of pieces.filter((_, index) => path.length === 0 || (index + texts) % 4 === 0)) {
        const quoted = JSON.stringify(piece);
        yield put('without end', () => fillEscaped(piece, room), `${quoted} without end`);
        if (most)
          yield put(
            'as long as it may be',
            () => [...fill(piece, most * 4)].slice(0, most - 1).join('') + '!',
            `${most} characters of ${quoted}`,
          );
      }
      texts += 1;
    }
  }
}

const entriesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, item) => sum + 1 + entriesOf(item), 0)
    : 0;

/** Queries as long as HTTP lets through: of each name one of four, by turns. */
export function* hostileQueries(each: Case, turn: number): Generator<Hostile> {
  const names = [...each.operation.queryNames, 'attr', 'x'];
  const some = names.filter((_, index) => index < 2 || index >= names.length - 2);
  const query = (label: string, pairs: [string, string][]): Hostile => ({
    kind: 'a query',
    label,
    change: () => ({ query: pairs }),
  });
  for (const [index, name] of some.entries()) {
    const shapes = [
      () =>
        query(
          `?${name} again and again`,
          Array.from({ length: 12_000 / (name.length + 3) }, () => [name, '1']),
        ),
      () => query(`?${name} with brackets`, [[`${name}${'[a]'.repeat(1_500)}`, '1']]),
      () => query(`?${name} long`, [[name, fill('a,', 12_000)]]),
      () => query(`?${name} of signs`, [[name, fill('" -', 3_000)]]),
    ];
    for (const [shape, make] of shapes.entries()) if (isTurnOf(shape + index, turn)) yield make();
  }
  yield query(
    'names without end',
    Array.from({ length: 1_600 }, (_, index) => [`p${index}`, '1']),
  );
  yield query(
    'attr without end',
    Array.from({ length: 900 }, (_, index) => [`attr[a${index}]`, '1']),
  );
}

/** Headers as long as HTTP lets through. */
export function* hostileHeaders(): Generator<Hostile> {
  const headers = (label: string, sent: Record<string, string>): Hostile => ({
    kind: 'headers',
    label,
    change: () => ({ headers: sent }),
  });
  for (const name of [
    'Accept',
    'Accept-Language',
    'If-None-Match',
    'Authorization',
    'X-Forwarded-For',
    'Cookie',
    'Prefer',
    'User-Agent',
    'X-Request-Id',
    'Idempotency-Key',
  ]) {
    yield headers(`${name} of commas`, { [name]: fill('a,', 14_000) });
    yield headers(`${name} of blanks`, { [name]: `a${' '.repeat(14_000)}b` });
    yield headers(`${name} of weights`, { [name]: fill('en-GB;q=0.5,', 14_000) });
  }
  yield headers(
    'headers without end',
    Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`h${index}`, '1'])),
  );
}

/** Forms of many parts, long names and large files. */
export function* hostileForms(each: Case): Generator<Hostile> {
  const { form } = each.operation;
  if (!form) return;
  const [file = 'file'] = form.files.keys();
  const send = (label: string, parts: () => FormPart[]): Hostile => ({
    kind: label,
    label,
    change: () => ({ form: parts() }),
  });
  const many = (count: number, make: (index: number) => FormPart) => Array.from({ length: count }, (_, i) => make(i));
  yield send('texts without end', () => many(20_000, (index) => ({ name: `t${index}`, text: 'x' })));
  yield send('files without end', () => many(5_000, () => ({ name: file, bytes: Buffer.from('x') })));
  yield send('a long text', () => [{ name: 'alt', text: 'x'.repeat(8_000_000) }]);
  yield send('a long name', () => [{ name: 'n'.repeat(1_000_000), text: 'x' }]);
  yield send('a long file name', () => [{ name: file, bytes: Buffer.from('x'), fileName: 'n'.repeat(15_000) }]);
  yield send('brackets', () => [{ name: `a${'[a]'.repeat(30)}`, text: 'x' }]);
  yield send('a file of the largest size', () => [{ name: file, bytes: Buffer.alloc(form.maxFileBytes, 0xff) }]);
  yield send('a file of line breaks', () => [{ name: file, bytes: Buffer.alloc(form.maxFileBytes, '\r\n--') }]);
}

type Batch = { kind: string; label: string; records: HeavyRecord[] };
type HeavyRecord = { url: string; long_description?: string; [field: string]: unknown };

/** Batches of records that are all taken in, as heavy as a body of 10 MiB can be. */
export function* heavyBatches(): Generator<Batch> {
  const batch = (label: string, count: number, make: (index: number) => Omit<HeavyRecord, 'url'>, kind = label) => ({
    kind,
    label,
    records: Array.from({ length: count }, (_, index) => ({
      url: `https://boats.example.com/${encodeURIComponent(label)}/${index}`,
      title: `Bavaria 37 Cruiser number ${index}`,
      ...make(index),
    })),
  });
  yield batch('500 records of 90 raw fields', 500, (index) => ({
    raw_record: Object.fromEntries(
      Array.from({ length: 90 }, (_, i) => [`field ${i}`, `${'value '.repeat(20)}${index}`]),
    ),
  }));
  for (const piece of [',', ' ', 'a, ', 'www.a.', 'ü', 'Boat with new sails. '])
    yield batch(
      `500 descriptions of ${piece}`,
      500,
      () => ({ description: `Well kept. ${fill(piece, 18_000)}.` }),
      'descriptions',
    );
  yield batch('50 long descriptions', 50, () => ({ long_description: fill('Boat, afloat. ', 190_000) }));
  yield batch('500 records of 90 images', 500, (index) => ({
    images: Array.from({ length: 90 }, (_, i) => `https://images.example.com/${'x'.repeat(150)}/${index}/${i}.jpg`),
  }));
  yield batch('a raw record of one text', 1, () => ({ raw_record: { html: fill('<p>Bücher</p>\n', 9_000_000) } }));
}
