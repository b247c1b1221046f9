import type { Pool } from 'pg';
import type { Services } from '../../api/services.ts';
import { newId } from '../../shared/kit/ids.ts';
import { openIndex } from '../../shared/search/open-index.ts';
import {
  createCollection,
  dropOthers,
  nameCollection,
  pointTo,
  type SearchIndex,
} from '../../shared/search/typesense/collections.ts';
import { indexListings } from '../../shared/search/typesense/sync.ts';
import { writeTerms } from '../../shared/search/typesense/terms.ts';
import { startTypesenseServer } from './typesense-server.ts';

/** The search index that the apps of a test file have before their database. */
export type TestIndex = {
  env: Record<string, string>;
  /** Indexes all listings anew when any has changed since the last time, whoever has changed it. */
  follow(services: Services): Promise<void>;
  /** Counts who has answered. */
  note(answer: { headers: Headers }): void;
  answers: Record<'typesense' | 'postgres', number>;
  close(): Promise<void>;
};

let chosen: TestIndex | undefined;

/** All listings, and what tells whether any is another than before; undefined while a test keeps readers out. */
async function readListings(pool: Pool): Promise<{ print: string; ids: string[] } | undefined> {
  const client = await pool.connect();
  try {
    await client.query(`set lock_timeout = '200ms'; set application_name = 'index-of-tests'`);
    const { rows } = await client.query<{ print: string; ids: string[] }>(
      `select md5(string_agg(l.id || l.xmin::text, ' ' order by l.id)) as print, coalesce(array_agg(l.id), '{}') as ids from listings l`,
    );
    return rows[0];
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return undefined;
    throw error;
  } finally {
    await client.query('reset lock_timeout; reset application_name');
    client.release();
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

const nameOf = (index: SearchIndex) => nameCollection(index, 'run_test');

/** Undefined where PostgreSQL alone searches. */
export const indexOfTests = () => chosen;

/**
 * Gives every app that is started from now on a search index: the server that TYPESENSE_URL names, else the stand-in. The index
 * is brought up to date before each read, so that tests written for one engine hold for the other.
 */
export async function useSearchIndex(): Promise<TestIndex> {
  const real = process.env['TYPESENSE_URL'];
  const local = real ? undefined : await startTypesenseServer();
  const env = {
    TYPESENSE_URL: real ?? local?.url ?? '',
    TYPESENSE_API_KEY: real ? (process.env['TYPESENSE_API_KEY'] ?? '') : (local?.key ?? ''),
    TYPESENSE_COLLECTION: newId('run').toLowerCase(),
  };
  const indexes = new Map<Services, SearchIndex>();
  const seen = new Map<Services, { print: string; ids: string[] }>();

  async function open(services: Services): Promise<SearchIndex> {
    const index = openIndex(
      { nodes: [env.TYPESENSE_URL], apiKey: env.TYPESENSE_API_KEY, collection: env.TYPESENSE_COLLECTION },
      services.marketplace,
    );
    indexes.set(services, index);
    await createCollection(index, nameOf(index));
    await pointTo(index, nameOf(index));
    await writeTerms(services.pool, index, services.clock.now());
    return index;
  }

  async function follow(services: Services): Promise<void> {
    const index = indexes.get(services) ?? (await open(services));
    const { pool, clock } = services;
    const listings = await readListings(pool);
    if (!listings) return;
    const { print, ids } = listings;
    const before = seen.get(services);
    if (before?.print !== print) {
      await indexListings({ pool, index, now: () => clock.now() }, [...ids, ...(before?.ids ?? [])], [nameOf(index)]);
      seen.set(services, { print, ids });
    }
    await pool.query(`delete from pgboss.job where name = 'index-listing'`);
  }

  const answers = { typesense: 0, postgres: 0 };
  chosen = {
    env,
    follow,
    answers,
    note({ headers }) {
      const engine = headers.get('x-search-engine');
      if (engine === 'typesense' || engine === 'postgres') answers[engine] += 1;
    },
    async close() {
      chosen = undefined;
      for (const index of indexes.values()) {
        if (real) await dropOthers(index, []);
        await index.client.close();
      }
      await local?.close();
    },
  };
  return chosen;
}
