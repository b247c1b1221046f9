import { dictionary, shortDictionary } from './arbitrary-dictionary.ts';
import { changesAt, encodeJson, sitesOf } from './arbitrary-mutation.ts';
import type { JsonSchema, SchemaContext } from './arbitrary.ts';
import { fitsHeader, type Case, type Parts } from './openapi-cases.ts';

/**
 * A request with one thing changed, and a name for it. `refusedBy` holds the statuses of which one must come, when the
 * change breaks the contract for certain; undefined where the schema decides, or where more than one reading is right.
 */
export type Changed = { parts: Parts; label: string; refusedBy: number[] | undefined };
type Change = (each: Case, parts: Parts, context: SchemaContext, where: number, what: number) => Changed;

const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
};

/** Changes the JSON body in one place. */
export const bodyChange: Change = (each, parts, context, where, what) => {
  const sites = sitesOf(parts.body ?? {}, each.body?.schema, context);
  const { label, apply } = at(changesAt(at(sites, where)), what);
  return { parts: { ...parts, body: apply(parts.body ?? {}) }, label, refusedBy: undefined };
};

/** Sends a body that is not quite JSON, or JSON that is not quite a body. */
export const rawChange: Change = (_, parts, __, where, what) => {
  const json = encodeJson(parts.body ?? {});
  const bodies: [string, string | Buffer][] = [
    ['no body', ''],
    ['half a body', json.slice(0, Math.floor(json.length / 2))],
    ['two bodies', json + json],
    ['a body in a list', `[${json}]`],
    ['a trailing comma', json.replace(/\}$/, ',}')],
    ['every key twice', json.replace(/^\{(.*)\}$/s, '{$1,$1}')],
    ['a byte order mark', `\ufeff${json}`],
    ['null', 'null'],
    ['a number', '1e400'],
    ['a text', '"text"'],
    ['bytes that are no UTF-8', Buffer.from([...Buffer.from(json.slice(0, -1)), 0xc3, 0x28, 0x7d])],
    ['zeros', Buffer.alloc(64)],
    ['33 levels', `${'[{"a":'.repeat(17)}1${'}]'.repeat(17)}`],
    ['5,000 levels', '['.repeat(5_000) + ']'.repeat(5_000)],
    ['single quotes', json.replaceAll('"', "'")],
  ];
  const [label, text] = at(bodies, where + what);
  return { parts: { ...parts, text }, label, refusedBy: undefined };
};

/** Changes one query parameter, or adds one that does not exist. */
export const queryChange: Change = (each, parts, _, where, what) => {
  const known = each.parameters.filter((parameter) => parameter.in === 'query');
  const parameter = where % (known.length + 1) < known.length ? at(known, where) : undefined;
  if (!parameter) {
    const [label, name] = at(
      [['unknown', 'x_unknown'] as const, ...shortDictionary.filter(([, text]) => text.length < 100)],
      what,
    );
    const refused = name === 'x_unknown' && !each.operation.toleratesUnknownQuery;
    return {
      parts: { ...parts, query: [...parts.query, [name, '1']] },
      label: `a parameter named ${label}`,
      refusedBy: refused ? [400] : undefined,
    };
  }
  const { name, schema } = parameter;
  const others = parts.query.filter(([own]) => own !== name && !own.startsWith(`${name}[`));
  const broken = brokenValues(schema).map((value) => ({ entries: [[name, value]], refused: true }));
  const odd = [
    ...shortDictionary.map(([, text]) => text),
    '1',
    '0',
    '01',
    '1e3',
    ' 1',
    '+1',
    'true',
    'TRUE',
    'a,b',
  ].map((value) => ({ entries: [[name, value]], refused: false }));
  const shapes = [
    [
      [name, '1'],
      [name, '2'],
    ],
    [[`${name}[]`, '1']],
    [[`${name}[a]`, '1']],
    [
      [`${name}[a][b]`, '1'],
      [`${name}[__proto__]`, '2'],
    ],
    [
      [`${name}[`, '1'],
      [`${name}]`, '2'],
    ],
    Array.from({ length: 1_100 }, (_, i) => [`${name}[k${i}]`, '']),
  ].map((entries) => ({ entries, refused: false }));
  const { entries, refused } = at([...broken, ...odd, ...shapes], what);
  return {
    parts: { ...parts, query: [...others, ...(entries as [string, string][])] },
    label: `${name}=${JSON.stringify(entries[0]?.[1]).slice(0, 60)}`,
    refusedBy: refused ? [400] : undefined,
  };
};

