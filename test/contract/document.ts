import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export type Reference = { $ref: string };
export type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  'x-schema'?: string;
};
type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
  allowReserved?: boolean;
};
type Example = { value: unknown };
type Body = { content?: Record<string, { schema: Schema; examples?: Record<string, Reference> }> };
type Operation = {
  operationId: string;
  tags: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: Body;
  responses: Record<string, Body | Reference>;
  'x-rate-limit'?: string;
  'x-cache'?: { seconds: number; tag: string };
};
type Components = {
  schemas: Record<string, Schema>;
  parameters: Record<string, Parameter>;
  responses: Record<string, Body>;
  examples: Record<string, Example>;
  headers: Record<string, { schema: Schema }>;
};
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathItem = { parameters?: (Parameter | Reference)[] } & Partial<Record<Method, Operation>>;

/** The bytes of a file of the repository, named from its root. */
export const bytesOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url));

/** openapi.yaml as it stands, references and all. */
export const document: { paths: Record<string, PathItem>; tags: { name: string }[]; components: Components } = parse(
  bytesOf('openapi.yaml').toString(),
);

/** Every operation, with its path's parameters and its own, references followed. */
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((method) => {
    const operation = item[method];
    if (!operation) return [];
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) =>
      follow(document.components.parameters, each),
    );
    return [{ id: operation.operationId, path, method, operation, parameters }];
  }),
);

/** What a reference into these components stands for; anything else is given back. An unknown name throws. */
export function follow<Component extends object>(
  components: Record<string, Component>,
  node: Component | Reference,
): Component {
  if (!isReference(node)) return node;
  const target = components[node.$ref.slice(node.$ref.lastIndexOf('/') + 1)];
  if (!target) throw new Error(`openapi.yaml: ${node.$ref} does not exist`);
  return target;
}

function isReference(node: object): node is Reference {
  return '$ref' in node && typeof node.$ref === 'string';
}

/** Every object of the document. */
export function* objectsWithin(node: unknown): Generator<object> {
  if (typeof node !== 'object' || node === null) return;
  yield node;
  for (const child of Object.values(node)) yield* objectsWithin(child);
}

/** A schema and all schemas inside it, references followed; the path names properties, `*` an entry of a list or map. */
export function schemasWithin(schema: Schema, path = ''): { path: string; schema: Schema }[] {
  const own = { ...follow(document.components.schemas, schema), ...schema };
  const entries = [own.items, own.additionalProperties].filter((each) => typeof each === 'object');
  const alternatives = [own.allOf, own.anyOf, own.oneOf].flatMap((each) => each ?? []);
  return [
    { path, schema: own },
    ...Object.entries(own.properties ?? {}).flatMap(([key, child]) => schemasWithin(child, `${path}/${key}`)),
    ...entries.flatMap((child) => schemasWithin(child, `${path}/*`)),
    ...alternatives.flatMap((child) => schemasWithin(child, path)),
  ];
}

/** Whether values of that type are allowed. */
export function isA(schema: Schema, type: string): boolean {
  return [schema.type].flat().includes(type) || (type === 'object' && schema.properties !== undefined);
}

/** What keeps a schema from being bounded, one line each; a pattern without `*` and `+` bounds a text too. */
export function unbounded(schema: Schema, path: string): string[] {
  if (schema.enum || schema.const !== undefined) return [];
  const boundedText = schema.maxLength !== undefined || /^\^[^*+]*\$$/.test(schema.pattern ?? '');
  const numeric = isA(schema, 'number') || isA(schema, 'integer');
  const typed = schema.type ?? schema.allOf ?? schema.anyOf ?? schema.oneOf;
  return [
    isA(schema, 'string') && !boundedText && `${path} has no maxLength`,
    numeric && schema.minimum === undefined && `${path} has no minimum`,
    numeric && schema.maximum === undefined && `${path} has no maximum`,
    isA(schema, 'array') && schema.maxItems === undefined && `${path} has no maxItems`,
    typed === undefined && `${path} has no type`,
  ].filter((line) => line !== false);
}
