import { describe, expect, expectTypeOf, test } from 'vitest';
import { freshnessLine } from '../../api/generate-types.ts';
import { readContract } from '../../api/http/contract.ts';
import { validatorOf } from '../../api/http/validate.ts';
import type { components } from '../../api/openapi.gen.ts';
import type { ErrorCode } from '../../shared/kit/errors.ts';
import { profileOf } from '../../shared/profiles/read-profile.ts';
import type { CategoryNode } from '../../shared/profiles/profile.ts';
import { bytesOf, document, follow, isA, objectsWithin, operations, schemasWithin, unbounded } from './document.ts';

const named = operations.map((each) => [each.id, each] as const);
const parametersIn = (place: string) =>
  operations.flatMap(({ id, parameters }) =>
    parameters.filter((each) => each.in === place).map((each) => [`${id} ${each.name}`, each] as const),
  );
const componentNames = Object.entries(document.components)
  .filter(([kind]) => kind !== 'securitySchemes')
  .flatMap(([kind, entries]) => Object.keys(entries).map((name) => `#/components/${kind}/${name}`));

/** Whether the body must name a listing, which may not exist. */
const namesListing = ({ requestBody }: (typeof operations)[number]['operation']) =>
  Object.values(requestBody?.content ?? {}).some(({ schema }) =>
    follow(document.components.schemas, schema).required?.includes('listing_id'),
  );

/** Whether a parameter must name something, which may not exist. */
const namesThing = ({ name, in: place, required }: { name: string; in: string; required?: boolean }) =>
  place === 'path' || (place === 'query' && name === 'id' && required === true);