/** Texts that are no value of that schema, by any reading. */
export function brokenValues({ type, enum: values, pattern, maxLength, minimum, maximum }: JsonSchema): string[] {
  if (values)
    return ['x_unknown', String(values[0]).toUpperCase() + '_', `${String(values[0])},${String(values.at(-1))}`];
  if (type === 'boolean') return ['yes', '2', 'nil', 'truefalse'];
  if (type === 'integer' || type === 'number') {
    return [
      'abc',
      '--1',
      '1,2',
      'NaN',
      'Infinity',
      '1e400',
      ...(type === 'integer' ? ['1.5'] : []),
      ...[minimum, maximum].flatMap((limit, i) => (limit === undefined ? [] : [String(limit + (i === 0 ? -1 : 1))])),
    ];
  }
  if (type !== 'string') return [];
  const unfit =
    pattern === undefined
      ? []
      : ['\u00e9\u00e9', 'a b', '!'.repeat(4)].filter((text) => !new RegExp(pattern, 'u').test(text));
  return [...unfit, ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)])];
}

/** Puts a hostile text into the path. */
export const pathChange: Change = (each, parts, _, where, what) => {
  const { name, schema } = at(
    each.parameters.filter((parameter) => parameter.in === 'path'),
    where,
  );
  const texts: [string, string][] = [
    ...shortDictionary,
    ['121 letters', 'x'.repeat(121)],
    ['capitals', 'SAILBOATS'],
    ['digits', '0'],
  ];
  const [label, value] = at(texts, what);
  const fits = new RegExp(schema.pattern ?? '', 'u').test(value);
  const reroutes = value === '' || value.endsWith('.md');
  return {
    parts: { ...parts, params: { ...parts.params, [name]: value } },
    label: `${label} as ${name}`,
    refusedBy: fits || reroutes ? undefined : [400, 404, 405],
  };
};

const headerNames = (
  'Accept Accept-Encoding Accept-Language Authorization Content-Encoding Content-Type Cookie Expect Forwarded Idempotency-Key If-Match If-Modified-Since ' +
  'If-None-Match Origin Prefer Range Referer User-Agent X-Forwarded-For X-Forwarded-Host X-Forwarded-Prefix X-HTTP-Method-Override X-Original-URL X-Request-Id'
).split(' ');
const headerValues = [
  ...dictionary.map(([, text]) => text).filter((text) => text.length <= 2_000 && fitsHeader(text)),
  '*/*;q=0',
  'text/markdown',
  'Bearer',
  'Bearer a b',
  'Basic YTpi',
  'bytes=0-0,5-',
  'en;q=2, de;q=x, *;q=-1',
  'application/json; charset=utf-7',
  'multipart/form-data',
  'gzip, br, identity;q=0',
  '203.0.113.7, ::1',
  'DELETE',
  '/api/admin/stats',
];

/** Sends one header with a value that nobody sane would send. */
export const headerChange: Change = (_, parts, __, where, what) => {
  const name = at(headerNames, where);
  const value = at(headerValues, what);
  return {
    parts: { ...parts, headers: { ...parts.headers, [name]: value } },
    label: `${name}: ${value.slice(0, 60)}`,
    refusedBy: undefined,
  };
};
