import type { KeyScope } from '../../shared/accounts/key-scopes.ts';
import type { Role } from '../../shared/accounts/roles.ts';
import { readOpenApiFile } from '../../shared/kit/openapi-document.ts';
import type { Owned } from './ownership.ts';
import type { CacheTag } from './response-cache.ts';
import type { operations } from '../openapi.gen.ts';

/** The operations that the service answers; those named `on…` are what it posts to webhooks. */
export type OperationId = Exclude<keyof operations, `on${Capitalize<string>}`>;

export type RateClass = 'read' | 'write' | 'credentials' | 'upload' | 'admin' | 'none';

/** One operation of openapi.yaml, as the steps of a request read it. */
export type Operation = {
  id: OperationId;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As in the document: `/api/listings/{id}.md`. */
  path: string;
  /** The same for Express: `/api/listings/:id.md`. */
  expressPath: string;
  tag: string;
  /** `public` operations do not look at a credential at all. */
  auth: { public: boolean; required: boolean; keyScope: KeyScope | undefined; metricsToken: boolean };
  /** Whoever has a lesser role is refused. */
  leastRole: Exclude<Role, 'user'> | undefined;
  /** An entry of the audit log is made when a moderator or an administrator performs it. */
  audited: boolean;
  /** Open to sessions that have yet to set up the second factor that their role needs. */
  opensToEnrolment: boolean;
  /** What the operation changes, which must be the caller's. */
  owned: Owned | undefined;
  rateClass: RateClass;
  /** Only reads, for anybody: without a caller it may be answered by a standby. */
  isOpenRead: boolean;
  cache: { seconds: number; tag: CacheTag } | undefined;
  bodyTypes: string[];
  bodyRequired: boolean;
  bodyLimitBytes: number;
  /** What a multipart body holds; undefined where the body is JSON. */
  form: Form | undefined;
  /** Records that break a rule are answered one by one by the handler, not for the whole body. */
  lenientBody: boolean;
  /** The handler is given the very text of the body, unparsed: a signature covers it. */
  rawBody: boolean;
  idempotent: boolean;
  queryNames: Set<string>;
  /** Query parameters that are lists: separated by commas, repeated, or both. */
  listNames: string[];
  headerNames: string[];
  requiredQuery: string[];
  /** What of it will end: the whole operation, or a query parameter of that name. */
  deprecations: Deprecation[];
  /** Unknown query parameters become warnings of the answer; elsewhere they are refused. */
  toleratesUnknownQuery: boolean;
};

/** An announced end: since when, until when, and the operation that replaces it; without a parameter it is the whole operation's. */
export type Deprecation = { parameter: string | undefined; since: Date; sunset: Date; replacedBy: string };

/** The fields of a multipart body, as its schema says: which are files, one or many, and which are texts. */
export type Form = {
  files: Map<string, { isList: boolean }>;
  texts: Set<string>;
  maxFiles: number;
  maxFileBytes: number;
};

type Json = Record<string, unknown>;
type OperationObject = Json & { operationId: OperationId; tags: string[] };

const MEBIBYTE = 1_048_576;
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The contract as text and as data. Nothing changes it. */
export type Contract = { yaml: string; document: Json & { paths: Record<string, Json> }; operations: Operation[] };

let known: Contract | undefined;

/** What openapi.yaml says, read once per process; it throws when an operation lacks a field that the middleware is driven by. */
export function readContract(): Contract {
  known ??= parseContract();
  return known;
}

function parseContract(): Contract {
  const { yaml, document } = readOpenApiFile() as Pick<Contract, 'yaml' | 'document'>;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as OperationObject | undefined;
      return operation ? [readOperation(document, path, method, operation)] : [];
    }),
  );
  return { yaml, document, operations };
}

