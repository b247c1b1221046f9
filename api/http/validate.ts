import express, { type Request, type RequestHandler, type Response } from 'express';
import { isEmail } from '../../shared/kit/email.ts';
import { invalid } from '../../shared/kit/errors.ts';
import { nextTurn } from '../../shared/kit/turns.ts';
import type { Contract, Operation, OperationId } from './contract.ts';
import { isRealDate } from './inspect.ts';

export type Input = {
  originalUrl: string;
  headers: Record<string, unknown>;
  query: Record<string, unknown>;
  params: Record<string, unknown>;
  body: unknown;
};

/** Checks one request against its operation: it returns the coerced input with defaults filled in, or throws the validator's error. */
export type Validate = (operation: Operation, input: Input) => Promise<Pick<Input, 'query' | 'params' | 'body'>>;

const validators = new WeakMap<Contract, Validate>();

/** The validator of a contract; what it has compiled serves everything in this process that asks for the same contract. */
export function validatorOf(contract: Contract): Validate {
  const validator = validators.get(contract) ?? createValidator(contract);
  validators.set(contract, validator);
  return validator;
}

/**
 * Requests are validated by express-openapi-validator: one middleware for each operation, made on its first request over a
 * document that holds this operation alone (35 ms of CPU, then 0.01-0.03 ms for each request). One middleware over all
 * operations would compile the path of every one of them on every request, and hold them all from the start (npm run bench).
 */
function createValidator({ document }: Contract): Validate {
  const middlewares = new Map<OperationId, Promise<RequestHandler[]>>();
  // The validator registers its path parameters with the application of a request: one that serves nothing takes them.
  const app = express().set('case sensitive routing', true);

  return async (operation, { originalUrl, headers, query, params, body }) => {
    let middleware = middlewares.get(operation.id);
    if (!middleware) middlewares.set(operation.id, (middleware = createMiddleware(document, operation)));
    const path = pathOf(operation, params);
    const view = {
      app,
      baseUrl: '',
      // HEAD is answered by what answers GET.
      method: operation.method.toUpperCase(),
      path,
      originalUrl: path + queryStringOf(originalUrl),
      headers: { ...headers, 'content-type': mediaTypeOf(operation, headers['content-type']) },
      query: splitLists(query, operation),
      params,
      body,
    };
    await run(await middleware, view as unknown as Request);
    requireFinite(view.query, '/query');
    return view;
  };
}

async function createMiddleware(document: Contract['document'], operation: Operation): Promise<RequestHandler[]> {
  const { middleware } = await import('express-openapi-validator');
  const steps = middleware({
    apiSpec: documentOf(document, operation) as never,
    // Whether it is valid OpenAPI is checked when it changes (npm run check), not at every start.
    validateApiSpec: false,
    validateRequests: { allErrors: true, coerceTypes: false, allowUnknownQueryParameters: false },
    validateSecurity: false,
    fileUploader: false,
    formats: {
      'idn-email': { type: 'string', validate: isEmail },
      date: { type: 'string', validate: isRealDate },
      'date-time': { type: 'string', validate: isRealDate },
    },
  });
  // It reads the document now and compiles it with the first request: other requests go on in between.
  await nextTurn();
  return steps as RequestHandler[];
}

type Json = Record<string, unknown>;

/** The document of one operation: its path, and the components that a request of it is held against. */
function documentOf({ openapi, info, paths, components }: Contract['document'], operation: Operation): Json {
  const { parameters = [], [operation.method]: source } = paths[operation.path] as Record<string, Json>;
  const item = { parameters, [operation.method]: { ...source, responses: {} } };
  const own: Record<string, Json> = {};
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const each of Object.values(value)) collect(each);
    const [, kind, name] = /^#\/components\/(\w+)\/([\w.-]+)$/.exec(String((value as Json).$ref)) ?? [];
    if (!kind || !name || own[kind]?.[name]) return;
    const component = (components as Record<string, Json>)[kind]?.[name];
    (own[kind] ??= {})[name] = component;
    collect(component);
  };
  collect(item);
  return { openapi, info, paths: { [operation.path]: item }, components: own };
}

/** Runs a chain of middleware; rejects with the error that one of them hands on. */
function run(middleware: RequestHandler[], request: Request): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const runFrom = (index: number): void => {
    const step = middleware[index];
    if (!step) return resolve();
    void step(request, {} as Response, (error?: unknown) => (error ? reject(error) : runFrom(index + 1)));
  };
  runFrom(0);
  return promise;
}

/** The path of the operation with these parameters, whatever form it was asked for in (absolute, behind a prefix). */
function pathOf({ path }: Operation, params: Input['params']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

function queryStringOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

/** Each list as an array of its values; the validator would split a comma list alone, and fails on an object in place of one. */
function splitLists(query: Input['query'], { listNames }: Operation): Input['query'] {
  const lists = listNames.filter((name) => query[name] !== undefined);
  if (lists.length === 0) return query;
  const split = (value: unknown): unknown[] =>
    [value].flat().flatMap((each: unknown) => (typeof each === 'string' ? each.split(',') : [each]));
  return { ...query, ...Object.fromEntries(lists.map((name) => [name, split(query[name])])) };
}

/** The media type alone: the validator compiles and keeps a schema for each type it meets, with all parameters of it. */
function mediaTypeOf({ bodyTypes }: Operation, header: unknown): string | undefined {
  if (bodyTypes.length === 0 || typeof header !== 'string') return undefined;
  return header.split(';', 1).join().trim().toLowerCase();
}

/** Ajv leaves range checks out for Infinity, which `1e999` is coerced to. */
function requireFinite(values: Json, path: string): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw invalid('The request does not fit this operation.', [
        { path: `${path}/${name}`, message: 'must be a finite number', reason: 'not_a_number' },
      ]);
    }
  }
}
