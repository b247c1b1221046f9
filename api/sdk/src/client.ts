import createFetchClient, {
  mergeHeaders,
  type ClientPathsWithMethod,
  type Client as FetchClient,
  type FetchResponse,
  type HeadersOptions,
  type MaybeOptionalInit,
} from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import type { paths } from './contract.ts';
import { idempotentOperations } from './operations.gen.ts';
import { defaultRetry, repeatRequests, type RetryPolicy } from './retry.ts';

type Json = 'application/json';
type Methods = { GET: 'get'; PUT: 'put'; POST: 'post'; PATCH: 'patch'; DELETE: 'delete' };
type PathOf<Method extends Methods[keyof Methods]> = ClientPathsWithMethod<FetchClient<paths, Json>, Method>;
type InitArguments<Init> = [undefined] extends [Init]
  ? [init?: Init]
  : Partial<Init> extends Init
    ? [init?: Init]
    : [init: Init];
type DataOf<Path extends keyof paths, Method extends keyof paths[Path], Init> = Exclude<
  FetchResponse<paths[Path][Method] & Record<string, unknown>, Init, Json>['data'],
  undefined
>;

/** The answer's body, or the error; `response` for its headers. */
export type ApiResult<Data> =
  | { data: Data; error?: undefined; response: Response }
  | { data?: undefined; error: ApiError; response: Response };

type ClientMethod<Method extends Methods[keyof Methods]> = <
  Path extends PathOf<Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: InitArguments<Init>
) => Promise<ApiResult<DataOf<Path, Method, Init>>>;

/** One typed method for each of HTTP's; paths, parameters, bodies and answers are those of the contract. */
export type QuaysideClient = { [Method in keyof Methods]: ClientMethod<Methods[Method]> };

export type ClientSettings = {
  /** Where the API is, such as `https://api.example.com`. */
  baseUrl: string;
  /** A session token or an API key. */
  token?: string | undefined;
  /** What requests are made with; the platform's own by default. `init` repeats the signal, as Node loses that of a Request that is collected. */
  fetch?: (request: Request, init: { signal?: AbortSignal | null }) => Promise<Response>;
  /** false repeats nothing. */
  retry?: Partial<RetryPolicy> | false;
};

type LooseInit = { headers?: HeadersOptions; signal?: AbortSignal | null };
type LooseClient = {
  request(method: string, path: string, init: object): Promise<{ data?: unknown; error?: unknown; response: Response }>;
};

/**
 * A client of one marketplace. A refusal is an `ApiError` in `error`; only a connection that fails for good throws. Reads are repeated
 * as `retry` says, and so are the changes that take an Idempotency-Key, which the client makes; no other change is sent twice.
 */
export function createClient({ baseUrl, token, fetch = globalThis.fetch, retry = {} }: ClientSettings): QuaysideClient {
  const inner = createFetchClient<paths, Json>({
    baseUrl,
    ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
  }) as unknown as LooseClient;

  const methodOf =
    (method: keyof Methods) =>
    async (path: string, init: LooseInit = {}): Promise<ApiResult<unknown>> => {
      const takesKey = idempotentOperations.has(`${method} ${path}`);
      const isRepeated = retry !== false && (method === 'GET' || takesKey);
      const { signal } = init;
      const once = (request: Request): Promise<Response> => fetch(request, signal ? { signal } : {});
      const { data, error, response } = await inner.request(method.toLowerCase(), path, {
        fetch: isRepeated ? repeatRequests(once, { ...defaultRetry, ...retry }) : once,
        ...init,
        ...(takesKey && { headers: withIdempotencyKey(init) }),
      });
      return response.ok ? { data, response } : { error: new ApiError(response, error), response };
    };
  return {
    GET: methodOf('GET'),
    PUT: methodOf('PUT'),
    POST: methodOf('POST'),
    PATCH: methodOf('PATCH'),
    DELETE: methodOf('DELETE'),
  } as QuaysideClient;
}

/** The caller's own key stands above, as a parameter does above a header. */
const withIdempotencyKey = ({ headers }: LooseInit): Headers =>
  mergeHeaders({ 'Idempotency-Key': crypto.randomUUID() }, headers);

/** The body of a result; its error is thrown. */
export async function unwrap<Data>(result: Promise<ApiResult<Data>>): Promise<Data> {
  const { data, error } = await result;
  if (error) throw error;
  return data;
}
