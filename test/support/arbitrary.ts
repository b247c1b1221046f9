import fc from 'fast-check';

/** The part of JSON Schema that request schemas of openapi.yaml are written in. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  minProperties?: number;
  maxProperties?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  'x-schema'?: string;
};

export type SchemaContext = {
  /** What a `$ref` or `x-schema` stands for. */
  resolve(reference: string): JsonSchema;
  /** Values for properties whose rules no schema can say (a category that exists), by the property's name. */
  hints: Record<string, fc.Arbitrary<unknown>>;
};

const understood = new Set(
  (
    '$ref type properties required additionalProperties patternProperties propertyNames minProperties maxProperties items minItems maxItems ' +
    'allOf anyOf oneOf enum const pattern format minLength maxLength minimum maximum x-schema ' +
    'description default example examples title readOnly writeOnly deprecated'
  ).split(' '),
);

/** Values that the schema allows, small ones and those at its limits. A keyword it does not know throws. */
export function arbitraryOf(source: JsonSchema, context: SchemaContext): fc.Arbitrary<unknown> {
  const schema = flatten(source, context);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return fc.oneof(...alternatives.map((each) => arbitraryOf(each, context)));
  return fc.oneof(...typesOf(schema).map((type) => ofType(type, schema, context)));
}

/** The schema with its references followed and its `allOf` merged. */
export function flatten(source: JsonSchema, context: SchemaContext): JsonSchema {
  const unknown = Object.keys(source).filter((keyword) => !understood.has(keyword));
  if (unknown.length > 0) throw new Error(`test/support/arbitrary.ts does not know ${unknown.join(', ')}`);
  const reference = source.$ref ?? source['x-schema'];
  const own = reference === undefined ? source : { ...flatten(context.resolve(reference), context), ...source };
  const parts = [...(own.allOf ?? []).map((each) => flatten(each, context)), own];
  if (parts.length === 1) return own;
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {}));
  return Object.assign({}, ...parts, { properties, required: parts.flatMap((part) => part.required ?? []) });
}

function typesOf({ type, properties }: JsonSchema): string[] {
  if (type !== undefined) return [type].flat();
  return properties ? ['object'] : ['string', 'number', 'boolean', 'null'];
}

function ofType(type: string, schema: JsonSchema, context: SchemaContext): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return strings(schema);
    case 'integer':
    case 'number':
      return numbers(type, schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arrays(schema, context);
    case 'object':
      return objects(schema, context);
    default:
      throw new Error(`test/support/arbitrary.ts does not know the type ${type}`);
  }
}

function numbers(type: string, { minimum = -1e9, maximum = 1e9 }: JsonSchema): fc.Arbitrary<number> {
  const [min, max] = [Math.ceil(minimum), Math.floor(maximum)];
  const whole = fc.oneof(fc.integer({ min, max: Math.min(max, min + 1_000) }), fc.constantFrom(min, max));
  if (type === 'integer') return whole;
  const fractions = fc.double({ min: minimum, max: maximum, noNaN: true, noDefaultInfinity: true });
  return fc.oneof(whole, fractions, fc.constantFrom(minimum, maximum));
}

function arrays(
  { items = {}, minItems = 0, maxItems = 10 }: JsonSchema,
  context: SchemaContext,
): fc.Arbitrary<unknown> {
  return fc.array(arbitraryOf(items, context), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
}

function objects(schema: JsonSchema, context: SchemaContext): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties = true, minProperties = 0, maxProperties = 5 } = schema;
  const named = fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, context.hints[name] ?? arbitraryOf(each, context)]),
    ),
    { requiredKeys: required, noNullPrototype: true },
  );
  if (additionalProperties === false || Object.keys(properties).length > 0) {
    return named.filter((value) => {
      const count = Object.keys(value).length;
      return count >= minProperties && count <= (schema.maxProperties ?? Infinity);
    });
  }
  const keys = schema.propertyNames
    ? strings({ maxLength: 64, ...schema.propertyNames })
    : strings({ pattern: '^[a-z][a-z0-9_]{0,12}$' });
  const value = additionalProperties === true ? leaves : arbitraryOf(additionalProperties, context);
  return fc.dictionary(
    keys.filter((key) => !reservedKeys.has(key)),
    value,
    {
      minKeys: minProperties,
      maxKeys: Math.max(minProperties, Math.min(maxProperties, 5)),
      noNullPrototype: true,
    },
  );
}

const reservedKeys = new Set(['__proto__', 'constructor', 'prototype']);
const words =
  'sailing yacht with a teak deck and new rigging ready for the summer in the harbour of Kappeln 1998 9.5 m'.split(' ');
const sentences = fc.array(fc.constantFrom(...words), { minLength: 5, maxLength: 12 }).map((some) => some.join(' '));
/** Makes each arbitrary once: one takes about 10 ms, mostly to learn how to shrink; the contract has a few lengths and patterns. */
function madeOnce(key: string, make: () => fc.Arbitrary<string>): fc.Arbitrary<string> {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}
const made = new Map<string, fc.Arbitrary<string>>();
/** Any character that may be stored: all of Unicode but NUL and half surrogates, one code point each. */
const anyText = (length: { minLength: number; maxLength: number }): fc.Arbitrary<string> =>
  madeOnce(`length ${length.minLength}-${length.maxLength}`, () =>
    fc.string({ unit: 'binary', ...length }).map((text) => text.replaceAll('\0', '\u0001')),
  );
const leaves = fc.oneof(sentences, fc.integer(), fc.boolean(), fc.constant(null));

function strings({ format, pattern, minLength = 0, maxLength = 60 }: JsonSchema): fc.Arbitrary<string> {
  const fits = (text: string) => {
    const { length } = [...text];
    return length >= minLength && length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(text));
  };
  if (format !== undefined) return madeOnce(`format ${format}`, () => formatted(format)).filter(fits);
  if (pattern !== undefined && pattern !== '\\S') {
    return madeOnce(`pattern ${pattern}`, () =>
      fc.stringMatching(new RegExp(pattern.replace(/\(\?!.*?\)(?=\[)/, ''), 'u')),
    ).filter(fits);
  }
  const longest = Math.min(maxLength, 5_000);
  return fc
    .oneof(
      { weight: 5, arbitrary: sentences.map((text) => text.padEnd(minLength, '.').slice(0, maxLength)) },
      { weight: 3, arbitrary: anyText({ minLength, maxLength: Math.min(maxLength, minLength + 30) }) },
      { weight: 1, arbitrary: fc.constantFrom('a', 'ß', '\u{1f6a4}').map((character) => character.repeat(longest)) },
    )
    .filter(fits);
}

function formatted(format: string): fc.Arbitrary<string> {
  switch (format) {
    case 'uri':
      return fc.webPath({ size: 'small' }).map((path) => `https://boats.example.com${path || '/'}`);
    case 'idn-email':
      return fc.emailAddress({ size: 'small' });
    case 'date':
      return dates.map((date) => date.toISOString().slice(0, 10));
    case 'date-time':
      return dates.map((date) => date.toISOString());
    default:
      throw new Error(`test/support/arbitrary.ts does not know the format ${format}`);
  }
}

const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