describe('the document', () => {
  test('every $ref leads to a component', () => {
    const references = [...objectsWithin(document)].flatMap((node) => ('$ref' in node ? [node.$ref] : []));
    expect(references.filter((each) => !componentNames.includes(String(each)))).toEqual([]);
  });

  test('every component is used', () => {
    const text = JSON.stringify(document);
    expect(componentNames.filter((each) => !text.includes(`"${each}"`))).toEqual([]);
  });

  test('operationIds are unique', () => {
    const ids = operations.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  test('error codes are those of shared/kit/errors.ts', () => {
    expectTypeOf<components['schemas']['ErrorCode']>().toEqualTypeOf<ErrorCode>();
  });

  test('api/openapi.gen.ts is generated from this very document', () => {
    const [firstLine] = bytesOf('api/openapi.gen.ts').toString().split('\n', 1);
    expect(firstLine).toBe(freshnessLine(bytesOf('openapi.yaml')));
  });
});

describe('every operation', () => {
  test.each(named)('%s says what it is and what drives the middleware', (_id, { operation }) => {
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
    expect(operation.tags).toHaveLength(1);
    expect(operation.summary).toBeTruthy();
    expect(operation.description).toBeTruthy();
    expect(operation.security).toBeInstanceOf(Array);
    expect(['read', 'write', 'credentials', 'upload', 'admin', 'none']).toContain(operation['x-rate-limit']);
  });

  test.each(named.filter(([, { operation }]) => operation['x-cache']))('%s is cached by a known rule', (_id, each) => {
    expect(each.method).toBe('get');
    expect(each.operation['x-cache']).toEqual({
      seconds: expect.any(Number),
      tag: expect.stringMatching(/^(listings|listing|rentals|rental|categories|static)$/),
    });
  });

  test.each(named)('%s lists exactly the statuses that its fields lead to', (_id, { operation, parameters }) => {
    const security = operation.security ?? [];
    const required = security.length > 0 && security.every((each) => Object.keys(each).length > 0);
    const openToReadKeys = security.some((each) => each['apiKey']?.[0] === 'read');
    const replayable = parameters.some(({ name }) => name === 'Idempotency-Key');
    const expected = {
      400: operation['x-rate-limit'] !== 'none',
      401: security.length > 0 || ['login', 'verifyMagicLink', 'loginWithPasskey'].includes(operation.operationId),
      // Anybody may search, and only administrators ask for an explanation; anybody may write but whom the owner has blocked.
      403:
        /^(?:searchListings|multiSearchListings|contactListingOwner|login|loginWithPasskey|verifyMagicLink)$/.test(
          operation.operationId,
        ) ||
        (required && (!openToReadKeys || operation.operationId === 'listRentalBookings')),
      404: parameters.some(namesThing) || namesListing(operation) || operation.operationId === 'createReport',
      409:
        replayable ||
        /^(?:register|createApiKey|startTotp|deleteMe|(?:add|put|delete)Marketplace\w+|putSettings|undoSettings)$/.test(
          operation.operationId,
        ),
      413: operation.requestBody?.content?.['application/json'] !== undefined,
      415: operation.requestBody !== undefined,
      422: replayable,
      429: operation['x-rate-limit'] !== 'none',
    };
    const listed = Object.keys(expected).map((status) => [status, status in operation.responses]);
    expect(Object.fromEntries(listed)).toEqual(expected);
  });

  test.each(named)('%s shows an example of each body that it takes or gives', (_id, { operation }) => {
    const answers = Object.values(operation.responses).map((each) => follow(document.components.responses, each));
    const media = [operation.requestBody ?? {}, ...answers].flatMap(({ content }) => Object.values(content ?? {}));
    expect(media.filter(({ examples }) => Object.keys(examples ?? {}).length === 0)).toEqual([]);
  });
});

describe('parameters', () => {
  const query = parametersIn('query');
  const textual = query.filter(([, { schema }]) => isA(schema, 'string') || isA(schema, 'object'));

  test.each(query)('%s is written inline, where the validator reads its type', (_name, { schema }) => {
    expect(schema.type).toBeTypeOf('string');
    expect(schema).not.toHaveProperty('$ref');
  });

  test.each(textual)('%s takes reserved characters', (_name, { allowReserved }) => {
    expect(allowReserved).toBe(true);
  });

  test.each([...query, ...parametersIn('header')])('%s is bounded', (name, { schema }) => {
    expect(schemasWithin(schema, name).flatMap((each) => unbounded(each.schema, each.path))).toEqual([]);
  });

  test.each(parametersIn('path'))('%s takes ids and slugs, and nothing with a dot', (_name, { schema }) => {
    const pattern = new RegExp(schema.pattern ?? '', 'u');
    const good = ['lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2', 'hallberg-rassy-36', 'x'.repeat(120)];
    const bad = ['hallberg-rassy-36.md', '.', '', 'a/b', 'a b', 'é', 'x'.repeat(121)];
    expect([...good, ...bad].filter((each) => pattern.test(each))).toEqual(good);
  });
});

describe('request bodies', () => {
  const freeMaps =
    /\/(attr|attributes|labels|map|metadata|option_labels|properties|rates|raw_record|renames|rewritten_content|searches\/\*(\/\*)?)$/;
  const bodies = operations.flatMap(({ id, operation }) => {
    const [{ schema } = {}] = Object.values(operation.requestBody?.content ?? {});
    return schema ? [[id, schemasWithin(schema)] as const] : [];
  });

  test.each(bodies)('%s closes every object, nested ones too, but for a few maps of bounded size', (_id, schemas) => {
    const open = schemas.filter(({ schema }) => isA(schema, 'object') && schema.additionalProperties !== false);
    expect(open.filter(({ path, schema }) => !freeMaps.test(path) || schema.maxProperties === undefined)).toEqual([]);
  });

  test.each(bodies)('%s bounds every text, number and list', (_id, schemas) => {
    const checked = schemas.filter(({ schema }) => schema['x-schema'] === undefined);
    expect(checked.flatMap(({ path, schema }) => unbounded(schema, path))).toEqual([]);
  });

  test.each(bodies.filter(([id]) => id.startsWith('update')))(
    '%s has no defaults, which the validator would write over what is stored',
    (_id, schemas) => {
      expect(schemas.filter(({ schema }) => schema.default !== undefined)).toEqual([]);
    },
  );

  test('attributes refuse the keys that reach the prototype', () => {
    const pattern = new RegExp(document.components.schemas['Attributes']?.propertyNames?.pattern ?? '', 'u');
    const good = ['brand', 'engine.hours', 'constructor_year', 'Länge (m)', 'x'.repeat(64)];
    const bad = ['__proto__', 'constructor', 'prototype', 'a\nb', '', 'x'.repeat(65)];
    expect([...good, ...bad].filter((each) => pattern.test(each))).toEqual(good);
  });

  test('one bad record cannot fail a batch: records are free values that name their schema', () => {
    const records = document.components.schemas['IngestRequest']?.properties?.['records'];
    expect(records).toMatchObject({ minItems: 1, maxItems: 500 });
    expect(records?.items).toEqual({
      description: expect.any(String),
      'x-schema': '#/components/schemas/IngestRecord',
    });
  });

  test('the validator accepts every example', async () => {
    const contract = readContract();
    const validate = validatorOf(contract);
    const refused: string[] = [];
    for (const operation of contract.operations) {
      const own = operations.find(({ id }) => id === operation.id)?.operation.requestBody?.content?.[
        'application/json'
      ];
      const params = Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => [key, 'x']));
      for (const [name, example] of Object.entries(own?.examples ?? {})) {
        const { value: body } = follow(document.components.examples, example);
        const headers = { 'content-type': 'application/json' };
        const input = { originalUrl: operation.path, headers, query: {}, params, body };
        await validate(operation, input).catch((error: unknown) =>
          refused.push(`${operation.id} ${name}: ${String(error)}`),
        );
      }
    }
    expect(refused).toEqual([]);
  }, 240_000);

  test.each(['general', 'nautical'] as const)('the examples name categories of the %s marketplace', (name) => {
    const known = new Set<unknown>([null, ...idsOf(profileOf(name).categories)]);
    const bodies = operations.flatMap(({ operation }) =>
      Object.values(operation.requestBody?.content?.['application/json']?.examples ?? {}).map(
        (example) => follow(document.components.examples, example).value,
      ),
    );
    const named = [...objectsWithin(bodies)].flatMap((node) =>
      'category_id' in node ? [node.category_id] : 'category' in node ? [node.category] : [],
    );
    const asked = operations
      .flatMap(({ parameters }) => parameters)
      .flatMap((each) => (each.name === 'category' && 'example' in each ? [each.example].flat() : []));
    expect(named.length).toBeGreaterThan(3);
    expect([...named, ...asked].filter((id) => !known.has(id))).toEqual([]);
  });
});

const idsOf = (nodes: readonly CategoryNode[]): string[] =>
  nodes.flatMap(({ id, children = [] }) => [id, ...idsOf(children)]);
