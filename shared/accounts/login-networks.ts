import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';

/** The hash is the account's own: rows of two accounts do not tell that they came from one network. */
const hashOf = (userId: string, network: string) => sql<Buffer>`sha256(convert_to(${`${userId} ${network}`}, 'UTF8'))`;

/** Whether an account was opened from this network within the last 90 days; the same work for an account that is unknown. */
export async function isKnownNetwork(db: Database, userId: string | undefined, network: string): Promise<boolean> {
  const known = await db
    .selectFrom('login_networks')
    .select('user_id')
    .where('user_id', '=', userId ?? '')
    .where('network_hash', '=', hashOf(userId ?? '', network))
    .executeTakeFirst();
  return known !== undefined;
}

/** Notes that somebody who proved to be the owner came from this network; nothing for an account that is gone meanwhile. */
export async function rememberNetwork(db: Database, userId: string, network: string, now: Date): Promise<void> {
  await sql`
    insert into login_networks (user_id, network_hash, last_login_at)
    select id, ${hashOf(userId, network)}, ${now} from users where id = ${userId} for key share
    on conflict (user_id, network_hash) do update set last_login_at = excluded.last_login_at`.execute(db);
}

/** Forgets every network that an account was opened from. */
export async function forgetNetworks(db: Database, userId: string): Promise<void> {
  await db.deleteFrom('login_networks').where('user_id', '=', userId).execute();
}
