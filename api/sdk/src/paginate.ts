import { unwrap, type ApiResult, type QuaysideClient } from './client.ts';
import type { ListItem, ListPath, paths } from './contract.ts';

type ListParameters<Path extends ListPath> = Omit<
  paths[Path]['get'] extends { parameters: infer P } ? P : never,
  'cookie'
>;
type ListInit<Path extends ListPath> = { params?: ListParameters<Path>; signal?: AbortSignal };
type Query = Record<string, unknown>;
type Page = {
  results: unknown[];
  pagination?: { page: number; pages: number; next_cursor?: string | null };
  next_after?: number;
};

/**
 * Keyset pagination where the list has cursors, else by page numbers: every entry of a list, page after page as they are asked
 * for. Throws the `ApiError` of a page that is refused.
 */
export async function* paginate<Path extends ListPath>(
  client: QuaysideClient,
  path: Path,
  init: ListInit<Path> = {},
): AsyncGenerator<ListItem<Path>, void, undefined> {
  const get = client.GET as unknown as (path: string, init: object) => Promise<ApiResult<Page>>;
  const parameters = (init.params ?? {}) as { query?: Query };
  let query: Query | undefined = parameters.query ?? {};
  while (query) {
    const page: Page = await unwrap(get(path, { ...init, params: { ...parameters, query } }));
    yield* page.results as ListItem<Path>[];
    query = nextQuery(query, page);
  }
}

/** The query of the page behind; undefined at the end. */
function nextQuery(query: Query, { results, pagination, next_after: after }: Page): Query | undefined {
  if (after !== undefined)
    return results.length > 0 || after !== (query['after'] ?? 0) ? { ...query, after } : undefined;
  if (!pagination || results.length === 0) return undefined;
  const { page: _, ...filters } = query;
  if (pagination.next_cursor !== undefined)
    return pagination.next_cursor === null ? undefined : { ...filters, cursor: pagination.next_cursor };
  return pagination.page < pagination.pages ? { ...query, page: pagination.page + 1 } : undefined;
}
