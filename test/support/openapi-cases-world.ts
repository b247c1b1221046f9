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
};

/** Accounts and credentials of every kind, in the database of these services. */
export async function createWorld(services: Services): Promise<World> {
  const owner = await createPerson(services, 'user');
  const other = await createPerson(services, 'user');
  const admin = await createPerson(services, 'admin');
  const longAgo = { now: () => new Date(services.clock.now().getTime() - (SESSION_SECONDS + 60) * 1_000) };
  const earlier = createSessionTokens(services.config.jwtSecrets, longAgo);
  return {
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
  return operation.adminOnly ? 'admin' : 'owner';
}

/** Makes the sessions of the world good again: one of its people may have logged out everywhere. */
export async function restoreSessions({ services, owner, other, admin }: World): Promise<void> {
  await services.pool.query('update users set session_epoch = 0 where session_epoch <> 0 and id = any($1)', [
    [owner.id, other.id, admin.id],
  ]);
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
