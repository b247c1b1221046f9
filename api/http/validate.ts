import { createRequire } from 'node:module';
import { parse as parseUrl } from 'node:url';
import type { RequestHandler } from 'express';
import { isEmail } from '../../shared/kit/email.ts';
import { invalid } from '../../shared/kit/errors.ts';
import type { Contract, Operation } from './contract.ts';
import { isRealDate } from './inspect.ts';

/**
 * Requests are validated by express-openapi-validator, handed the operation that Express has already matched. Its own
 * middleware would search all routes on every request, compiling a regular expression for each (see npm run bench).
 */
type Route = { method: string; openApiRoute: string; expressRoute: string };
type Internals = {
  OpenApiValidator: new (options: Record<string, unknown>) => {
    ajvOpts: { preprocessor: unknown };
    requestValidationMiddleware(document: unknown): RequestHandler;
  };
  OpenApiSpecLoader: new (options: Record<string, unknown>) => {
    load(): Promise<{ apiDoc: Contract['document']; routes: Route[] }>;
  };
  SchemaPreprocessor: new (document: unknown, ajvOptions: unknown, responses: unknown) => { preProcess(): unknown };
};

export type Input = {
  originalUrl: string;
  headers: Record<string, unknown>;
  query: Record<string, unknown>;
  params: Record<string, unknown>;
  body: unknown;
};

/** Checks one request against its operation: it returns the coerced input with defaults filled in, or throws the validator's error. */
export type Validate = (operation: Operation, input: Input) => Pick<Input, 'query' | 'params' | 'body'>;

const prepared = new WeakMap<Contract, Promise<Validate>>();

/** The validator of a contract, prepared once per process: that takes longer than all other preparations together. */
export function createValidator(contract: Contract): Promise<Validate> {
  const validator = prepared.get(contract) ?? prepare(contract);
  prepared.set(contract, validator);
  return validator;
}

async function prepare(contract: Contract): Promise<Validate> {
  const { OpenApiValidator, OpenApiSpecLoader, SchemaPreprocessor } = loadInternals();
  const document = withoutAnswers(contract.document);
  const validator = new OpenApiValidator({
    apiSpec: document,
    validateRequests: { allErrors: true, coerceTypes: false, allowUnknownQueryParameters: false },
    validateSecurity: false,
    fileUploader: false,
    formats: {
      'idn-email': { type: 'string', validate: isEmail },
      date: { type: 'string', validate: isRealDate },
      'date-time': { type: 'string', validate: isRealDate },
    },
    logger: false,
  });
  const spec = await new OpenApiSpecLoader({
    apiDoc: document,
    // Whether it is valid OpenAPI is checked when it changes (npm run check), not at every start.
    validateApiSpec: false,
    $refParser: { mode: 'bundle' },
  }).load();
  new SchemaPreprocessor(spec.apiDoc, validator.ajvOpts.preprocessor, false).preProcess();
  // For every operation Ajv walks through the document: what refers to its components need not pass the other paths.
  const middleware = validator.requestValidationMiddleware({ ...spec.apiDoc, paths: {} });

  const known = new Map<string, Known>();
  takeUrlWarning();

  return (operation, { originalUrl, headers, query, params, body }) => {
    const type = operation.bodyTypes.length > 0 ? mediaType(headers['content-type']) : undefined;
    const key = type === undefined ? operation.id : `${operation.id} ${type}`;
    const entry = known.get(key) ?? learn(spec.apiDoc, operation);
    const view = {
      method: entry.method,
      path: operation.path,
      // Only what is sent is looked at, once the validator has compiled the whole of it for this operation and media type.
      originalUrl: hasReservedValue(originalUrl) ? originalUrl : '/',
      headers: { ...headers, 'content-type': type },
      query,
      params,
      body,
      openapi: {
        expressRoute: operation.expressPath,
        openApiRoute: operation.path,
        pathParams: params,
        schema: known.has(key)
          ? { parameters: entry.queryParameters.filter(({ name }) => isSentAsText(query[name])) }
          : entry.schema,
      },
    };
    middleware(view as never, undefined as never, noNext);
    if (!known.has(key)) known.set(key, entry);
    requireFinite(view.query, '/query');
    return view;
  };
}

/** A copy without what no request is held against: the validator walks through all that it is given, again and again. */
function withoutAnswers(contract: Contract['document']): Contract['document'] {
  const document = structuredClone(contract);
  const components = document.components as Record<string, unknown>;
  for (const needless of ['responses', 'headers', 'examples']) delete components[needless];
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item) as Operated[])) {
    delete operation.responses;
    for (const media of Object.values(operation.requestBody?.content ?? {})) delete media.examples;
  }
  return document;
}

type Operated = { responses?: unknown; requestBody?: { content?: Record<string, { examples?: unknown }> } };

/**
 * The validator calls url.parse for every request. Until Node has warned of that call once, it looks through the call stack
 * each time to find out whether to warn, which takes longer than the validation.
 */
function takeUrlWarning(): void {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  parseUrl('/');
  process.noDeprecation = noDeprecation;
}

type Parameter = { name: string; in: string };
type Known = { method: string; schema: unknown; queryParameters: Parameter[] };

/** Characters that the validator refuses in the value of a parameter without `allowReserved`. */
const reserved = /[:/?#[\]@!$'()*+,;]/;

/** Without such a character, the validator need not parse the URL. */
function hasReservedValue(originalUrl: string): boolean {
  const [, text = ''] = originalUrl.split('?', 2);
  return reserved.test(text) && text.split('&').some((pair) => reserved.test(pair.slice(pair.indexOf('=') + 1)));
}

/** What Express has parsed into an object or a list is as the validator would make it. */
const isSentAsText = (value: unknown) => value !== undefined && (typeof value !== 'object' || value === null);

function learn(document: Contract['document'], operation: Operation): Known {
  const schema = document.paths[operation.path]?.[operation.method] as {
    parameters?: (Parameter & { $ref?: string })[];
  };
  const { parameters } = document.components as { parameters: Record<string, Parameter> };
  const all = (schema.parameters ?? []).map((parameter) =>
    parameter.$ref ? parameters[parameter.$ref.replace(/^.*\//, '')]! : parameter,
  );
  return {
    method: operation.method.toUpperCase(),
    schema,
    queryParameters: all.filter((parameter) => parameter.in === 'query'),
  };
}

/** The media type alone: the validator compiles and keeps a schema for each type it meets, with all parameters of it. */
function mediaType(header: unknown): string | undefined {
  return typeof header === 'string' ? header.split(';', 1).join().trim().toLowerCase() : undefined;
}

/** Ajv leaves range checks out for Infinity, which `1e999` is coerced to. */
function requireFinite(values: Record<string, unknown>, path: string): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw invalid('The request does not fit this operation.', [
        { path: `${path}/${name}`, message: 'must be a finite number' },
      ]);
    }
  }
}

function noNext(error?: unknown) {
  if (error) throw error;
}

function loadInternals(): Internals {
  const require = createRequire(import.meta.url);
  const load = (path: string) => require(`express-openapi-validator/dist/${path}`) as Record<string, unknown>;
  return {
    ...load('openapi.validator.js'),
    ...load('framework/openapi.spec.loader.js'),
    ...load('middlewares/parsers/schema.preprocessor.js'),
  } as Internals;
}
