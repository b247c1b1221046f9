type Json = Record<string, unknown>;
type Responses = Record<string, Json>;
/** One operation as its part has it; the fields named `x-idempotent`, `x-localized` and `x-excluded-responses` end here. */
type Source = Json & {
  security: Record<string, string[]>[];
  parameters?: Json[];
  requestBody?: { content: Json };
  responses: Responses;
};

/** What a field of an operation implies: parameters, responses by their components, headers of the answers of its own. */
type Rule = {
  applies: (operation: Source, path: string, method: Method) => boolean;
  parameters?: string[];
  responses?: Record<string, string>;
  headers?: string[];
};

const RATE_LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Policy'];
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Method = (typeof methods)[number];

/** What anybody may read, with or without a credential. */
const isOpenRead = ({ security, 'x-rate-limit': budget }: Source) =>
  budget === 'read' && security.some((each) => Object.keys(each).length === 0);

/** Field of the operation -> what it implies. */
const rules: Record<string, Rule> = {
  'every operation': { applies: () => true, headers: ['X-Request-Id'] },
  'x-rate-limit': {
    applies: (operation) => operation['x-rate-limit'] !== 'none',
    responses: { 400: 'BadRequest', 429: 'RateLimited', 503: 'ServiceUnavailable' },
    headers: RATE_LIMIT_HEADERS,
  },
  security: { applies: ({ security }) => security.length > 0, responses: { 401: 'Unauthorized' } },
  'security that a read key does not fulfil': {
    applies: ({ security }) =>
      security.length > 0 &&
      security.every((each) => Object.keys(each).length > 0) &&
      !security.some(({ apiKey }) => apiKey?.[0] === 'read'),
    responses: { 403: 'Forbidden' },
  },
  'a parameter of the path': { applies: (_operation, path) => path.includes('{'), responses: { 404: 'NotFound' } },
  requestBody: {
    applies: ({ requestBody }) => requestBody !== undefined,
    responses: { 415: 'UnsupportedMediaType' },
  },
  'requestBody of JSON': {
    applies: ({ requestBody }) => requestBody?.content['application/json'] !== undefined,
    responses: { 413: 'PayloadTooLarge' },
  },
  'x-cache': {
    applies: (operation) => operation['x-cache'] !== undefined,
    responses: { 304: 'NotModified' },
    headers: ['ETag', 'X-Cache'],
  },
  'x-idempotent': {
    applies: (operation) => operation['x-idempotent'] === true,
    parameters: ['IdempotencyKey'],
    responses: { 409: 'Conflict', 422: 'IdempotencyMismatch' },
    headers: ['Idempotent-Replayed'],
  },
  'a read for anybody': { applies: isOpenRead, parameters: ['Position'] },
  'a write': {
    applies: (operation, _path, method) => method !== 'get' && !isOpenRead(operation),
    headers: ['Quayside-Position'],
  },
  deprecated: {
    applies: ({ deprecated }) => deprecated === true,
    headers: ['Deprecation', 'Sunset', 'Link'],
  },
  'x-localized': {
    applies: (operation) => operation['x-localized'] === true,
    parameters: ['Lang', 'AcceptLanguage'],
    headers: ['Content-Language'],
  },
};

/** Writes into a bundled document what the fields of its operations imply. What an operation says itself stands above it. */
export function deriveOperations(document: Json): void {
  for (const [path, item] of Object.entries(document.paths as Record<string, Json>)) {
    for (const method of methods) if (item[method]) item[method] = derive(item[method] as Source, path, method);
  }
  const { responses } = document.components as { responses: Responses };
  for (const [name, response] of Object.entries(responses)) {
    const headers = name === 'NotModified' ? ['X-Request-Id'] : ['X-Request-Id', ...RATE_LIMIT_HEADERS];
    responses[name] = withHeaders(response, headers);
  }
}

function derive(source: Source, path: string, method: Method): Json {
  const {
    'x-idempotent': _idempotent,
    'x-localized': _localized,
    'x-excluded-responses': excluded = [],
    ...operation
  } = source;
  const implied = Object.values(rules).filter(({ applies }) => applies(source, path, method));
  const headers = implied.flatMap((rule) => rule.headers ?? []);
  const parameters = implied.flatMap((rule) => rule.parameters ?? []).map(refTo('parameters'));
  const components = Object.assign({}, ...implied.map((rule) => rule.responses ?? {})) as Record<string, string>;
  for (const status of excluded as string[]) delete components[status];
  const statuses = [...new Set([...Object.keys(source.responses), ...Object.keys(components)])];
  const responses = statuses.map((status) => {
    const own = source.responses[status] ?? {};
    const component = components[status];
    if (component && !own.content) return [status, { ...refTo('responses')(component), ...own }];
    return [status, own.$ref ? own : withHeaders(own, headers)];
  });
  return {
    ...operation,
    security: withAccessTokens(source.security),
    ...(source.parameters || parameters.length > 0
      ? { parameters: [...(source.parameters ?? []), ...parameters] }
      : {}),
    responses: Object.fromEntries(responses) as Responses,
  };
}

/** Access tokens are accepted wherever keys are, with the same scope. */
const withAccessTokens = (security: Source['security']) =>
  security.flatMap((each) => (each.apiKey ? [each, { oauth2: each.apiKey }] : [each]));

const withHeaders = (response: Json, names: string[]): Json => ({
  ...response,
  headers: {
    ...Object.fromEntries(names.map((name) => [name, refTo('headers')(name)])),
    ...(response.headers as Json | undefined),
  },
});

const refTo = (kind: string) => (name: string) => ({ $ref: `#/components/${kind}/${name}` });
