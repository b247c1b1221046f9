import type { Pool } from 'pg';
import { createPool } from '../../db/client.ts';
import { createSessionTokens } from '../../shared/accounts/session-token.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { newId } from '../../shared/kit/ids.ts';
import { dataFile } from '../support/data.ts';
import { environmentOf } from './api-process.ts';
import { openDataset } from './dataset.ts';
import { startLoadFleet, type LoadFleet } from './load-fleet.ts';
import { readPhoto, type Traffic } from './load-traffic.ts';

const USERS = 200;
/** More listings than these are not copied, but used up. */
const MAX_COPIED = 1_000_000;

/** A fleet on a copy of the listings, a pool on its database, and what traffic for it needs; `admin` is an administrator's token. */
export type OpenLoad = { fleet: LoadFleet; pool: Pool; traffic: Traffic; admin: string; close(): Promise<void> };

/** Opens `n` listings for traffic, with these lines in the configuration of the database server; undefined where the data is absent. */
export async function openLoad(n: number, settings: string[] = []): Promise<OpenLoad | undefined> {
  const photoFile = dataFile('images-real/jpg-camera__no_exif.jpg');
  const dataset = await openDataset(n);
  if (!dataset || !photoFile) return undefined;
  await renewListings(dataset.pool);
  await dataset.stop();
  const { JWT_SECRET } = environmentOf(dataset);
  const variables = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    JWT_SECRET,
    RATE_LIMIT_MULTIPLIER: '0',
    FETCH_ALLOW: '127.0.0.1',
  };
  const fleet = await startLoadFleet(dataset.dataDir, variables, { settings, isMoved: n > MAX_COPIED });
  const pool = createPool({
    databaseUrl: fleet.databaseUrl,
    max: 2,
    applicationName: 'bench',
    deadlines: { statement: 0 },
  });
  const close = async () => {
    await pool.end();
    await fleet.stop();
  };
  try {
    const { tokens, ids, admin } = await prepareUsers(pool, JWT_SECRET);
    const ledger = { listings: new Map(), messages: [], prices: new Map() };
    return { fleet, pool, traffic: { url: fleet.url, tokens, ids, photo: readPhoto(photoFile), ledger }, admin, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The rows are older than a listing's life: a fleet would begin by expiring all of them. */
async function renewListings(pool: Pool): Promise<void> {
  await pool.query(
    `update listings set expires_at = now() + interval '30 days' where status = 'active' and expires_at < now() + interval '10 days'`,
  );
}

/** Sessions of people and of an administrator made for it, and what can be asked for. */
async function prepareUsers(pool: Pool, secret: string) {
  const tokens = createSessionTokens([secret], systemClock);
  const users = await pool.query<{ id: string }>(`select id from users where role = 'user' order by id limit $1`, [
    USERS,
  ]);
  const listings = await pool.query<{ id: string }>(
    `select id from listings where status = 'active' and expires_at > now() or status = 'active' order by id desc limit 5000`,
  );
  const admin = newId('user');
  await pool.query(
    `insert into users (id, email, name, role, verified, created_at, updated_at) values ($1, $2, 'Admin', 'admin', true, now(), now())`,
    [admin, `${admin.toLowerCase()}@example.com`],
  );
  const sign = (id: string, role: 'user' | 'admin') => tokens.sign({ id, role, session_epoch: 0 });
  return {
    tokens: await Promise.all(users.rows.map(({ id }) => sign(id, 'user'))),
    ids: listings.rows.map(({ id }) => id),
    admin: await sign(admin, 'admin'),
  };
}
