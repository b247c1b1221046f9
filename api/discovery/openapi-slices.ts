import type { Contract } from '../http/contract.ts';

type Json = Record<string, unknown>;
type Entry = { path: string; method: string; id: string; tag: string; operation: Json };
/** A part of the contract that stands alone: the operations that it holds, and its OpenAPI document without `servers`. */
export type Slice = { name: string; tag: string; operations: string[]; document: Json };

/** The largest slice in characters: 12,000 tokens of 4, less what the address of the service may add. */
const MAX_CHARACTERS = 47_000;
const DROPPED_FIELDS = new Set(['example', 'examples', 'headers', 'externalDocs', 'contact', 'license']);
const KEPT_EXTENSIONS = new Set(['x-role', 'x-schema']);
/** Fields whose members are named by the contract and not by OpenAPI. */
const MAPS = new Set(['properties', '$defs', 'content', 'schemas', 'parameters', 'responses']);
/** Fields that hold plain values. */
const VALUES = new Set(['enum', 'const', 'default', 'required']);

/** The contract cut greedily by tag into slices below 12,000 tokens, collections first, each with the components it refers to. */
function sliceContract(contract: Contract): Slice[] {
  return Map.groupBy(readEntries(contract), ({ tag }) => tag)
    .entries()
    .flatMap(([tag, entries]) => sliceTag(contract, tag, entries))
    .toArray();
}

/** The slices of the contract, made when they are first asked for. */
export function createSlices(contract: Contract): () => Slice[] {
  let slices: Slice[] | undefined;
  return () => (slices ??= sliceContract(contract));
}

function readEntries({ operations, document }: Contract): Entry[] {
  return operations.map(({ id, tag, path, method }) => {
    const { parameters = [], [method]: source } = document.paths[path] as { parameters?: Json[] } & Record<
      string,
      Json
    >;
    return { id, tag, path, method, operation: compactOperation(source as Json, parameters) };
  });
}

function sliceTag(contract: Contract, tag: string, entries: Entry[]): Slice[] {
  const groups: Entry[][] = [[]];
  const depthOf = ({ path }: Entry) => path.split('/').length;
  for (const entry of entries.toSorted((a, b) => depthOf(a) - depthOf(b))) {
    const last = groups.at(-1)!;
    const isFull = last.length > 0 && sizeOf(contract, tag, [...last, entry]) > MAX_CHARACTERS;
    if (isFull) groups.push([entry]);
    else last.push(entry);
  }
  return groups.map((group, index) => ({
    name: sliceName(tag, index),
    tag,
    operations: group.map(({ id }) => id),
    document: composeSlice(contract, tag, group, groups.length),
  }));
}

const sliceName = (tag: string, index: number) => (index === 0 ? tag : `${tag}-${index + 1}`);

const sizeOf = (contract: Contract, tag: string, entries: Entry[]) =>
  JSON.stringify(composeSlice(contract, tag, entries, 1)).length;

function composeSlice({ document }: Contract, tag: string, entries: Entry[], count: number): Json {
  const { title, version } = document.info as { title: string; version: string };
  const names = Array.from({ length: count }, (_, index) => sliceName(tag, index));
  const paths: Record<string, Json> = {};
  for (const { path, method, operation } of entries) (paths[path] ??= {})[method] = operation;
  return {
    openapi: document.openapi,
    info: {
      title: `${title}: ${tag}`,
      version,
      description: `The operations of the tag ${tag}, in ${names.map((name) => `/api/openapi/${name}.json`).join(', ')}. How each is used is told in /api/reference/{operationId}.md.`,
    },
    paths,
    components: collectComponents(document.components as Record<string, Json>, paths),
  };
}

/** The components that the paths refer to, directly or by others, and the response of every error. */
function collectComponents(components: Record<string, Json>, paths: Json): Json {
  const collected: Record<string, Json> = {
    responses: {
      Error: {
        description: 'An error; `error.code` says which.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
      },
    },
    securitySchemes: compact(components.securitySchemes, true) as Json,
  };
  const visit = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      const target = (collected[kind] ??= {});
      if (name in target) continue;
      target[name] = compact(components[kind]?.[name]);
      visit(target[name]);
    }
  };
  visit([paths, collected.responses]);
  return collected;
}

/** An operation with its parameters and successes; every other answer is `default`. */
function compactOperation(source: Json, shared: Json[]): Json {
  const {
    responses,
    parameters = [],
    description,
    ...operation
  } = source as Json & {
    responses: Record<string, Json>;
    parameters?: Json[];
  };
  const all = [...shared, ...parameters];
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    ...(compact(operation) as Json),
    ...(typeof description === 'string' && { description: firstSentence(description) }),
    ...(all.length > 0 && { parameters: all.map((parameter) => compact(parameter)) }),
    responses: {
      ...Object.fromEntries(successes.map(([status, response]) => [status, compact(response)])),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

/** The same without examples, headers and fields of our own, each description cut to its first sentence. */
function compact(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => compact(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (isMap) return [[key, compact(inner)]];
    if (DROPPED_FIELDS.has(key) || (key.startsWith('x-') && !KEPT_EXTENSIONS.has(key))) return [];
    if (VALUES.has(key)) return [[key, inner]];
    if (key === 'description' && typeof inner === 'string') return [[key, firstSentence(inner)]];
    return [[key === 'x-schema' ? '$ref' : key, compact(inner, MAPS.has(key))]];
  });
  return Object.fromEntries(entries);
}

/** The first sentence of a text, with links as their words. */
function firstSentence(text: string): string {
  const line = text
    .split('\n\n')[0]!
    .replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.split(/(?<=[.!?]) (?=[A-Z`])/)[0]!;
}
