import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { Role } from './roles.ts';

export type AccountFilter = {
  q?: string | undefined;
  role?: Role | undefined;
  status?: 'active' | 'suspended' | undefined;
};
/** The place of an account in the list: when it was made, in microseconds as PostgreSQL writes them, and its id. */
export type AccountPlace = readonly [createdAt: string, id: string];

export const accountColumns = ['id', 'email', 'name', 'type', 'role', 'verified', 'created_at', 'disabled_at'] as const;

/** A trigram needs three characters; fewer are looked for at the beginning of words, which have a space before them. */
const MIN_INFIX = 3;

/** Accounts that fit the filter, the newest first, by keyset: up to `limit` after a place, each with its own. */
export async function findUsers(
  db: Database,
  { q, role, status }: AccountFilter,
  { after, limit }: { after?: AccountPlace | undefined; limit: number },
) {
  return db
    .selectFrom('users')
    .select([
      ...accountColumns,
      sql<string>`to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as('place'),
    ])
    .where('left_at', 'is', null)
    .$if(q !== undefined, (query) => query.where(matching(q!)))
    .$if(role !== undefined, (query) => query.where('role', '=', role!))
    .$if(role !== undefined && role !== 'user', (query) => query.where('role', '<>', 'user'))
    .$if(status !== undefined, (query) => query.where('disabled_at', status === 'active' ? 'is' : 'is not', null))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) < (${after![0]}::timestamptz, ${after![1]})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

function matching(q: string) {
  const text = q.trim().toLowerCase();
  const escaped = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
  const pattern = [...text].length < MIN_INFIX ? `% ${escaped}%` : `%${escaped}%`;
  return sql<boolean>`lower(' ' || name || ' ' || email || ' ' || id) like ${pattern}`;
}
