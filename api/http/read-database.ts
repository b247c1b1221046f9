import type { Kysely } from 'kysely';
import type { Registry } from 'prom-client';
import { createDatabase } from '../../db/client.ts';
import { followReplicas, type Replicas } from '../../db/replicas.ts';
import type { DB } from '../../db/types.gen.ts';
import { registerReplicas } from '../../shared/boot/replica-metrics.ts';
import type { Config } from '../../shared/kit/config.ts';
import type { Logger } from '../../shared/kit/log.ts';
import type { Searcher } from '../../shared/search/engine.ts';
import { addWordCaches, type SearchPool } from '../../shared/search/search-pool.ts';
import type { ResponseCache } from './response-cache.ts';

/** Carries the position in the write-ahead log of what was written, and brings it with what is read afterwards. */
export const POSITION_HEADER = 'Quayside-Position';

/** What a handler reads from: a server of the database, and the search on it. */
export type ReadDatabase = { pool: SearchPool; db: Kysely<DB>; searcher: Searcher };

/** Where a request gets its read database. */
export type Reads = Omit<Replicas, 'read' | 'standbys'> & {
  /**
   * Runs a read for nobody in particular on a standby that is fresh enough, else on the primary; it may run twice. With a
   * position it sees all that was committed before that was told.
   */
  read<T>(work: (database: ReadDatabase) => Promise<T>, position?: string): Promise<T>;
};

type Given = {
  config: Pick<Config, 'databaseReplicaUrls' | 'databasePoolSize' | 'deadlines'> & { directDatabaseUrl: string };
  primary: ReadDatabase;
  registry: Registry;
  log: Logger;
  cache: Pick<ResponseCache, 'invalidate'>;
};

/** Follows the standbys of DATABASE_REPLICA_URLS; without any, every read is the primary's. */
export function createReads({ config, primary, registry, log, cache }: Given): Reads {
  const { read, standbys, ...replicas } = followReplicas({
    databaseUrl: config.directDatabaseUrl,
    replicaUrls: config.databaseReplicaUrls,
    max: config.databasePoolSize,
    applicationName: 'quayside-read',
    deadlines: config.deadlines,
    // What is under way may become of it, and is not cached.
    onStaleRead: () => cache.invalidate({}),
    onChange({ name, state, cause }) {
      if (state === 'serving') log.info({ standby: name }, 'a standby answers reads');
      else log.warn({ standby: name, state, err: cause }, 'a standby answers no reads');
    },
  });
  registerReplicas(registry, replicas);
  const databases = new Map<string | undefined, ReadDatabase>([[undefined, primary]]);
  for (const { name, pool: bare } of standbys) {
    const pool = addWordCaches(bare, primary.pool.words.makers);
    databases.set(name, { pool, db: createDatabase(pool), searcher: primary.searcher.on(pool) });
  }
  return {
    ...replicas,
    read: (work, position) => read((standby) => work(databases.get(standby?.name) ?? primary), position),
  };
}
