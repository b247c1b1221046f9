import { dictionary } from './arbitrary-dictionary.ts';
import { flatten, type JsonSchema, type SchemaContext } from './arbitrary.ts';

export type Path = (string | number)[];
/** A place in a value, with the schema that holds there; undefined where the schema says nothing of it. */
export type Site = { path: Path; value: unknown; schema: JsonSchema | undefined };
export type Change = { label: string; apply(body: unknown): unknown };

/** JSON text that no JavaScript value renders to; encodeJson writes it as it is. */
const raw = (text: string) => `\ue000${text}\ue000`;

/** JSON, with what `raw` marked written without quotes: numbers beyond doubles, `-0`. */
export function encodeJson(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(/"\ue000([^\ue000"]*)\ue000"/g, '$1');
}

/** Every place in a value, the whole first. */
export function sitesOf(
  value: unknown,
  schema: JsonSchema | undefined,
  context: SchemaContext,
  path: Path = [],
): Site[] {
  const own = schema && withoutAlternatives(flatten(schema, context), value, context);
  const children = Array.isArray(value)
    ? value.map((item, index) => [index, item, own?.items] as const)
    : isObject(value)
      ? Object.entries(value).map(([key, item]) => [key, item, schemaOfKey(own, key)] as const)
      : [];
  return [
    { path, value, schema: own },
    ...children.flatMap(([key, item, child]) => sitesOf(item, child, context, [...path, key])),
  ];
}

function withoutAlternatives(schema: JsonSchema, value: unknown, context: SchemaContext): JsonSchema {
  const alternatives = schema.oneOf ?? schema.anyOf ?? [];
  const fitting = alternatives.map((each) => flatten(each, context)).find(({ type }) => type === jsonType(value));
  return fitting ?? schema;
}

function schemaOfKey(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  const known = schema?.properties;
  if (known && Object.hasOwn(known, key)) return known[key];
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** Fields that the service alone writes: nobody may bring them. */
export const serverFields: Record<string, unknown> = {
  id: 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2',
  user_id: 'usr_01K6Q8X0A2B4C6D8E0F2G4H6J8',
  seller_id: 'usr_01K6Q8X0A2B4C6D8E0F2G4H6J8',
  seller: { id: 'usr_01K6Q8X0A2B4C6D8E0F2G4H6J8', verified: true },
  owner_id: 'usr_01K6Q8X0A2B4C6D8E0F2G4H6J8',
  status: 'active',
  role: 'admin',
  is_admin: true,
  verified: true,
  premium: { type: 'featured', active: true, until: '2099-01-01T00:00:00Z' },
  premium_type: 'featured',
  views: 1_000_000,
  slug: 'mine',
  created_at: '2000-01-01T00:00:00Z',
  updated_at: '2000-01-01T00:00:00Z',
  expires_at: '2099-01-01T00:00:00Z',
  session_epoch: 0,
  password_hash: 'x',
  key_hash: 'x',
  x_unknown: 1,
};

const otherTypes: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'text',
  '12',
  [],
  {},
  [[]],
  [null],
  { a: { b: [] } },
  raw('1e400'),
  raw('-0'),
  raw('1e20'),
];

/** What can be done to the value at a site: other types, nothing, too little, too much, twice, hostile texts and keys. */
export function changesAt({ path, value, schema = {} }: Site, hostile = dictionary): Change[] {
  const where = `/${path.join('/')}`;
  const set = (name: string, next: unknown): Change => ({
    label: `${name} at ${where}`,
    apply: (body) => replaceAt(body, path, next),
  });
  const changes = otherTypes
    .filter((other) => other !== value)
    .map((other) => set(`${jsonType(other)} ${encodeJson(other)}`, other));
  if (path.length > 0)
    changes.push({ label: `nothing at ${where}`, apply: (body) => replaceAt(body, path, undefined) });
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = 0 } = schema;
    changes.push(
      ...hostile.map(([name, text]) => set(name, text)),
      set('one character too many', 'x'.repeat(maxLength + 1)),
      set('one astral character too many', '\u{1f6a4}'.repeat(Math.min(maxLength, 50_000) + 1)),
      set('as many characters as allowed', 'x'.repeat(maxLength)),
      set('one character too few', 'x'.repeat(Math.max(0, minLength - 1))),
    );
  }
  if (typeof value === 'number') {
    const { minimum = 0, maximum = 0 } = schema;
    const step = Math.max(1, Math.abs(maximum) * Number.EPSILON * 2);
    changes.push(
      set('too little', minimum - 1),
      set('too much', maximum + step),
      set('a fraction', value + 0.1),
      set('huge', 1e308),
    );
  }
  if (Array.isArray(value)) {
    const filler = value[0] ?? 'x';
    const { minItems = 0, maxItems = 10 } = schema;
    changes.push(
      set(
        'an item too many',
        Array.from({ length: maxItems + 1 }, () => filler),
      ),
    );
    changes.push(
      set('an item too few', value.slice(0, Math.max(0, minItems - 1))),
      set('all items twice', [...value, ...value]),
    );
    changes.push(set('a hole', [...value, null]));
  }
  if (isObject(value)) {
    const known = schema.properties ?? {};
    for (const [key, planted] of Object.entries({
      ...serverFields,
      ['__proto__']: { polluted: 1 },
      constructor: { prototype: { polluted: 1 } },
    })) {
      if (!Object.hasOwn(known, key)) changes.push(set(`an extra ${key}`, withKey(value, key, planted)));
    }
    for (const [name, key] of hostile) {
      if (key.length < 5_000 && !Object.hasOwn(known, key))
        changes.push(set(`a key that is ${name}`, withKey(value, key, 'x')));
    }
    changes.push(set('1,000 keys', Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`key_${i}`, i]))));
  }
  return changes;
}

/** A copy of the object with one own key more, whatever its name. */
export function withKey(object: object, key: string, value: unknown): unknown {
  return Object.fromEntries([...Object.entries(object).filter(([known]) => known !== key), [key, value]]);
}

/** A copy with another value at the path; `undefined` takes the key or item away. */
export function replaceAt(body: unknown, [key, ...rest]: Path, next: unknown): unknown {
  if (key === undefined) return next;
  if (Array.isArray(body)) return body.flatMap((item, i) => (i === key ? keep(replaceAt(item, rest, next)) : [item]));
  return Object.fromEntries(
    Object.entries(body as object).flatMap(([name, item]) =>
      name === key ? keep(replaceAt(item, rest, next)).map((kept) => [name, kept]) : [[name, item]],
    ),
  );
}

const keep = (value: unknown) => (value === undefined ? [] : [value]);

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
