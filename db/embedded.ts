import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { databaseDeadlines } from './deadlines.ts';
import { EmbeddedError } from './embedded-binaries.ts';
import { openCluster, type Access } from './embedded-cluster.ts';
import { adopt, ensureDatabase, ensureRunning, stopServer, urlOf } from './embedded-server.ts';

export type Embedded = { url: string; stop(): Promise<void> };

export type EmbeddedOptions = {
  dataDir: string;
  /** Gives up durability for speed: for databases that a test throws away. */
  fast?: boolean;
  /** Told when the server died and was started again. */
  onEvent?: (message: string) => void;
};

const ownerLock = 5_163_880_217;
const ownerWaitMs = 3_000;

/**
 * Runs a PostgreSQL of our own below `dataDir`: initialises it at the first start, adopts one that a killed process left
 * running, restarts it when it dies, and answers the URL of its database `quayside`, which only this machine can reach.
 * There is one owner at a time: a second one gets an EmbeddedError and changes nothing. `stop` also ends an adopted server.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { fast = false, onEvent = () => {} } = options;
  const cluster = await openCluster(resolve(options.dataDir), fast);
  const access = await ensureRunning(cluster, fast);
  let owner = await takeOwnership(access);
  await ensureDatabase(access);
  let stopping = false;

  const watch = () => owner.once('end', () => void revive(0));
  const revive = async (delayMs: number): Promise<void> => {
    await sleep(delayMs);
    if (stopping) return;
    try {
      const { port } = await ensureRunning(cluster, fast);
      owner = await takeOwnership({ ...access, port });
      watch();
      onEvent(port === access.port ? 'PostgreSQL is back.' : 'PostgreSQL had to change its port: restart the service.');
    } catch (error) {
      onEvent(`PostgreSQL is down: ${String(error)}`);
      await revive(Math.min(30_000, delayMs * 2 + 1_000));
    }
  };
  watch();

  return {
    url: urlOf(access),
    async stop() {
      stopping = true;
      await Promise.race([owner.end(), sleep(1_000)]);
      await stopServer(cluster);
    },
  };
}

/** The URL of the database of the server that runs below `dataDir` now; undefined when none does. */
export async function findRunning(dataDir: string): Promise<string | undefined> {
  const access = await adopt(resolve(dataDir));
  return access && urlOf(access);
}

/** A lock on the server that lasts as long as this process: it also ends with a kill -9, unlike a file. */
async function takeOwnership(access: Access): Promise<Client> {
  const client = new Client({
    connectionString: urlOf(access, 'postgres'),
    application_name: 'quayside owner',
    connectionTimeoutMillis: databaseDeadlines.startConnection,
  });
  client.on('error', () => {
    // 'end' follows, and starts the server again.
  });
  await client.connect();
  for (const deadline = Date.now() + ownerWaitMs; ; await sleep(100)) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [ownerLock]);
    if (rows[0]?.taken) return client;
    if (Date.now() < deadline) continue;
    await client.end();
    throw new EmbeddedError('Another start of this service already runs on the same DATA_DIR.');
  }
}
