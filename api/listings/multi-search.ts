import PQueue from 'p-queue';
import { invalid, ServiceError, type FieldError } from '../../shared/kit/errors.ts';
import { negotiateLocale } from '../../shared/profiles/locale.ts';
import { chargeRequests } from '../http/enforce-rate-limit.ts';
import { toServiceError } from '../http/render-error.ts';
import type { Request, Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { searchListings } from './search.ts';

type Answers = Result<'multiSearchListings', 200>['results'];
type Parameters = Request<'multiSearchListings'>['body']['searches'][number];
type Query = Record<string, string | string[] | Record<string, string | string[]>>;

/** So many of one call run side by side: it shall not take the connections of all others. */
const CONCURRENCY = 3;

/** Answers several searches, each as GET /api/listings does; a bad one refuses the call, by its place in the body. */
export const multiSearchListings: Handler<'multiSearchListings'> = async (services, request) => {
  const { searches } = request.body;
  // The call itself has paid for one of them.
  const headers = await chargeRequests(services, 'read', request.caller, request.ip, searches.length - 1);
  const inputs = await Promise.all(searches.map((each, index) => place(index, () => inputOf(services, request, each))));
  const queue = new PQueue({ concurrency: CONCURRENCY });
  const answers = await queue.addAll(inputs.map((input, index) => () => place(index, () => search(services, input))));
  return {
    status: 200,
    headers: { ...headers, Vary: 'Accept-Language' },
    effects: { searched: answers.flatMap(({ effects }) => effects?.searched ?? []) },
    body: { results: answers.map(({ body }) => body) },
  };
};

async function search(services: Services, input: Request<'searchListings'>) {
  const answer = await searchListings(services, input);
  return { ...answer, body: answer.body as Answers[number] };
}

/** A search as GET would have received it, held against the contract of that operation. */
async function inputOf(
  services: Services,
  request: Request<'multiSearchListings'>,
  parameters: Parameters,
): Promise<Request<'searchListings'>> {
  const operation = services.contract.operations.find(({ id }) => id === 'searchListings')!;
  const query = toQuery(parameters);
  const originalUrl = `${operation.path}?${toQueryString(query)}`;
  const valid = await services.validate(operation, { originalUrl, headers: {}, query, params: {}, body: undefined });
  const lang = query['lang'];
  return {
    ...request,
    params: {} as never,
    query: valid.query,
    body: undefined as never,
    locale: typeof lang === 'string' ? negotiateLocale({ lang }, services.profile) : request.locale,
    wantsMarkdown: false,
    unknownQuery: Object.keys(query).filter((name) => !operation.queryNames.has(name)),
  };
}

/** The parameters as a query string would be read: texts alone, `attr[key]` as a part of `attr`. */
function toQuery(parameters: Parameters): Query {
  const query: Query = {};
  const attr: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const key = /^attr\[(?<key>.+)\]$/s.exec(name)?.groups?.['key'];
    if (key !== undefined) attr[key] = toText(value, name);
    else if (name === 'attr' && isMap(value))
      for (const [own, each] of Object.entries(value)) attr[own] = toText(each, `attr/${own}`);
    else query[name] = toText(value, name);
  }
  return Object.keys(attr).length > 0 ? { ...query, attr } : query;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function toText(value: unknown, name: string): string | string[] {
  if (Array.isArray(value)) return value.map(String);
  if (!isMap(value)) return String(value);
  throw invalid('The request does not fit this operation.', [
    { path: `/query/${name}`, message: 'must be a text, a number, true or false, or a list of such' },
  ]);
}

function toQueryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (typeof value === 'string' || Array.isArray(value)) return [value].flat().map((each) => [name, each]);
    return Object.entries(value).flatMap(([key, each]) =>
      [each].flat().map((text): [string, string] => [`${name}[${key}]`, text]),
    );
  });
  return new URLSearchParams(pairs).toString();
}

/** What a search is refused for, at its place in the body. */
async function place<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = toServiceError(error);
    if (!known || known.status >= 500) throw error;
    const { code, message, details, headers } = known;
    const errors = ((details?.['errors'] ?? []) as FieldError[]).map((each) => ({
      ...each,
      path: each.path.replace(/^\/query\//, `/body/searches/${index}/`),
    }));
    const placed = errors.length > 0 ? { ...details, errors } : { ...details, search: index };
    throw new ServiceError(code, message, { details: placed, headers });
  }
}