function readOperation(document: Json, path: string, method: Operation['method'], source: OperationObject): Operation {
  const rateClass = source['x-rate-limit'] as RateClass | undefined;
  if (!rateClass) throw new Error(`openapi.yaml: ${String(source.operationId)} has no x-rate-limit`);
  const body = resolve(document, source.requestBody as Json | undefined);
  const parameters = [
    ...(((document.paths as Record<string, Json>)[path]?.parameters as Json[] | undefined) ?? []),
    ...((source.parameters as Json[] | undefined) ?? []),
  ].map((parameter) => resolve(document, parameter) ?? {});
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const auth = readSecurity((source.security ?? document.security ?? []) as Record<string, string[]>[]);
  return {
    id: source.operationId,
    method,
    path,
    expressPath: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    tag: source.tags[0] ?? '',
    auth,
    leastRole: source['x-role'] as Operation['leastRole'],
    audited: source['x-audit'] === true || (source['x-role'] !== undefined && method !== 'get'),
    opensToEnrolment: source['x-enrolment'] === true,
    owned: source['x-owner'] as Owned | undefined,
    rateClass,
    isOpenRead: rateClass === 'read' && !auth.public && !auth.required,
    cache: source['x-cache'] as Operation['cache'],
    bodyTypes: Object.keys((body?.content as Json | undefined) ?? {}),
    bodyRequired: body?.required === true,
    bodyLimitBytes: (source['x-body-limit-bytes'] as number | undefined) ?? MEBIBYTE,
    form: readForm(document, body),
    lenientBody: source['x-lenient-body'] === true,
    rawBody: source['x-raw-body'] === true,
    idempotent: parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key'),
    queryNames: new Set(query.map((parameter) => String(parameter.name))),
    listNames: query
      .filter(({ schema }) => resolve(document, schema as Json | undefined)?.type === 'array')
      .map((parameter) => String(parameter.name)),
    headerNames: parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => String(name)),
    requiredQuery: query.filter(({ required }) => required === true).map((parameter) => String(parameter.name)),
    deprecations: [readDeprecation(source), ...query.map((each) => readDeprecation(each, String(each.name)))].flat(),
    toleratesUnknownQuery: source['x-eov-allow-unknown-query-parameters'] === true,
  };
}

function readDeprecation(source: Json, parameter?: string): Deprecation[] {
  if (source.deprecated !== true) return [];
  const [since, sunset] = [source['x-deprecated-since'], source['x-sunset']].map((day) => new Date(String(day)));
  const replacedBy = source['x-replaced-by'];
  if (!(sunset! > since!) || typeof replacedBy !== 'string')
    throw new Error(
      `openapi.yaml: ${parameter ?? (source.operationId as string)} is deprecated without since when, until when or for what`,
    );
  return [{ parameter, since: since!, sunset: sunset!, replacedBy }];
}

function readForm(document: Json, body: Json | undefined): Form | undefined {
  const media = (body?.content as Record<string, Json> | undefined)?.['multipart/form-data'];
  const schema = resolve(document, media?.schema as Json | undefined);
  if (!schema) return undefined;
  const fields = Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const own = resolve(document, property) ?? {};
    const isList = own.type === 'array';
    const item = isList ? (resolve(document, own.items as Json) ?? {}) : own;
    return {
      name,
      isList,
      isFile: item.format === 'binary',
      bytes: Number(item.maxLength),
      count: isList ? Number(own.maxItems) : 1,
    };
  });
  const files = fields.filter(({ isFile }) => isFile);
  return {
    files: new Map(files.map(({ name, isList }) => [name, { isList }])),
    texts: new Set(fields.filter(({ isFile }) => !isFile).map(({ name }) => name)),
    maxFiles: files.reduce((sum, { count }) => sum + count, 0),
    maxFileBytes: Math.max(...files.map(({ bytes }) => bytes)),
  };
}

function readSecurity(alternatives: Record<string, string[]>[]): Operation['auth'] {
  const key = alternatives.find((alternative) => 'apiKey' in alternative)?.apiKey;
  return {
    public: alternatives.length === 0,
    required: alternatives.length > 0 && !alternatives.some((alternative) => Object.keys(alternative).length === 0),
    keyScope: key && ((key[0] ?? 'read') as KeyScope),
    metricsToken: alternatives.some((alternative) => 'metricsToken' in alternative),
  };
}

function resolve(document: Json, value: Json | undefined): Json | undefined {
  if (typeof value?.$ref !== 'string') return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Json)[key], document) as Json;
}
