import type { Services } from '../../api/services.ts';
import { createSessionTokens, SESSION_SECONDS } from '../../shared/accounts/session-token.ts';
import { recipes } from './openapi-cases-recipes.ts';
import { createKey, createPerson, type Person } from './openapi-cases-things.ts';
import type { Case, Parts } from './openapi-cases.ts';

/** Everybody who may knock: with nothing, with something worthless, with each kind of key, with a session of their own. */
export const callers = [
  'anonymous',
  'badToken',
  'expired',
  'revoked',
  'readKey',
  'writeKey',
  'adminKey',
  'owner',
  'other',
  'admin',
] as const;
export type Caller = (typeof callers)[number];

export type World = {
  services: Services;
  owner: Person;
  other: Person;
  admin: Person;
  /** The bearer token of each caller; the read and write keys are the owner's, the admin key is the admin's. */
  tokens: Record<Caller, string | undefined>;
  /** Rows as they were made, for people who have left to come back with. */
  rows: { users: string; api_keys: string };
};

/** Accounts and credentials of every kind, in the database of these services. */
export async function createWorld(services: Services): Promise<World> {
  const owner = await createPerson(services, 'user');
  const other = await createPerson(services, 'user');
  const admin = await createPerson(services, 'admin');
  const longAgo = { now: () => new Date(services.clock.now().getTime() - (SESSION_SECONDS + 60) * 1_000) };
  const earlier = createSessionTokens(services.config.jwtSecrets, longAgo);
  const world = {
    services,
    owner,
    other,
    admin,
    tokens: {
      anonymous: undefined,
      badToken: 'not-a-credential',
      expired: await earlier.sign({ id: owner.id, role: 'user', session_epoch: 0 }),
      revoked: (await createKey(services, owner, 'write', true)).key,
      readKey: (await createKey(services, owner, 'read')).key,
      writeKey: (await createKey(services, owner, 'write')).key,
      adminKey: (await createKey(services, admin, 'admin')).key,
      owner: owner.token,
      other: other.token,
      admin: admin.token,
    },
  };
  const rowsIn = async (table: 'users' | 'api_keys') => {
    const { rows } = await services.pool.query<{ rows: string }>(
      `select jsonb_agg(t)::text as rows from ${table} t where ${table === 'users' ? 'id' : 'user_id'} = any($1)`,
      [[owner.id, other.id, admin.id]],
    );
    return rows[0]?.rows ?? '[]';
  };
  return { ...world, rows: { users: await rowsIn('users'), api_keys: await rowsIn('api_keys') } };
}

/** Everything in the database that is this person's, as text: equal before and after means that nothing was changed. */
export async function rowsOf({ services }: World, { id }: Person): Promise<string[]> {
  const { rows: owners } = await services.pool.query<{ table: string; column: string }>(
    `select quote_ident(c.table_name) as table, quote_ident(c.column_name) as column
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = 'text'
       and (c.column_name ~ '^(user|seller|owner|buyer|renter|reporter|reviewer|sender)(_id)?$' or (c.table_name, c.column_name) = ('users', 'id'))`,
  );
  const found = await Promise.all(
    owners.map(({ table, column }) =>
      services.pool.query<{ row: string }>(`select t::text as row from ${table} as t where ${column} = $1 order by 1`, [
        id,
      ]),
    ),
  );
  return found.flatMap(({ rows }) => rows.map(({ row }) => row));
}

/** Who may call an operation for certain. */
export function entitledCaller({ operation }: Case): Caller {
  if (operation.auth.public) return 'anonymous';
  return operation.leastRole ? 'admin' : 'owner';
}

/** Makes the sessions of the world good again: one of its people may have logged out everywhere, or left. */
export async function restoreSessions({ services, owner, other, admin, rows }: World): Promise<void> {
  const { rowCount } = await services.pool.query(
    `update users u set (email, name, role, verified, password_hash, disabled_at, left_at)
       = (was.email, was.name, was.role, was.verified, was.password_hash, null, null)
     from jsonb_populate_recordset(null::users, $1) as was where was.id = u.id and u.left_at is not null`,
    [rows.users],
  );
  if (rowCount !== 0) {
    await services.pool.query(`delete from account_leavings`);
    await services.pool.query(`delete from runs where kind = 'erase'`);
    await services.pool.query(
      `insert into api_keys select * from jsonb_populate_recordset(null::api_keys, $1) on conflict do nothing`,
      [rows.api_keys],
    );
  }
  await services.pool.query('update users set session_epoch = 0 where session_epoch <> 0 and id = any($1)', [
    [owner.id, other.id, admin.id],
  ]);
  await services.pool.query(
    'update sessions set ended_at = null, second_factor = false where ended_at is not null and user_id = any($1)',
    [[owner.id, other.id, admin.id]],
  );
}

/**
 * A request of the entitled caller (the owner of what it names) that succeeds, made from one of the contract's examples;
 * what it needs is made for it alone.
 */
export async function readyRequest(world: World, each: Case, exampleIndex = 0): Promise<Parts> {
  const example = each.body?.examples[exampleIndex];
  const recipe = recipes[each.id];
  await restoreSessions(world);
  const made = recipe ? await recipe(world, example) : {};
  const named = each.parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, example }) => [name, String(example)]);
  return {
    token: world.tokens[entitledCaller(each)],
    query: [],
    headers: {},
    ...(each.operation.bodyRequired && { body: example }),
    ...made,
    params: { ...Object.fromEntries(named), ...made.params },
  };
}
